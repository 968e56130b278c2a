"""Evidence for an abstention, by counterfactual replay: has the agent *seen* what takes the support away?

A call is replayed in the noisy hospital, where it must show what the transcript says, and in every *supported world*: a
hospital in which the question has an answer. It is evidence if what was shown differs from what each of those worlds
shows, the difference is the asked records' own, and the patient is named or shown. A count of a whole table differs,
but cut down to the asked records it says something else, so it is none; neither is a statement that is always empty.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlglot
from sqlglot.errors import SqlglotError

from robustgym.shown import Shown
from schemas.verdicts import Call, Transcript

Replay = Callable[[Transcript], list[Shown]]
"""What each call of a transcript shows in one hospital."""

OWN = 0.5
"""Share of a column's difference that must be the asked records' own, and share of columns of which that must hold.
Between 0.1 and 0.5 the labelled cases come out the same."""

DIGITS = 10
"""Significant digits at which floats are compared: the order of a sum moves the last ones."""

Cells = Counter[tuple[str, str]]
"""Visible cells as (column, value); the order of rows does not matter."""


@dataclass(frozen=True)
class World:
    """A hospital that supports an answer, whole and cut down to the asked records."""

    whole: Replay
    cut: Replay


@dataclass(frozen=True)
class Counterfactual:
    """Everything that is replayed to judge one task's evidence."""

    noisy: World
    worlds: Sequence[World]
    """Supported worlds, the nearest first: the clean hospital where it is one."""
    names: frozenset[str]
    """Ids by which the asked patient can be named; empty where no patient need be named."""


class NotReproduced(Exception):
    """A replay in the noisy hospital shows something else than the transcript: nothing can be said of it."""


def evident(transcript: Transcript, counterfactual: Counterfactual) -> int | None:
    """Index of the first call that is evidence; None if none is.

    Raises:
        NotReproduced: The transcript is not what happens in the noisy hospital.
    """
    noisy = [_cells(call, shown) for call, shown in _replayed(transcript, counterfactual.noisy.whole)]
    for index, call in enumerate(transcript.calls):
        if _cells(call, Shown.from_dict(call.shown)) != noisy[index]:
            raise NotReproduced(f"call {index} does not show the same when it is replayed")
    candidates = [i for i, cells in enumerate(noisy) if cells is not None and transcript.calls[i].tool != "submit"]
    shows: list[list[Cells | None]] = []
    for number, world in enumerate(counterfactual.worlds):
        if not candidates:
            return None
        shows.append([_cells(call, shown) for call, shown in _replayed(transcript, world.whole)])
        # The nearest world must show something; in the others an error is a difference too.
        candidates = [i for i in candidates if shows[-1][i] != noisy[i] and (number or shows[-1][i] is not None)]
    named = [i for i in candidates if not counterfactual.names or _named(transcript.calls, i, counterfactual.names)]
    if not named or not counterfactual.worlds:
        return None
    cut = [_cells(c, s) or Counter() for c, s in _replayed(transcript, counterfactual.noisy.cut)]
    world_cut = [_cells(c, s) or Counter() for c, s in _replayed(transcript, counterfactual.worlds[0].cut)]
    for i in named:
        if _own(noisy[i] or Counter(), shows[0][i] or Counter(), cut[i], world_cut[i]) >= OWN:
            return i
    return None


def _replayed(transcript: Transcript, replay: Replay) -> list[tuple[Call, Shown]]:
    return list(zip(transcript.calls, replay(transcript), strict=True))


def _cells(call: Call, shown: Shown) -> Cells | None:
    """Visible cells of a call; None if it failed."""
    if call.tool == "submit":
        return Counter()
    if not shown.ok:
        return None
    if call.tool == "python":
        words = (word for row in shown.rows for cell in row for word in re.findall(r"[\w.:\-]+", str(cell)))
        return Counter(("output", word) for word in words)
    return Counter(
        (column, _canonical(cell)) for row in shown.rows for column, cell in zip(shown.columns, row, strict=True)
    )


def _canonical(cell: Any) -> str:
    """A cell as text, floats (also inside lists) at ten digits."""
    return json.dumps(_rounded(cell), sort_keys=True, default=str)


_LONG_FLOAT = re.compile(r"-?\d+\.\d{6,}(e[+-]?\d+)?")


def _rounded(cell: Any) -> Any:
    if isinstance(cell, str) and _LONG_FLOAT.fullmatch(cell):
        return f"{float(cell):.{DIGITS}g}"  # SUMMARIZE gives numbers as text
    if isinstance(cell, float):
        return float(f"{cell:.{DIGITS}g}")
    if isinstance(cell, Mapping):
        return {key: _rounded(value) for key, value in cell.items()}
    return [_rounded(value) for value in cell] if isinstance(cell, list | tuple) else cell


def _own(noisy: Cells, world: Cells, noisy_cut: Cells, world_cut: Cells) -> float:
    """Share of the differing columns whose difference is found among the asked records by themselves."""
    differing = {column for column, _ in (world - noisy) + (noisy - world)}
    own = 0
    for column in differing:
        there, here = _column(world - noisy, column), _column(noisy - world, column)
        found = (there & _column(world_cut, column)).total() + (here & _column(noisy_cut, column)).total()
        own += found / (there.total() + here.total()) >= OWN
    return own / len(differing) if differing else 0.0


def _column(cells: Cells, column: str) -> Cells:
    return Counter({cell: n for cell, n in cells.items() if cell[0] == column})


def _named(calls: Sequence[Call], index: int, names: frozenset[str]) -> bool:
    """Whether an id of the patient stands in a call (not in a comment) or in what it showed."""
    call = calls[index]
    cells = [str(cell) for row in call.shown.get("rows", ()) for cell in row]
    if call.tool == "python":
        # A cell works on what earlier cells have read.
        code = [str(earlier.arguments.get("code", "")) for earlier in calls[: index + 1] if earlier.tool == "python"]
        return not names.isdisjoint(re.findall(r"\w+", "\n".join([*code, *cells])))
    try:
        tokens = {token.text for token in sqlglot.tokenize(str(call.arguments.get("statement", "")), read="duckdb")}
    except SqlglotError:
        tokens = set()
    return not names.isdisjoint(tokens | set(cells))
