"""Titles of codes: diagnoses and procedures as the coding manual calls them, for those who do not read codes."""

from __future__ import annotations

from assets.questions.grammar import Phrases, Stream
from assets.questions.kinds._kind import kind
from assets.questions.kinds._labels import DIAGNOSES, PROCEDURES, SAME_CODE
from assets.questions.kinds.diagnoses import ANY_CODE, ANY_PROCEDURE, CODED_ONLY, code_rows, procedure_rows
from assets.questions.records import by_admission, diagnosis_codes
from schemas.concepts import DiagnosisGroup, Pool, Procedure
from schemas.questions import Intent

TITLED = "as d_icd_diagnoses titles them (long_title), dated by their admission"
DATED_TITLES = "by their title in d_icd_procedures (long_title), compared by day"


@kind(Intent.DIAGNOSES)
def titles() -> Stream:
    """Every coded diagnosis by its title: a problem list."""
    return by_admission(
        Stream(
            target=code_rows(ANY_CODE, "diagnosis code"),
            label=DIAGNOSES,
            named=SAME_CODE,
            words=Phrases(
                entries="diagnosis titles",
                listed="diagnoses, by their titles, were coded",
                tally="diagnoses",
                counts=f"billed diagnosis codes {TITLED}",
                own={
                    "new_names": (
                        "which diagnoses, by their titles, did the latest admission have that no earlier admission had "
                        "{when}",
                        "new diagnosis titles",
                    )
                },
            ),
            text="l.long_title",
            no_route=CODED_ONLY,
        )
    )


@kind(Intent.DIAGNOSES)
def principal_title() -> Stream:
    """The principal diagnosis in words."""
    return by_admission(
        Stream(
            target=code_rows(f"seq_num = 1 AND {ANY_CODE}", "principal diagnosis code"),
            label=DIAGNOSES,
            named=SAME_CODE,
            words=Phrases(
                entries="titles of the principal diagnosis",
                listed="principal diagnoses, by their titles, were coded",
                counts=f"diagnosis codes with seq_num 1, {TITLED}",
                own={
                    "names_once": (
                        "what was the title of the principal diagnosis {when}",
                        "title of the principal diagnosis",
                    ),
                    "nth_names": (
                        "what was the title of the principal diagnosis of the {nth} admission {when}",
                        "titles of the principal diagnosis of the {nth} admission",
                    ),
                    "first_names": (
                        "what was the title of the principal diagnosis of the first admission {when}",
                        "titles of the principal diagnosis of the first admission",
                    ),
                    "last_names": (
                        "what was the title of the principal diagnosis of the last admission {when}",
                        "titles of the principal diagnosis of the last admission",
                    ),
                },
            ),
            text="l.long_title",
            no_route=CODED_ONLY,
        )
    )


@kind(Intent.DIAGNOSES, Pool.DIAGNOSIS, least=4)
def group_titles(concept: DiagnosisGroup) -> Stream:
    """Which forms of one disease were coded: acute or chronic, with which complication."""
    return by_admission(
        Stream(
            target=diagnosis_codes(concept),
            label=DIAGNOSES,
            named=SAME_CODE,
            words=Phrases(
                entries=f"titles of the codes for {concept.lay_name}",
                listed=f"diagnoses of {concept.lay_name}, by their titles, were coded",
                tally="titles",
                counts=f"billed diagnosis codes of any position {TITLED}",
            ),
            text="l.long_title",
            definition=concept.definition,
            no_route=CODED_ONLY,
        )
    )


@kind(Intent.DIAGNOSES)
def unspecified() -> Stream:
    """Codes whose title ends in "unspecified", among all codes: what a coding audit counts.

    Elsewhere in a title the word is routine ("type II or unspecified type"): it stands there for 264 of the demo's 275
    admissions.
    """
    return by_admission(
        Stream(
            target=code_rows(ANY_CODE, "diagnosis code"),
            label=DIAGNOSES,
            named=SAME_CODE,
            words=Phrases(
                happened="was any diagnosis coded as unspecified",
                counted="unspecified diagnosis codes were recorded",
                events="unspecified diagnosis codes",
                whole="diagnosis codes",
                part="unspecified",
                tally="codes",
                counts="billed diagnosis codes with a title in d_icd_diagnoses (unspecified: long_title ends with the "
                "word 'unspecified' in upper or lower case), dated by their admission",
                own={
                    "share_of": (
                        "what percentage of the diagnosis codes {when} were unspecified",
                        "percentage of diagnosis codes that are unspecified",
                    )
                },
            ),
            hit="l.long_title ILIKE '%unspecified'",
            no_route=CODED_ONLY,
        )
    )


@kind(Intent.DIAGNOSES)
def procedure_titles() -> Stream:
    """Every coded procedure by its title."""
    return Stream(
        target=code_rows(ANY_PROCEDURE, "procedure code", "procedures_icd", ("chartdate",)),
        label=PROCEDURES,
        named=SAME_CODE,
        words=Phrases(
            event="coded procedure",
            events="coded procedures",
            entries="procedure titles",
            listed="procedures, by their titles, were coded",
            tally="procedures",
            counts=f"billed procedure codes with a date, {DATED_TITLES}",
            own={
                "first_names": (
                    "which procedures, by their titles, were coded on the first day with any {when}",
                    "titles of the first coded procedures",
                ),
                "last_names": (
                    "which procedures, by their titles, were coded on the last day with any {when}",
                    "titles of the last coded procedures",
                ),
                "nth_names": (
                    "which procedures, by their titles, were coded on the {nth} day with any {when}",
                    "titles of the procedures of the {nth} day with any",
                ),
            },
        ),
        time="CAST(x.chartdate AS TIMESTAMP)",
        text="l.long_title",
        daily=True,
        no_route=CODED_ONLY,
    )


@kind(Intent.DIAGNOSES, Pool.PROCEDURE, least=3)
def group_procedure_titles(concept: Procedure) -> Stream:
    """Which forms of one procedure were coded: by which access, for how long, on how many vessels."""
    return Stream(
        target=procedure_rows(concept),
        label=PROCEDURES,
        named=SAME_CODE,
        words=Phrases(
            event=f"coded procedure for {concept.lay_name}",
            events=f"coded procedures for {concept.lay_name}",
            entries=f"titles of the coded procedures for {concept.lay_name}",
            listed=f"procedures for {concept.lay_name}, by their titles, were coded",
            tally="titles",
            counts=f"billed procedure codes with a date, {DATED_TITLES}",
        ),
        time="CAST(x.chartdate AS TIMESTAMP)",
        text="l.long_title",
        daily=True,
        definition=concept.definition,
        no_route=CODED_ONLY,
    )
