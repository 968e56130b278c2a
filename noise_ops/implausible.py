"""Noise operator: a number no living patient has."""

from __future__ import annotations

from functools import partial
from random import Random
from typing import Annotated, Literal

from annotated_types import Interval

from noise_ops import Fault, NotApplicable, Severity, noise_op
from noise_ops._cells import measured, number, number_columns, number_sql, plausible, text_columns, written, written_sql
from noise_ops._edits import chosen_targets, overlay, rewritten, without_routes
from noise_ops._worlds import like_model, siblings
from schemas.noise import Noise
from schemas.overlays import Value
from schemas.questions import Question, Record, Scope, Selection

SENTINEL = 999999.0
"""What devices and forms write for "no value"."""

RECKONED = frozenset({"patients", "drgcodes", "diagnoses_icd", "icustays"})
"""Tables whose numbers are reckoned or billed by a program, and never typed or transmitted by a device."""

_REPETITIONS = range(2, 7)

FAR = 2.0
"""How many times the highest plausible value a natural one must be: just above the bound it may be a patient's."""


def _by_nature(selection: Selection) -> Fault:
    """A record of the sort whose number is far above everything plausible, or not above zero where all are."""
    if not measured(selection) or selection.high is None or selection.high <= 0:
        raise NotApplicable("no target is a number with an upper bound")
    value = number_sql(selection)
    low = f" OR {value} <= 0" if (selection.low or 0.0) > 0 else ""
    columns = dict.fromkeys([*number_columns(selection), *text_columns(selection)])
    return Fault(f"({value} > {FAR * selection.high!r}{low})", like_model(list(columns)))


@noise_op(
    level="value",
    promise="abstention",
    severities={
        "half": Severity({"share": 0.5}, promise="recomputed"),
        "zero": {"how": "zero"},
        "concatenated": {"how": "concatenated"},
        "sentinel": {"how": "sentinel"},
    },
    realism=(10, 15, 16, 18, 20),
    natural=_by_nature,
)
def implausible(
    question: Question,
    rng: Random,
    *,
    how: Literal["sentinel", "concatenated", "zero"] = "sentinel",
    share: Annotated[float, Interval(gt=0, le=1)] = 1.0,
) -> Noise:
    """Replace numbers that carry the answer with numbers outside everything plausible.

    Monitors write 0 or 999999 for a lost signal, and a heart rate of 102 typed twice becomes 102102: MIMIC-IV 3.1 holds
    3,611 heart rates of 0 or less and 22 above 1000, and heights of 825070 inches. The cell is filled, in the right
    unit, and useless.

    Limits: the selection must say what is plausible, and the number must lie beyond that. Ages, billing levels and
    positions are reckoned by programs and have no such errors. Digits are written as often
    as it takes. A mean or a share that leaves such records out is recomputed from what remains, if anything does.

    Args:
        question: The clean question.
        rng: The only source of randomness.
        how: `sentinel` writes 999999, `zero` 0, `concatenated` the digits of the number several times over.
        share: Share of the records to spoil, at least one.

    Raises:
        NotApplicable: No target is a number with an upper bound, or what would be written is plausible.

    Examples:
        >>> from schemas.examples import discharge_destination, first_lactate
        >>> [lactate, _] = implausible(first_lactate(), Random(0)).overlay.edits
        >>> lactate.before, lactate.after
        ({'valuenum': 4.2, 'value': '4.2'}, {'valuenum': 999999.0, 'value': '999999'})
        >>> implausible(first_lactate(), Random(0), how="concatenated").overlay.edits[0].after["value"]
        '44'

        >>> implausible(discharge_destination(), Random(0))
        Traceback (most recent call last):
        noise_ops.registry.NotApplicable: no target is a number with an upper bound
    """
    targets = [s for s in chosen_targets(question, share) if measured(s) and s.high is not None]
    targets = [selection for selection in targets if selection.table not in RECKONED]
    if not targets:
        raise NotApplicable("no target is a number with an upper bound")
    spoilt = []
    for selection in targets:
        if how != "concatenated":
            instead = SENTINEL if how == "sentinel" else 0.0
            if plausible(instead, selection):
                raise NotApplicable(f"{instead:.0f} is plausible here")
            spoilt.append(question.put(selection, written(selection, instead), share, rng))
        else:
            row = partial(_concatenated, selection)
            spoilt.append(rewritten(question, selection, share, rng, row, _concatenated_sql(question, selection)))
    return Noise(overlay=overlay(*spoilt, without_routes(question, rng)), worlds=siblings(question, rng))


def _concatenated(selection: Selection, record: Record) -> dict[str, Value] | None:
    """The cells of a number whose whole part is written as often as it takes to leave the bounds."""
    value = number(record, selection)
    if value is None:
        return None
    for times in _REPETITIONS:
        repeated = float(str(abs(int(value))) * times)
        if not plausible(repeated, selection):
            return written(selection, repeated)
    raise NotApplicable("a value stays plausible however often its digits are written")


def _concatenated_sql(question: Question, selection: Selection) -> dict[str, str]:
    """The same of every record: written so often that the plausible value nearest to zero leaves the bounds too."""
    if question.scope is Scope.PATIENT:
        return {}
    low, high = selection.low or 0.0, selection.high or 0.0
    lowest = "0" if low <= 0 <= high else str(int(min(abs(low), abs(high))))
    for times in _REPETITIONS:
        if not plausible(float(lowest * times), selection):
            whole = f"CAST(CAST(floor(abs({number_sql(selection)})) AS BIGINT) AS VARCHAR)"
            return written_sql(selection, f"CAST(repeat({whole}, {times}) AS DOUBLE)")
    raise NotApplicable("the lowest value stays plausible however often its digits are written")
