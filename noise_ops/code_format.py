"""Noise operator: an ICD code is written in another format, or has lost its leading zeros."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from random import Random
from typing import Annotated, Literal

from annotated_types import Interval

from noise_ops import NotApplicable, Severity, noise_op
from noise_ops._edits import chosen_targets, overlay, rewritten
from noise_ops._worlds import siblings
from schemas.concepts import rows
from schemas.noise import Noise
from schemas.overlays import Edit, Value
from schemas.questions import Question, Record, Scope, Selection, literal

WIDTH = 7
"""Characters of `icd_code` in the first versions of MIMIC-IV, where shorter codes were filled up with blanks."""

AMBIGUOUS: Mapping[str, Mapping[str, str]] = {
    table: {row["icd9_code"]: row["without_zeros"] for row in rows("lost_zeros") if row["table"] == table}
    for table in ("diagnoses_icd", "procedures_icd")
}
"""By table: ICD-9 codes of our groups that mean another thing without their zeros (data/concepts/lost_zeros.csv)."""

_HEAD = {"diagnoses_icd": 3, "procedures_icd": 2}
"""Characters before the dot; four of an ICD-9 code of external causes (E888.1). ICD-10-PCS has no dot."""

Format = Literal["dot", "blank", "case", "zero"]


@noise_op(
    level="value",
    promise="abstention",
    severities={
        "dot": Severity({"written": "dot"}, promise="unchanged"),
        "blank": Severity({"written": "blank"}, promise="unchanged"),
        "case": Severity({"written": "case"}, promise="unchanged"),
        "zero": {"written": "zero"},
    },
    realism=(52,),
)
def code_format(
    question: Question,
    rng: Random,
    *,
    written: Format = "zero",
    share: Annotated[float, Interval(gt=0, le=1)] = 1.0,
) -> Noise:
    """Write ICD codes with their dot, filled up with blanks, in lower case, or without their leading zeros.

    MIMIC-IV keeps codes as text without dots. A spreadsheet that takes them for numbers drops the zeros in front (1,739
    of the demo's 4,506 diagnosis codes are digits alone), a column of fixed width fills them up with blanks, and
    other hospitals write the dot. A dot, a blank or a small letter changes nothing for whoever compares codes
    as a coder does. A lost zero does: 038.9 is sepsis and 389 is hearing loss.

    Limits: only ICD codes. Zeros are taken from codes whose remains are the number of something else; of the others
    they can be put back. A question that gives codes back, or whose reference demands the exact spelling, changes with
    them; such a pair is dropped when its promise is checked.

    Args:
        question: The clean question.
        rng: The only source of randomness.
        written: With a `dot`, a `blank` or several, in lower `case`, or without `zero`s.
        share: Share of the codes to rewrite, at least one.

    Raises:
        NotApplicable: No target is an ICD code, or none that would be ambiguous without its zeros.

    Examples:
        >>> from schemas.examples import first_lactate
        >>> from schemas.examples_registered import sepsis_admission
        >>> for written in ("dot", "blank", "zero"):
        ...     print(code_format(sepsis_admission(), Random(0), written=written).overlay.edits[0].after)
        {'icd_code': '038.42'}
        {'icd_code': '03842  '}
        {'icd_code': '3842'}

        >>> code_format(first_lactate(), Random(0))
        Traceback (most recent call last):
        noise_ops.registry.NotApplicable: no target is an ICD code
    """
    targets = [s for s in chosen_targets(question, share) if "icd_code" in s.names and s.table in AMBIGUOUS]
    if not targets:
        raise NotApplicable("no target is an ICD code")
    if written == "zero":
        edits = [edit for selection in targets for edit in _without_zeros(question, selection, share, rng)]
        if not edits:
            raise NotApplicable("no code is ambiguous without its zeros")
        return Noise(overlay=overlay(edits), worlds=siblings(question, rng))
    rewrites = [
        rewritten(question, s, share, rng, partial(_row, s.table, written), {"icd_code": _sql(s.table, written)})
        for s in targets
    ]
    return Noise(overlay=overlay(*rewrites), worlds=siblings(question, rng))


def _without_zeros(question: Question, selection: Selection, share: float, rng: Random) -> tuple[Edit, ...]:
    """Edits that take the zeros from the ambiguous codes; nothing where there are none."""
    short = AMBIGUOUS[selection.table]

    def row(record: Record) -> dict[str, Value] | None:
        code = record["icd_code"]
        return {"icd_code": short[code]} if record["icd_version"] == 9 and code in short else None

    if question.scope is Scope.POPULATION and not any(code[:3] in selection.concept for code in short):
        return ()
    whens = " ".join(f"WHEN {literal(code)} THEN {literal(rest)}" for code, rest in short.items())
    put = {"icd_code": f"CASE WHEN icd_version = 9 THEN CASE icd_code {whens} ELSE icd_code END ELSE icd_code END"}
    return rewritten(question, selection, share, rng, row, put)


def _row(table: str, written: Format, record: Record) -> dict[str, Value] | None:
    code = record["icd_code"]
    if code is None:
        return None
    match written:
        case "blank":
            return {"icd_code": code.ljust(WIDTH)}
        case "case":
            return {"icd_code": code.lower()}
        case _:
            head = _HEAD[table] + (record["icd_version"] == 9 and code.startswith("E"))
            dotless = len(code) <= head or (table == "procedures_icd" and record["icd_version"] == 10)
            return None if dotless else {"icd_code": f"{code[:head]}.{code[head:]}"}


def _sql(table: str, written: Format) -> str:
    """The same of every code."""
    match written:
        case "blank":
            return f"rpad(icd_code, {WIDTH}, ' ')"
        case "case":
            return "lower(icd_code)"
        case _:
            head = f"{_HEAD[table]} + CAST(icd_version = 9 AND starts_with(icd_code, 'E') AS INTEGER)"
            dotless = f"length(icd_code) <= {head}" + (" OR icd_version = 10" if table == "procedures_icd" else "")
            dotted = f"concat(left(icd_code, {head}), '.', substr(icd_code, {head} + 1))"
            return f"CASE WHEN {dotless} THEN icd_code ELSE {dotted} END"
