"""A person in the agent's seat: the same question, the same tools, the same budget, and a verdict with its reason."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from rich.console import Console, Group
from rich.panel import Panel
from rich.text import Text

from robustgym.environment import SAID, Action, Environment, Observation
from robustgym.show import answer, describe
from robustgym.tools import NAMES
from schemas.pairs import Condition, Pair
from schemas.runs import Stop
from schemas.verdicts import Outcome, Verdict

HELP = """schema [TABLE]      the tables, or the columns of one
sql STATEMENT       run it; several lines end with ; or an empty line (a line that begins with SELECT will do)
python CODE         run it; several lines end with an empty line
submit JSON         the answer: 2.3, "Medicare" (with its quotes), true, ["Furosemide"] or null to abstain
left                what is left of the budget
quit                give up"""

OUTCOMES = {
    Outcome.CORRECT: "Right",
    Outcome.WRONG: "Wrong",
    Outcome.ABSTAINED_RIGHTLY: "Right to abstain",
    Outcome.ABSTAINED_WITHOUT_EVIDENCE: "Right to abstain, but without evidence: it does not count",
    Outcome.ABSTAINED_WRONGLY: "Wrong to abstain",
    Outcome.NO_ANSWER: "No answer",
    Outcome.UNJUDGED: "Not judged",
}
"""What an outcome is called to a person."""

_STATEMENTS = ("select", "with", "from", "describe", "summarize", "show", "pivot", "values")

Read = Callable[[str], str]
"""Reads a line after a prompt; raises EOFError at the end of the input."""


class _Line(NamedTuple):
    """What was typed: a word, and what follows it."""

    word: str
    rest: str


def play(environment: Environment, task_id: str, pair: Pair, console: Console, read: Read) -> Verdict:
    """Let a person work a task, and tell the verdict.

    Args:
        environment: The seat.
        task_id: The task.
        pair: The pair it is of; shown at the end alone.
        console: Where everything is shown.
        read: Where the person's lines come from. Their end gives up.

    Raises:
        InputError: The release has no such task.
    """
    observation = environment.reset(task_id)
    tools = [tool["function"]["name"] for tool in observation.tools]
    console.print(_opening(task_id, observation))
    while environment.stop is None:
        try:
            line = _typed(read)
        except (EOFError, KeyboardInterrupt):
            line = _Line("quit", "")
        match line.word:
            case "":
                continue
            case "quit" | "exit":
                environment.end(Stop.GAVE_UP)
            case "help" | "?":
                console.print(Text(HELP))
            case "left":
                console.print(Text(_left(environment)))
            case word if word in NAMES:
                result = environment.step(_action(line))
                console.print(Text(result.text), soft_wrap=True)
                if not result.over:
                    console.print(Text(_left(environment), style="dim"))
            case word:
                console.print(
                    Text(f"There is no command {word[:40]!r}. Commands: {', '.join(tools)}, left, help, quit.")
                )
    verdict = environment.verdict()
    console.print(_closing(verdict, environment.stop, pair, task_id))
    return verdict


def _opening(task_id: str, observation: Observation) -> Panel:
    budget = observation.budget
    words = f"Budget: {budget.turns} calls, {budget.seconds:,.0f} seconds from the first of them."
    text = Text.assemble((observation.question, "bold"), f"\n\nReturn {observation.answer.contract}, or null if the ")
    text.append("record does not determine an answer and you have seen that it does not.\n")
    text.append(f"{words}\n\n{HELP}", style="dim")
    return Panel(text, title=f"Task {task_id}", title_align="left")


def _typed(read: Read) -> _Line:
    """A command, with all its lines."""
    line = read("> ").strip()
    word, _, rest = line.partition(" ")
    word = word.lower()
    if word in _STATEMENTS:
        word, rest = "sql", line
    if word == "sql":
        return _Line(word, _until(read, rest, lambda last: last.rstrip().endswith(";")))
    if word == "python":
        return _Line(word, _until(read, rest, lambda _: False))
    return _Line(word, rest.strip())


def _until(read: Read, first: str, ends: Callable[[str], bool]) -> str:
    """Lines up to one that ends them, or is empty, or to the end of the input."""
    lines = [first] if first else []
    while not (lines and ends(lines[-1])):
        try:
            line = read("… ")
        except EOFError:
            break
        if not line.strip():
            break
        lines.append(line)
    return "\n".join(lines)


def _action(line: _Line) -> Action:
    match line.word:
        case "schema":
            return Action("schema", {"table": line.rest} if line.rest else {})
        case "sql":
            return Action("sql", {"statement": line.rest})
        case "python":
            return Action("python", {"code": line.rest})
        case _:
            return Action("submit", {"answer": line.rest})


def _left(environment: Environment) -> str:
    left = environment.left
    return f"[{left.turns} calls and {left.seconds:,.0f} seconds left]"


def _closing(verdict: Verdict, stop: Stop | None, pair: Pair, task_id: str) -> Group:
    """The verdict, and what the task was about."""
    row = pair.clean if pair.clean.task_id == task_id else pair.noise
    said = Text.assemble((OUTCOMES[verdict.outcome], "bold green" if verdict.outcome.success else "bold red"))
    said.append(f". {verdict.reason}")
    if stop is not Stop.SUBMITTED:
        said.append(f" The episode is over: {SAID[stop or Stop.GAVE_UP]}.")
    told = Text(f"The right answer: {answer(row)}.")
    if row.condition is Condition.CLEAN:
        told.append("\nThis was the clean task of its pair: nothing was done to the record or the question.")
    else:
        shown = describe(pair)
        told.append(f"\nThis was the noise task of its pair: {row.operator} at {row.level} level. {shown.promise}")
        if shown.changes:
            told.append(f" Changed: {', '.join(sorted({change.table for change in shown.changes}))}.")
        if shown.reworded:
            told.append(f"\nThe clean question: {pair.clean.question}")
        told.append(f"\nEvidence: {shown.evidence}")
    told.append(f"\nAll of it: robustgym show RELEASE {row.pair_id}", style="dim")
    return Group(Panel(said, title="Verdict", title_align="left"), told)
