"""omr: weight, height, body mass index and blood pressure as written down in the clinic."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from assets.synthetic import faults
from assets.synthetic.block import Block
from assets.synthetic.columns import DAY, dates, pick, table, whole, words
from assets.synthetic.draws import AnyArray, mix
from assets.synthetic.word_lists import GROUP

_NAMES = ("Weight (Lbs)", "Height (Inches)", "BMI (kg/m2)", "Blood Pressure")
_WEIGHT, _HEIGHT, _BMI, _PRESSURE = range(4)
_POUNDS, _INCH = 2.20462, 2.54


def _texts(values: AnyArray, decimals: int) -> list[str]:
    return [f"{value:.{decimals}f}" for value in values.tolist()]


def omr(block: Block) -> pa.Table:
    """The table omr: every result is text, dated to the day."""
    rng = block.draws("omr")
    who, visits = block.who, block.visits
    seen = np.flatnonzero(~visits.emergency & rng.chance(len(visits.patient), 0.68))
    patient, time = visits.patient[seen], visits.time[seen]
    n = len(seen)
    day = time // DAY
    # Weight drifts over the years; the sick lose some.
    key = who.number[patient].astype(np.uint64) * np.uint64(65_537) + (day // 120).astype(np.uint64)
    wasting = who.chronic[patient][:, GROUP["metastatic_cancer"]] * 0.04
    kilograms = who.weight_kg[patient] * (1 + 0.035 * mix(key, 3) + 0.008 * rng.normal(n) - wasting)
    pounds = np.round(kilograms * _POUNDS, np.where(True, 1, 0))
    inches = np.round(who.height_cm[patient] / _INCH * 2) / 2
    feet = rng.chance(n, faults.HEIGHT_IN_FEET)
    inches = np.where(feet, np.floor(inches / 12), inches)
    bmi = np.round(pounds / (inches * inches) * 703.07, 1)
    high = 12.0 * (who.chronic[patient][:, GROUP["essential_hypertension"]]) + 0.22 * (who.age[patient] - 50)
    high = high + 10.0 * who.chronic[patient][:, GROUP["hypertensive_heart_kidney"]]
    systolic = np.clip(121 + high + 9 * mix(key, 4) + 8 * rng.normal(n), 82, 215)
    diastolic = np.clip(0.42 * systolic + 24 + 5 * rng.normal(n), 40, 120)
    given = {
        _WEIGHT: rng.chance(n, 0.82),
        _HEIGHT: rng.chance(n, 0.32),
        _BMI: rng.chance(n, 0.66),
        _PRESSURE: rng.chance(n, 0.78),
    }
    whole_pounds = rng.chance(n, 0.55)
    texts = {
        _WEIGHT: [
            f"{value:.0f}" if plain else f"{value:.2f}"
            for value, plain in zip((kilograms * _POUNDS).tolist(), whole_pounds.tolist(), strict=True)
        ],
        _HEIGHT: [f"{value:g}" for value in inches.tolist()],
        _BMI: _texts(bmi, 1),
        _PRESSURE: [
            f"{high:.0f}/{low:.0f}"
            for high, low in zip(np.rint(systolic).tolist(), np.rint(diastolic).tolist(), strict=True)
        ],
    }
    where = np.concatenate([np.flatnonzero(given[kind]) for kind in range(4)])
    kind = np.concatenate([np.full(int(given[k].sum()), k) for k in range(4)])
    value = [texts[k][i] for k, i in zip(kind.tolist(), where.tolist(), strict=True)]
    # Entered again the same day; now and then with another value.
    again = np.flatnonzero(rng.chance(len(where), faults.OMR_REPEATED))
    conflict = np.flatnonzero(rng.chance(len(where), faults.OMR_CONFLICT))
    value += [value[i] for i in again.tolist()]
    value += [_another(value[i], int(kind[i])) for i in conflict.tolist()]
    copy = np.concatenate([np.arange(len(where)), again, conflict])
    where, kind = where[copy], kind[copy]
    sequence = np.concatenate(
        [np.ones(len(copy) - len(again) - len(conflict), np.int64), np.full(len(again), 2), np.full(len(conflict), 3)]
    )
    order = np.lexsort((sequence, kind, time[where]))
    order = order[np.argsort(patient[where][order], kind="stable")]
    return table(
        "omr",
        {
            "subject_id": whole(who.subject_id[patient[where]][order]),
            "chartdate": dates(time[where][order]),
            "seq_num": whole(sequence[order]),
            "result_name": pick(kind[order], words(_NAMES)),
            "result_value": words([value[i] for i in order.tolist()]),
        },
    )


def _another(text: str, kind: int) -> str:
    """Another plausible value: re-measured, or read off wrongly."""
    if kind == _PRESSURE:
        systolic, _, diastolic = text.partition("/")
        return f"{int(systolic) + 8}/{int(diastolic) + 4}"
    number = float(text)
    return f"{number * 1.012:.1f}" if kind != _HEIGHT else f"{number + 0.5:g}"
