"""One measure of the records of one unit, by the words of each selector. None: no answer is right."""

from __future__ import annotations

import math
import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from itertools import combinations, groupby, pairwise
from typing import Any

from tests.recompute.hospital import Seen

Made = Any
"""A number, a truth, a time, a date, a set of names, or None."""

SELECTORS: dict[str, Callable[[Seen], Made]] = {}


def selector(make: Callable[[Seen], Made]) -> Callable[[Seen], Made]:
    """Register the measure under the function's name, without a trailing underscore."""
    SELECTORS[make.__name__.rstrip("_")] = make
    return make


def hours(length: timedelta) -> float:
    """A length in hours."""
    return length / timedelta(hours=1)


def agreed(values: Iterable[Any]) -> Any:
    """The one value all agree on; None if they differ or there is none."""
    found = set(values)
    return found.pop() if len(found) == 1 else None


def by_time(seen: Seen, what: list[Any]) -> list[tuple[datetime, list[Any]]]:
    """What was recorded at each time, in the order of time."""
    at: dict[datetime, list[Any]] = defaultdict(list)
    for t, thing in zip(seen.t, what, strict=True):
        at[t].append(thing)
    return sorted(at.items())


def worst_of(seen: Seen, values: Iterable[float]) -> float:
    """The value that worries most."""
    return max(values) if seen.worse == "high" else min(values)


def points(seen: Seen) -> list[tuple[datetime, float]]:
    """One value for each time, the more worrying where several share it."""
    return [(t, worst_of(seen, values)) for t, values in by_time(seen, seen.v)]


def stretches(seen: Seen) -> list[tuple[datetime, datetime]]:
    """The records' times cut to the window, those that touch or overlap made one."""
    joined: list[tuple[datetime, datetime]] = []
    for start, end in sorted(zip(seen.t, seen.t2, strict=True)):
        if seen.lo is not None and seen.hi is not None:
            start, end = max(start, seen.lo), min(end, seen.hi)
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined


def named(seen: Seen) -> Seen:
    """The records that have a name."""
    kept = [i for i, name in enumerate(seen.name) if name is not None]
    return Seen(t=[seen.t[i] for i in kept] if seen.t else [], name=[seen.name[i] for i in kept], nth=seen.nth)


def nth_group(seen: Seen, what: list[Any]) -> list[Any] | None:
    """What was recorded at the nth time; records of one time count as one in the order."""
    groups = by_time(seen, what)
    return groups[seen.nth - 1][1] if len(groups) >= seen.nth else None


# Values


@selector
def first(seen: Seen) -> Made:
    return agreed(by_time(seen, seen.v)[0][1]) if seen.v else None


@selector
def last(seen: Seen) -> Made:
    return agreed(by_time(seen, seen.v)[-1][1]) if seen.v else None


@selector
def nth(seen: Seen) -> Made:
    group = nth_group(seen, seen.v)
    return agreed(group) if group else None


@selector
def only(seen: Seen) -> Made:
    return agreed(seen.v)


@selector
def highest(seen: Seen) -> Made:
    return max(seen.v, default=None)


@selector
def lowest(seen: Seen) -> Made:
    return min(seen.v, default=None)


@selector
def worst(seen: Seen) -> Made:
    return worst_of(seen, seen.v) if seen.v else None


@selector
def mean(seen: Seen) -> Made:
    return math.fsum(seen.v) / len(seen.v) if seen.v else None


@selector
def median(seen: Seen) -> Made:
    return statistics.median(seen.v) if seen.v else None


@selector
def total(seen: Seen) -> Made:
    return math.fsum(seen.v) if seen.v else None


@selector
def per_hour(seen: Seen) -> Made:
    if not seen.v or seen.lo is None or seen.hi is None:
        return None
    return math.fsum(seen.v) / hours(seen.hi - seen.lo)


@selector
def change(seen: Seen) -> Made:
    groups = by_time(seen, seen.v)
    if len(groups) < 2:
        return None
    start, end = agreed(groups[0][1]), agreed(groups[-1][1])
    return None if start is None or end is None else end - start


@selector
def range_(seen: Seen) -> Made:
    return max(seen.v) - min(seen.v) if len(set(seen.t)) >= 2 else None


@selector
def rise_48h(seen: Seen) -> Made:
    pairs = [
        max(later) - min(earlier)
        for (t, earlier), (u, later) in combinations(by_time(seen, seen.v), 2)
        if u - t <= timedelta(hours=48)
    ]
    return max(pairs, default=None)


@selector
def trend(seen: Seen) -> Made:
    if len(set(seen.t)) < 3:
        return None
    days = [(t - min(seen.t)) / timedelta(days=1) for t in seen.t]
    return statistics.linear_regression(days, seen.v).slope


@selector
def variation(seen: Seen) -> Made:
    if len(set(seen.t)) < 3 or not math.fsum(seen.v):
        return None
    return 100 * statistics.stdev(seen.v) / statistics.mean(seen.v)


@selector
def time_weighted_mean(seen: Seen) -> Made:
    held = [(hours(u - t), v) for (t, v), (u, _) in pairwise(points(seen))]
    return math.fsum(h * v for h, v in held) / math.fsum(h for h, _ in held) if held else None


# Beyond a threshold


@selector
def ever_beyond(seen: Seen) -> Made:
    return any(map(seen.beyond, seen.v)) if seen.v else None


@selector
def share_beyond(seen: Seen) -> Made:
    return 100 * sum(map(seen.beyond, seen.v)) / len(seen.v) if seen.v else None


@selector
def hours_beyond(seen: Seen) -> Made:
    if len(set(seen.t)) < 2:
        return None
    return math.fsum(hours(u - t) for (t, v), (u, _) in pairwise(points(seen)) if seen.beyond(v))


@selector
def hours_to_beyond(seen: Seen) -> Made:
    reached = [t for t, v in zip(seen.t, seen.v, strict=True) if seen.beyond(v)]
    return hours(min(reached) - seen.origin) if reached and seen.origin else None


@selector
def longest_run(seen: Seen) -> Made:
    runs = [len(list(run)) for beyond, run in groupby(points(seen), lambda point: seen.beyond(point[1])) if beyond]
    return max(runs, default=0) if seen.v else None


@selector
def recovery(seen: Seen) -> Made:
    course = points(seen)
    if not course:
        return None
    extreme = worst_of(seen, seen.v)
    if not seen.beyond(extreme):
        return None
    peak = max(t for t, v in course if v == extreme)
    over = [t for t, v in course if t > peak and not seen.beyond(v)]
    return hours(min(over) - peak) if over else None


# Times


@selector
def first_time(seen: Seen) -> Made:
    return min(seen.t, default=None)


@selector
def last_time(seen: Seen) -> Made:
    return max(seen.t, default=None)


@selector
def nth_time(seen: Seen) -> Made:
    times = sorted(set(seen.t))
    return times[seen.nth - 1] if len(times) >= seen.nth else None


@selector
def worst_time(seen: Seen) -> Made:
    if not seen.v:
        return None
    extreme = worst_of(seen, seen.v)
    return agreed(t for t, v in zip(seen.t, seen.v, strict=True) if v == extreme)


@selector
def first_of(seen: Seen) -> Made:
    return min((t for t, hit in zip(seen.t, seen.hit, strict=True) if hit), default=None)


@selector
def hours_to_first(seen: Seen) -> Made:
    return hours(min(seen.t) - seen.origin) if seen.t and seen.origin else None


@selector
def hours_to_nth(seen: Seen) -> Made:
    moment = nth_time(seen)
    return hours(moment - seen.origin) if moment and seen.origin else None


@selector
def days_to_first(seen: Seen) -> Made:
    return (min(seen.t).date() - seen.origin.date()).days if seen.t and seen.origin else None


@selector
def longest_gap(seen: Seen) -> Made:
    return max((hours(later - earlier) for earlier, later in pairwise(sorted(set(seen.t)))), default=None)


@selector
def largest_day(seen: Seen) -> Made:
    totals: dict[Any, list[float]] = defaultdict(list)
    for t, v in zip(seen.t, seen.v, strict=True):
        totals[t.date()].append(v)
    # Amounts are stored with the noise of 32-bit floats: 999.99998 ml and 1000.00001 ml are the same total.
    sums = {day: round(math.fsum(values), 3) for day, values in totals.items()}
    return agreed(day for day, total_ in sums.items() if total_ == max(sums.values()))


# Counts and shares


@selector
def any_of(seen: Seen) -> Made:
    return any(seen.hit) if seen.hit else None


@selector
def count_of(seen: Seen) -> Made:
    return sum(map(bool, seen.hit)) if seen.hit else None


@selector
def share_of(seen: Seen) -> Made:
    return 100 * sum(map(bool, seen.hit)) / len(seen.hit) if seen.hit else None


@selector
def days_of(seen: Seen) -> Made:
    return len({t.date() for t, hit in zip(seen.t, seen.hit, strict=True) if hit}) if seen.hit else None


@selector
def times_of(seen: Seen) -> Made:
    return len({h for h, hit in zip(seen.hadm_id, seen.hit, strict=True) if hit}) if seen.hit else None


@selector
def days_with(seen: Seen) -> Made:
    return len({t.date() for t in seen.t}) or None


# Stretches


@selector
def covered(seen: Seen) -> Made:
    return math.fsum(hours(end - start) for start, end in stretches(seen)) if seen.t else None


@selector
def episodes(seen: Seen) -> Made:
    return len(stretches(seen)) or None


@selector
def longest_stretch(seen: Seen) -> Made:
    return max((hours(end - start) for start, end in stretches(seen)), default=None)


@selector
def longest_pause(seen: Seen) -> Made:
    return max((hours(after[0] - before[1]) for before, after in pairwise(stretches(seen))), default=None)


# Names


@selector
def names(seen: Seen) -> Made:
    return set(named(seen).name) or None


@selector
def number_of_names(seen: Seen) -> Made:
    return len(set(named(seen).name)) or None


@selector
def most_frequent(seen: Seen) -> Made:
    counts = Counter(named(seen).name)
    return {name for name, n in counts.items() if n == max(counts.values())} or None


@selector
def first_names(seen: Seen) -> Made:
    seen = named(seen)
    return set(by_time(seen, seen.name)[0][1]) if seen.name else None


@selector
def last_names(seen: Seen) -> Made:
    seen = named(seen)
    return set(by_time(seen, seen.name)[-1][1]) if seen.name else None


@selector
def agreed_name(seen: Seen) -> Made:
    seen = named(seen)
    name = agreed(seen.name)
    return None if name is None else {name}


@selector
def nth_names(seen: Seen) -> Made:
    seen = named(seen)
    group = nth_group(seen, seen.name)
    return set(group) if group else None


@selector
def new_names(seen: Seen) -> Made:
    seen = named(seen)
    groups = by_time(seen, seen.name)
    if len(groups) < 2:
        return None
    return set(groups[-1][1]) - {name for _, group in groups[:-1] for name in group} or None
