"""Diagnoses: codes with their ICD version. `diagnoses_icd` has no time, so a code is dated by its admission."""

from __future__ import annotations

from dataclasses import replace

from assets.questions.grammar import Phrases, Stream
from assets.questions.kinds._kind import kind
from assets.questions.records import by_admission, diagnosis_codes, known
from assets.questions.sql import coded
from schemas.concepts import Coded, DiagnosisGroup, Pool, Procedure
from schemas.questions import Intent, Role, Selection

CODED = "CAST(x.icd_version AS VARCHAR) || ':' || x.icd_code"
"""A code as text with its version, since a string may mean two things: `9:4280`."""
CODED_ONLY = "the question asks what was coded; DRG descriptions and charted procedures name families, never codes"


ANY_CODE = f"{known('diagnoses_icd', 'icd_code')} AND icd_version IN (9, 10)"
ANY_PROCEDURE = f"{known('procedures_icd', 'icd_code')} AND icd_version IN (9, 10) AND chartdate IS NOT NULL"


def _hit(group: Coded) -> str:
    return coded(group).replace("icd_version", "x.icd_version").replace("icd_code", "x.icd_code")


def code_rows(support: str, label: str, table: str = "diagnoses_icd", time: tuple[str, ...] = ()) -> Selection:
    """Codes of a billing record, whatever they mean."""
    return Selection(
        name="",
        role=Role.TARGET,
        table=table,
        support=support,
        label=label,
        time=time,
        names=("icd_code", "icd_version"),
    )


def procedure_rows(concept: Procedure) -> Selection:
    """Codes of one procedure that have a date."""
    label = f"procedure code for {concept.lay_name}"
    return replace(code_rows("chartdate IS NOT NULL", label, "procedures_icd", ("chartdate",)), concept=coded(concept))


@kind(Intent.DIAGNOSES, Pool.DIAGNOSIS, least=4)
def diagnosis(concept: DiagnosisGroup) -> Stream:
    """Codes of one disease, among all codes: "no" needs an admission that was coded at all."""
    return by_admission(
        Stream(
            target=code_rows(ANY_CODE, "diagnosis code"),
            words=Phrases(
                happened=f"was {concept.lay_name} coded",
                counted=f"diagnosis codes for {concept.lay_name} were recorded",
                events=f"codes for {concept.lay_name}",
                whole="diagnosis codes",
                part=f"codes for {concept.lay_name}",
                tally="codes",
                counts="billed diagnosis codes of any position, dated by their admission",
            ),
            hit=_hit(concept),
            definition=concept.definition,
            no_route=CODED_ONLY,
        )
    )


@kind(Intent.DIAGNOSES, Pool.DIAGNOSIS, least=4)
def coded_admission(concept: DiagnosisGroup) -> Stream:
    """Admissions coded with one disease, as events."""
    return by_admission(
        Stream(
            target=diagnosis_codes(concept),
            words=Phrases(
                event=f"admission coded with {concept.lay_name}",
                events=f"admissions coded with {concept.lay_name}",
                counts="admissions that end after they begin and have such a code in any position",
                own={
                    "first_time": (
                        f"when did the first admission coded with {concept.lay_name} begin {{when}}",
                        f"time of the first admission coded with {concept.lay_name}",
                    ),
                    "last_time": (
                        f"when did the last admission coded with {concept.lay_name} begin {{when}}",
                        f"time of the last admission coded with {concept.lay_name}",
                    ),
                    "nth_time": (
                        f"when did the {{nth}} admission coded with {concept.lay_name} begin {{when}}",
                        f"time of the {{nth}} admission coded with {concept.lay_name}",
                    ),
                    "hours_to_first": (
                        f"how many hours after {{start}} did the next admission coded with {concept.lay_name} "
                        "begin {when}",
                        f"number of hours from {{start}} to the next admission coded with {concept.lay_name}",
                    ),
                    "longest_gap": (
                        f"what was the longest time from the beginning of one admission coded with {concept.lay_name} "
                        "to the beginning of the next {when}",
                        f"longest time between the beginnings of two admissions coded with {concept.lay_name}",
                    ),
                },
            ),
            definition=concept.definition,
            no_route=CODED_ONLY,
        )
    )


@kind(Intent.DIAGNOSES, Pool.DIAGNOSIS, least=4)
def code_position(concept: DiagnosisGroup) -> Stream:
    """Position of a disease among the codes of an admission: main problem or bystander."""
    return by_admission(
        Stream(
            target=Selection(
                name="",
                role=Role.TARGET,
                table="diagnoses_icd",
                concept=coded(concept),
                support="seq_num >= 1",
                label=f"diagnosis code for {concept.lay_name}",
                value=("seq_num",),
                names=("icd_code", "icd_version"),
                low=1.0,
            ),
            words=Phrases(
                value=f"position of {concept.lay_name} among the diagnosis codes",
                counts="billed diagnosis codes with a position (seq_num) of 1, the principal diagnosis, or more",
            ),
            value="x.seq_num",
            unit="position",
            counted=True,
            worse="low",
            threshold=3.0,
            definition=concept.definition,
            no_route=CODED_ONLY,
        )
    )


@kind(Intent.DIAGNOSES)
def codes() -> Stream:
    """All diagnosis codes."""
    return by_admission(
        Stream(
            target=code_rows(ANY_CODE, "diagnosis code"),
            words=Phrases(
                entries="diagnosis codes",
                listed="diagnosis codes were recorded",
                tally="codes",
                own={
                    "new_names": (
                        "which diagnosis codes did the latest admission have that no earlier admission had {when}",
                        "diagnosis codes of the latest admission that no earlier admission had",
                    )
                },
                counts="billed diagnosis codes, dated by their admission and written as version:code, for instance "
                "9:4280",
            ),
            text=CODED,
            no_route=CODED_ONLY,
        )
    )


@kind(Intent.DIAGNOSES)
def principal() -> Stream:
    """The principal diagnosis: position 1."""
    return by_admission(
        Stream(
            target=code_rows(
                f"seq_num = 1 AND {ANY_CODE}",
                "principal diagnosis code",
            ),
            words=Phrases(
                entries="principal diagnosis codes",
                listed="principal diagnosis codes were recorded",
                counts="diagnosis codes with seq_num 1, dated by their admission and written as version:code, for "
                "instance 9:4280",
                own={
                    "names_once": ("what was the principal diagnosis code {when}", "principal diagnosis code"),
                    "first_names": (
                        "what was the principal diagnosis code of the first admission {when}",
                        "principal diagnosis codes of the first admission",
                    ),
                    "nth_names": (
                        "what was the principal diagnosis code of the {nth} admission {when}",
                        "principal diagnosis codes of the {nth} admission",
                    ),
                    "last_names": (
                        "what was the principal diagnosis code of the last admission {when}",
                        "principal diagnosis codes of the last admission",
                    ),
                },
            ),
            text=CODED,
            no_route=CODED_ONLY,
        )
    )


@kind(Intent.DIAGNOSES, Pool.PROCEDURE, least=3)
def procedure(concept: Procedure) -> Stream:
    """Coded procedures of one sort: a date without a time, and half of the days hold several."""
    return Stream(
        target=procedure_rows(concept),
        words=Phrases(
            event=f"coded procedure for {concept.lay_name}",
            events=f"coded procedures for {concept.lay_name}",
            counts="billed procedure codes with a date, compared by day",
            own={
                "first_time": (
                    f"on which day was {concept.lay_name} first coded as a procedure {{when}}",
                    f"first day with a coded procedure for {concept.lay_name}",
                ),
                "days_to_first": (
                    f"how many calendar days after {{start}} was {concept.lay_name} first coded as a procedure "
                    "{when}",
                    f"number of calendar days from {{start}} to the first coded procedure for {concept.lay_name}",
                ),
                "last_time": (
                    f"on which day was {concept.lay_name} last coded as a procedure {{when}}",
                    f"last day with a coded procedure for {concept.lay_name}",
                ),
                "nth_time": (
                    f"on which day was {concept.lay_name} coded as a procedure for the {{nth}} time {{when}}",
                    f"{{nth}} day with a coded procedure for {concept.lay_name}",
                ),
            },
        ),
        time="CAST(x.chartdate AS TIMESTAMP)",
        daily=True,
        definition=concept.definition,
        no_route=CODED_ONLY,
    )


@kind(Intent.DIAGNOSES)
def procedure_codes() -> Stream:
    """All coded procedures."""
    return Stream(
        target=code_rows(
            ANY_PROCEDURE,
            "procedure code",
            "procedures_icd",
            ("chartdate",),
        ),
        words=Phrases(
            event="coded procedure",
            events="coded procedures",
            entries="procedure codes",
            listed="procedure codes were recorded",
            counts="billed procedure codes with a date, compared by day and written as version:code, "
            "for instance 9:3995",
            own={
                "first_names": (
                    "which procedures were coded on the first day with any {when}",
                    "procedure codes of the first day with any",
                ),
                "last_names": (
                    "which procedures were coded on the last day with any {when}",
                    "procedure codes of the last day with any",
                ),
                "nth_names": (
                    "which procedures were coded on the {nth} day with any {when}",
                    "procedure codes of the {nth} day with any",
                ),
                "days_with": (
                    "on how many different calendar days was any procedure coded {when}",
                    "number of different calendar days with a coded procedure",
                ),
            },
        ),
        time="CAST(x.chartdate AS TIMESTAMP)",
        text=CODED,
        daily=True,
        no_route=CODED_ONLY,
    )
