"""Noise operator: number and unit do not belong together."""

from __future__ import annotations

from functools import partial
from random import Random
from typing import Annotated, Literal

from annotated_types import Interval

from noise_ops import Fault, NotApplicable, Severity, noise_op
from noise_ops._cells import decimals, measured, number, number_sql, plausible, written, written_sql
from noise_ops._edits import chosen_targets, overlay, rewritten, without_routes
from noise_ops._worlds import like_model, siblings
from schemas.noise import Noise
from schemas.overlays import Value
from schemas.questions import Question, Record, Scope, Selection, literal


def _by_nature(selection: Selection) -> Fault:
    """A record of the sort labelled with another unit, in which its number is impossible and in the own unit is not."""
    if not (measured(selection) and selection.unit and selection.alternatives) or selection.high is None:
        raise NotApplicable("no target has another unit")
    value, low, high = number_sql(selection), selection.low or 0.0, selection.high
    label = selection.unit[0]
    wrong = " OR ".join(
        f"({label} = {literal(unit)} AND {value} / {factor!r} NOT BETWEEN {low!r} AND {high!r})"
        for unit, factor in selection.alternatives
    )
    return Fault(f"{value} BETWEEN {low!r} AND {high!r} AND ({wrong})", like_model(selection.unit))


@noise_op(
    level="value",
    promise="abstention",
    severities={
        "half": Severity({"share": 0.5}, promise="recomputed"),
        "label": {"what": "label"},
        "number": {"what": "number"},
    },
    realism=(17, 21, 28, 29, 74),
    natural=_by_nature,
)
def unit_mislabel(
    question: Question,
    rng: Random,
    *,
    what: Literal["label", "number"] = "label",
    share: Annotated[float, Interval(gt=0, le=1)] = 1.0,
) -> Noise:
    """Give the number another unit's label, or the label another unit's number.

    A form has one field for two customs: Fahrenheit is typed under Celsius, feet under inches, grams under milligrams,
    and MIMIC-IV has all of these. The two cells contradict what is possible in a patient, and do not say which of them
    is wrong.

    Limits: only where the concept has another unit, and only where the result is impossible as it reads: a value that
    could also be true in the wrong unit would not be noise but a lie. Of a population a few records are looked at.

    Args:
        question: The clean question.
        rng: The only source of randomness.
        what: `label` changes the unit and keeps the number, `number` converts the number and keeps the unit.
        share: Share of the records to spoil, at least one.

    Raises:
        NotApplicable: No target has another unit in which its numbers would be impossible.

    Examples:
        >>> from schemas.examples import first_lactate, inr_range, median_glucose
        >>> [lactate] = unit_mislabel(first_lactate(4.2), Random(0), what="number").overlay.edits
        >>> lactate.before, lactate.after
        ({'valuenum': 4.2, 'value': '4.2'}, {'valuenum': 37.8, 'value': '37.8'})

        >>> unit_mislabel(inr_range(), Random(0))
        Traceback (most recent call last):
        noise_ops.registry.NotApplicable: no target has another unit
        >>> unit_mislabel(first_lactate(4.2), Random(0))
        Traceback (most recent call last):
        noise_ops.registry.NotApplicable: no other unit makes every value impossible
    """
    targets = [s for s in chosen_targets(question, share) if measured(s) and s.alternatives]
    targets = [s for s in targets if s.unit or what == "number"]
    if not targets:
        raise NotApplicable("no target has another unit")
    edits = []
    for selection in targets:
        unit, factor = rng.choice(_impossible(question, selection, what))
        row = partial(_spoilt, selection, unit, factor, what)
        put = _spoilt_sql(selection, unit, factor, what) if question.scope is Scope.POPULATION else {}
        edits.append(rewritten(question, selection, share, rng, row, put))
    return Noise(overlay=overlay(*edits, without_routes(question, rng)), worlds=siblings(question, rng))


def _impossible(question: Question, selection: Selection, what: str) -> list[tuple[str, float]]:
    """The other units in which no value, or none of a few of a population's, is possible as it will read."""
    population = question.scope is Scope.POPULATION
    records = question.around.peers.get("target", ()) if population else question.records_of(selection)
    values = [value for record in records if (value := _number(record, selection)) is not None]
    found = []
    for unit, factor in selection.alternatives:
        # Labelled so, the number would mean value / factor in the unit asked for; converted, it reads value * factor.
        read = [value * factor if what == "number" else value / factor for value in values]
        if read and not any(plausible(value, selection) for value in read):
            found.append((unit, factor))
    if not found:
        raise NotApplicable("no other unit makes every value impossible")
    return found


def _number(record: Record, selection: Selection) -> float | None:
    return number(record, selection) if record.table == selection.table else None


def _spoilt(selection: Selection, unit: str, factor: float, what: str, record: Record) -> dict[str, Value] | None:
    value = number(record, selection)
    if value is None:
        return None
    if what == "label":
        return dict.fromkeys(selection.unit, unit)
    return written(selection, round(value * factor, decimals(value)))


def _spoilt_sql(selection: Selection, unit: str, factor: float, what: str) -> dict[str, str]:
    if what == "label":
        return dict.fromkeys(selection.unit, literal(unit))
    return written_sql(selection, f"round({number_sql(selection)} * {factor!r}, 2)")
