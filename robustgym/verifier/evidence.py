"""Evidence for an abstention, by counterfactual replay: has the agent *seen* what takes the support away?

A call is replayed in the noisy hospital, where it must show what the transcript says, and in every *supported world*: a
hospital in which the question has an answer. It is evidence if what was shown differs from what each of those worlds
shows, the difference is the asked records' own, and the patient is named or shown. A count of a whole table differs,
but cut down to the asked records it says something else, so it is none; neither is a statement that is always empty.
"""

from __future__ import annotations

import io
import json
import re
import tokenize
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
"""Share of a column's difference of which more must be the asked records' own, and share of columns of which that must
hold."""

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


def evident(transcript: Transcript, counterfactual: Counterfactual, *, recorded: bool = False) -> int | None:
    """Index of the first call that is evidence; None if none is.

    Calls are taken one by one and worlds nearest first, so that no more is replayed than the verdict needs.

    Args:
        transcript: The episode.
        counterfactual: The hospitals to replay it in.
        recorded: It was recorded in this very noisy hospital by the caller. Any other is replayed there first.

    Raises:
        NotReproduced: The transcript is not what happens in the noisy hospital.
    """
    calls = before_the_answer(transcript)
    transcript = transcript.model_copy(update={"calls": calls})
    if not recorded:
        for index, (call, shown) in enumerate(zip(calls, counterfactual.noisy.whole(transcript), strict=True)):
            if _cells(call, shown) != _cells(call, Shown.from_dict(call.shown)):
                raise NotReproduced(f"call {index} does not show the same when it is replayed")
    return next((index for index in range(len(calls)) if weigh(transcript, index, counterfactual).evidence), None)


def before_the_answer(transcript: Transcript) -> tuple[Call, ...]:
    """The calls up to the answer that was taken: what is looked up afterwards was no reason for it."""
    for index, call in enumerate(transcript.calls):
        if call.tool == "submit" and "error" not in call.shown:
            return transcript.calls[:index]
    return transcript.calls


@dataclass(frozen=True)
class Weighed:
    """What the evidence rule saw in one call. What it had no need to look at any more is None."""

    shown: bool
    """Whether the call was answered, and is none of `submit`."""
    named: bool | None = None
    """Whether the patient is named in it or shown by it; True where none need be."""
    differs: tuple[bool, ...] = ()
    """World by world, the nearest first: whether the call shows something else there."""
    own: float | None = None
    """Share of the differing columns whose difference lies among the asked records."""

    @property
    def evidence(self) -> bool:
        """Whether the call is evidence."""
        return bool(self.shown and self.named and self.differs and all(self.differs) and (self.own or 0.0) >= OWN)


def weigh(transcript: Transcript, index: int, counterfactual: Counterfactual, *, whole: bool = False) -> Weighed:
    """Hold one call against the evidence rule.

    Args:
        transcript: The episode.
        index: The call.
        counterfactual: The hospitals to replay it in.
        whole: Look at everything, also where it is settled already that the call is no evidence.
    """
    call = transcript.calls[index]
    here = _cells(call, Shown.from_dict(call.shown))
    if here is None or call.tool == "submit":
        return Weighed(False)
    named = not counterfactual.names or _named(transcript.calls, index, counterfactual.names)
    if not counterfactual.worlds or not (named or whole):
        return Weighed(True, named)
    if not _repeats(transcript, index, here, counterfactual):
        return Weighed(True, named)
    there = _replayed(transcript, index, counterfactual.worlds[0].whole)
    # The nearest world must show something; in the others an error is a difference too.
    differs = [there is not None and there != here]
    for world in counterfactual.worlds[1:]:
        if all(differs) or whole:
            differs.append(_replayed(transcript, index, world.whole) != here)
    if there is None or not (all(differs) or whole):
        return Weighed(True, named, tuple(differs))
    here_cut = _replayed(transcript, index, counterfactual.noisy.cut) or Counter()
    there_cut = _replayed(transcript, index, counterfactual.worlds[0].cut) or Counter()
    if not _repeats(transcript, index, here, counterfactual):
        return Weighed(True, named)
    return Weighed(True, named, tuple(differs), _own(here, there, here_cut, there_cut))


def _repeats(transcript: Transcript, index: int, here: Cells, counterfactual: Counterfactual) -> bool:
    """Whether a cell of Python shows the same once more in the noisy hospital, before and after it ran elsewhere.

    A cell can read a clock or draw at random: what it shows may then differ between any two runs, and says nothing of
    the record. Statements cannot; the guard lets through none that would.
    """
    if transcript.calls[index].tool != "python":
        return True
    return _replayed(transcript, index, counterfactual.noisy.whole) == here


def _replayed(transcript: Transcript, index: int, replay: Replay) -> Cells | None:
    """What one call shows elsewhere. A cell of Python works on what earlier cells have read."""
    call = transcript.calls[index]
    before = [c for c in transcript.calls[:index] if c.tool == "python"] if call.tool == "python" else []
    return _cells(call, replay(transcript.model_copy(update={"calls": (*before, call)}))[-1])


def _cells(call: Call, shown: Shown) -> Cells | None:
    """Visible cells of a call; None if it failed."""
    if call.tool == "submit":
        return Counter()
    if not shown.ok:
        return None
    if call.tool == "python":
        words = (word for row in shown.rows for cell in row for word in re.findall(r"[\w.:\-]+", str(cell)))
        return Counter(("output", _word(word)) for word in words)
    return Counter(
        (column, _canonical(cell)) for row in shown.rows for column, cell in zip(shown.columns, row, strict=True)
    )


def _word(word: str) -> str:
    """A word of what Python printed; 5.0 as 5, which stands there if no other cell of the column has decimals."""
    return f"{float(word):.{DIGITS}g}" if _DECIMAL.fullmatch(word) else word


def _canonical(cell: Any) -> str:
    """A cell as text, floats (also inside lists) at ten digits."""
    return json.dumps(_rounded(cell), sort_keys=True, default=str)


_DECIMAL = re.compile(r"-?\d+\.\d+(e[+-]?\d+)?", re.IGNORECASE)
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
        # Rows that others push out of a list leave exactly half.
        own += found / (there.total() + here.total()) > OWN
    return own / len(differing) if differing else 0.0


def _column(cells: Cells, column: str) -> Cells:
    return Counter({cell: n for cell, n in cells.items() if cell[0] == column})


def _without_comments(code: str) -> str:
    """A cell of Python without its comments, and without those of statements in its texts."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(code).readline))
    except (tokenize.TokenError, SyntaxError):
        return ""
    text = " ".join(token.string for token in tokens if token.type != tokenize.COMMENT)
    return re.sub(r"/\*.*?\*/|--[^\n\"']*", " ", text, flags=re.DOTALL)


def _named(calls: Sequence[Call], index: int, names: frozenset[str]) -> bool:
    """Whether an id of the patient stands in a call (not in a comment) or in what it showed."""
    call = calls[index]
    cells = [str(cell) for row in call.shown.get("rows", ()) for cell in row]
    if call.tool == "python":
        # A cell works on what earlier cells have read.
        code = [str(earlier.arguments.get("code", "")) for earlier in calls[: index + 1] if earlier.tool == "python"]
        said = [*map(_without_comments, code), *cells]
        return not names.isdisjoint(re.findall(r"\w+", "\n".join(said)))
    statement = str(call.arguments.get("statement", ""))
    if not names.isdisjoint(cells) or not any(name in statement for name in names):
        return not names.isdisjoint(cells)
    try:
        return not names.isdisjoint(token.text for token in sqlglot.tokenize(statement, read="duckdb"))
    except SqlglotError:
        return False
