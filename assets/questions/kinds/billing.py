"""Bills in words: services under HCPCS, and the groups that admissions were billed as."""

from __future__ import annotations

from assets.questions.grammar import Phrases, Stream
from assets.questions.kinds._kind import kind
from assets.questions.kinds._labels import BILLED
from assets.questions.records import by_admission, known
from schemas.questions import Intent, Role, Selection

BILLED_ONLY = "the question asks what was billed under HCPCS"


def _lines() -> Selection:
    """HCPCS lines with a code."""
    return Selection(
        name="",
        role=Role.TARGET,
        table="hcpcsevents",
        support=known("hcpcsevents", "hcpcs_cd"),
        label="HCPCS line",
        names=("hcpcs_cd", "short_description"),
    )


@kind(Intent.COST)
def billed_service() -> Stream:
    """What was billed under HCPCS, in words."""
    return by_admission(
        Stream(
            target=_lines(),
            label=BILLED,
            named="l.code = x.hcpcs_cd",
            words=Phrases(
                event="HCPCS line",
                events="HCPCS lines",
                entries="headings of services billed under HCPCS",
                listed="headings of services were billed under HCPCS",
                tally="headings",
                counts="HCPCS lines by the short_description of their code in d_hcpcs, which for CPT codes is the "
                "heading of a chapter, dated by the admission",
            ),
            text="l.short_description",
            no_route=BILLED_ONLY,
        )
    )


@kind(Intent.COST)
def cpt_billed() -> Stream:
    """Lines of CPT category I, among all HCPCS lines: what physicians and theatres do, not supplies and hours."""
    return by_admission(
        Stream(
            target=_lines(),
            label=BILLED,
            named="l.code = x.hcpcs_cd",
            words=Phrases(
                happened="was any CPT category I service billed",
                counted="CPT category I lines were billed",
                events="CPT category I lines",
                whole="HCPCS lines",
                part="CPT category I lines",
                tally="lines",
                counts="HCPCS lines whose code is in d_hcpcs, of which category 1 is CPT category I, dated by the "
                "admission",
            ),
            hit="coalesce(l.category = 1, FALSE)",
            no_route=BILLED_ONLY,
        )
    )


@kind(Intent.COST)
def drg_billed() -> Stream:
    """What an admission was billed as: the description of its HCFA DRG."""
    return by_admission(
        Stream(
            target=Selection(
                name="",
                role=Role.TARGET,
                table="drgcodes",
                concept="drg_type = 'HCFA'",
                support=known("drgcodes", "description"),
                label="HCFA DRG",
                names=("description", "drg_code"),
            ),
            words=Phrases(
                entries="HCFA DRG descriptions billed",
                listed="HCFA DRG descriptions were billed",
                tally="descriptions",
                counts="HCFA rows of drgcodes with a description, dated by the admission",
                own={
                    "names_once": (
                        "which HCFA DRG, by its description, was billed {when}",
                        "HCFA DRG description billed",
                    ),
                    **{
                        which + "_names": (
                            f"as which HCFA DRG, by its description, was the {said} admission billed {{when}}",
                            f"HCFA DRG descriptions billed for the {said} admission",
                        )
                        for which, said in (("first", "first"), ("last", "last"), ("nth", "{nth}"))
                    },
                },
            ),
            text="x.description",
            no_route="the question names the HCFA system; APR has groups of its own",
        )
    )
