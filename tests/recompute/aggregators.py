"""What becomes of the measures of a cohort, by the words of each aggregator. None: no answer is right."""

from __future__ import annotations

import math
import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tests.recompute.hospital import Hospital, UnitRow, stated

LEAST = 5
"""Units that an answer, and each group of one, rests on."""


@dataclass(frozen=True)
class Measures:
    """The measures of the units that have one."""

    hospital: Hospital
    unit: str
    """`admission`, `stay` or `patient`."""
    of: Mapping[UnitRow, Any]
    beyond: Callable[[float], bool]
    """The limit that `share_beyond` names."""
    lowest_first: bool = False
    """Whether the lowest measure is the most worrying."""

    @property
    def values(self) -> list[Any]:
        """The measures alone."""
        return list(self.of.values())


def percentage(truths: list[bool]) -> float:
    """How many of a hundred are true."""
    return 100 * sum(truths) / len(truths)


def _p90(values: list[float]) -> float:
    """The 90th percentile, interpolated linearly between neighbours."""
    place = 0.9 * (len(values) - 1)
    low = math.floor(place)
    near = sorted(values)[low : low + 2]
    return near[0] + (place - low) * (near[-1] - near[0])


def _number(of: Callable[[list[Any]], float]) -> Callable[[Measures], Any]:
    return lambda measures: of(measures.values) if len(measures.of) >= LEAST else None


def _share_beyond(measures: Measures) -> Any:
    return percentage([measures.beyond(m) for m in measures.values]) if len(measures.of) >= LEAST else None


def _top_unit(measures: Measures) -> Any:
    if len(measures.of) < LEAST:
        return None
    rounded = {u.uid: round(m, 6) for u, m in measures.of.items()}
    most = min(rounded.values()) if measures.lowest_first else max(rounded.values())
    holders = [uid for uid, m in rounded.items() if m == most]
    return str(holders[0]) if len(holders) == 1 else None


def _top_names(measures: Measures) -> Any:
    counts = Counter(name for names in measures.values for name in names)
    counts = Counter({name: n for name, n in counts.items() if n >= LEAST})
    rows = [{"name": name, "units": n} for name, n in counts.items() if sum(m > n for m in counts.values()) < 3]
    return rows or None


def _grouped(key: Callable[[Measures], Callable[[UnitRow], Any]]) -> Callable[[Measures], Any]:
    """Median or percentage of every group of at least five units."""

    def final(measures: Measures) -> Any:
        of, groups = key(measures), defaultdict(list)
        for unit, m in measures.of.items():
            groups[of(unit)].append(m)
        rows = [
            {"group": group, "value": _middle(values), "units": len(values)}
            for group, values in groups.items()
            if group is not None and len(values) >= LEAST
        ]
        return rows or None

    return final


def _middle(values: list[Any]) -> float:
    return percentage(values) if isinstance(values[0], bool) else statistics.median(values)


def _column(table: str, link: str, column: str) -> Callable[[Measures], Callable[[UnitRow], Any]]:
    """The group that a column states of the patient, the admission or the stay."""

    def key(measures: Measures) -> Callable[[UnitRow], Any]:
        frame = measures.hospital[table].filter(stated(table, column))
        of = dict(frame.select(link, column).iter_rows())
        return lambda u: of.get(getattr(u, link))

    return key


def _outcome(measures: Measures) -> Callable[[UnitRow], Any]:
    flags = dict(measures.hospital["admissions"].select("hadm_id", "hospital_expire_flag").iter_rows())
    return lambda u: {1: "died", 0: "survived"}.get(flags.get(u.hadm_id))


def _age_band(measures: Measures) -> Callable[[UnitRow], Any]:
    people = measures.hospital["patients"].select("subject_id", "anchor_age", "anchor_year")
    known = {subject: (age, year) for subject, age, year in people.iter_rows() if None not in (age, year)}

    def band(u: UnitRow) -> str | None:
        if u.subject_id not in known or u.start is None:
            return None
        anchor, year = known[u.subject_id]
        age = anchor + u.start.year - year
        return "90+" if anchor > 89 or age >= 90 else f"{age // 10 * 10}-{age // 10 * 10 + 9}"

    return band


AGGREGATORS: dict[str, Callable[[Measures], Any]] = {
    "by_age_band": _grouped(_age_band),
    "by_anchor_year_group": _grouped(_column("patients", "subject_id", "anchor_year_group")),
    "by_care_unit": _grouped(_column("icustays", "stay_id", "first_careunit")),
    "by_death": _grouped(_outcome),
    "by_insurance": _grouped(_column("admissions", "hadm_id", "insurance")),
    "by_sex": _grouped(_column("patients", "subject_id", "gender")),
    "mean": _number(lambda values: math.fsum(values) / len(values)),
    "median": _number(statistics.median),
    "p90": _number(_p90),
    "share_beyond": _share_beyond,
    "share_true": _number(percentage),
    "top_names": _top_names,
    "top_unit": _top_unit,
}
