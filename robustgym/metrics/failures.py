"""Why episodes fail: each that failed is of the first class in `RULES` whose rule holds.

The rules read the transcript and what the release knows of its task; there is no judge but them. They say what was
done, not what was thought.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from robustgym.answers import Malformed, OtherUnit, gold_form, read
from robustgym.metrics.looking import Looked, ids_of, keys_of, targets_of
from robustgym.metrics.tallies import Tally
from robustgym.verifier.match import match
from schemas.answers import AnswerKind, Gold
from schemas.pairs import Condition, GoldRow
from schemas.runs import EpisodeRecord, Stop
from schemas.verdicts import Outcome

DECIMAL = (1000.0, 100.0, 10.0)
"""What two units of one quantity differ by where both are of the litre, the gram, the metre or the mole."""

OTHER = (60.0, 24.0, 2.54, 2.20462, 18.016, 88.42)
"""What others differ by: minutes and hours, days, inch and pound (NIST SP 811, appendix B.8), and mg/dL in mmol/L or
µmol/L of glucose and creatinine (molar masses 180.16 and 113.12 g/mol)."""

NEAR = 10
"""A wrong number within so many tolerances of the right one was not looked up wrongly, but rounded or cut."""


@dataclass(frozen=True)
class Known:
    """What is known of a task besides its episode."""

    row: GoldRow
    clean: GoldRow
    """The clean task of its pair; itself, if it is that."""
    naive: str | None = None
    """The answer of one who takes the record as it is, as JSON text; None if it was not computed."""


@dataclass(frozen=True)
class Failed:
    """An episode that failed, as the rules see it."""

    record: EpisodeRecord
    known: Known | None = None

    @cached_property
    def looked(self) -> Looked:
        """Where it has looked."""
        return Looked(self.record.transcript)

    @property
    def outcome(self) -> Outcome:
        """How it was judged."""
        return self.record.verdict.outcome

    @property
    def submissions(self) -> int:
        """Calls of `submit`, taken or handed back."""
        return sum(call.tool == "submit" for call in self.record.transcript.calls)

    def gave(self, answer: Gold) -> bool:
        """Whether what was submitted is this answer."""
        submitted = self.record.transcript.submitted
        if submitted is None or answer is None or self.known is None:
            return False
        try:
            return match(submitted, self.known.row.answer, answer).verdict == "match"
        except Malformed:  # an answer of another form than this task asks for
            return False

    @property
    def due(self) -> Gold:
        """The right answer; where abstaining is right, the clean one. None where that asks for something else."""
        if self.known is None or self.known.row.answer != self.known.clean.answer:
            return None if self.known is None else self.known.row.gold
        return self.known.clean.gold if self.known.row.gold is None else self.known.row.gold

    def numbers(self) -> tuple[float, float, float] | None:
        """Submitted number, number due and tolerance, where all are there."""
        if self.known is None or self.due is None or self.record.transcript.submitted is None:
            return None
        contract = self.known.row.answer
        if contract.kind not in (AnswerKind.QUANTITY, AnswerKind.DURATION):
            return None
        given = read(self.record.transcript.submitted, contract)
        if given is None or isinstance(given, OtherUnit):
            return None
        return float(given), float(gold_form(self.due, contract)), contract.tolerance


class Rule(NamedTuple):
    """A class of failures."""

    name: str
    meaning: str
    """What an episode of it did."""
    holds: Callable[[Failed], bool]
    needs: str = ""
    """`release` or `hospital`, if the run alone does not tell."""


def _unread(failed: Failed) -> bool:
    reading = [call for call in failed.record.transcript.calls if call.tool != "submit"]
    return bool(reading) and all("error" in call.shown for call in reading)


def _seen(failed: Failed) -> frozenset[str]:
    """Tables that were looked at; their columns are enough where they are what is missing."""
    return failed.looked.tables | (failed.looked.described if failed.record.facts.schema_evidence else frozenset())


def _other_unit(failed: Failed) -> bool:
    if failed.outcome is not Outcome.WRONG:
        return False
    if "another unit than" in failed.record.verdict.reason:
        return True
    if (found := failed.numbers()) is None or found[1] == 0:
        return False
    given, due, tolerance = found
    if abs(given) <= tolerance:  # a small number rounded away is no conversion
        return False
    # Digits stay as they are where the point moves; elsewhere what was rounded before is off by more after.
    scaled = [(due * by, 0.0005 * abs(due * by)) for factor in DECIMAL for by in (factor, 1 / factor)]
    scaled += [(due * by, tolerance * by) for factor in OTHER for by in (factor, 1 / factor)]
    scaled.append((due * 1.8 + 32, tolerance * 1.8))
    return any(abs(given - value) <= tolerance + slack for value, slack in scaled)


def _naive(failed: Failed) -> bool:
    if failed.outcome is not Outcome.WRONG:
        return False
    naive = failed.known.naive if failed.known else None
    return naive is not None and failed.gave(json.loads(naive))


def _clean_answer(failed: Failed) -> bool:
    if failed.outcome is not Outcome.WRONG or failed.known is None or failed.known.row is failed.known.clean:
        return False
    return failed.gave(failed.known.clean.gold)


def _wrong_patient(failed: Failed) -> bool:
    ids = ids_of(failed.known.row) if failed.known else frozenset(map(str, failed.record.facts.subject_ids))
    return bool(ids) and bool(failed.looked.tables) and not failed.looked.named(ids)


def _wrong_table(failed: Failed) -> bool:
    targets = targets_of(failed.known.row) if failed.known else frozenset()
    return bool(targets) and bool(_seen(failed)) and _seen(failed).isdisjoint(targets)


def _wrong_concept(failed: Failed) -> bool:
    keys = keys_of(failed.known.row) if failed.known else ()
    return bool(keys) and bool(failed.looked.tables) and not failed.looked.mentions(keys)


def _near(failed: Failed) -> bool:
    if failed.outcome is not Outcome.WRONG or failed.record.facts.answerable is False:
        return False
    found = failed.numbers()
    return found is not None and abs(found[0] - found[1]) <= NEAR * found[2]


def _abstained(failed: Failed, condition: Condition) -> bool:
    return failed.outcome is Outcome.ABSTAINED_WRONGLY and failed.record.facts.condition is condition


RULES: tuple[Rule, ...] = (
    Rule(
        "malformed_answer",
        "answered, but every answer was handed back for its form, and none was taken",
        lambda f: f.outcome is Outcome.NO_ANSWER and f.submissions > 0,
    ),
    Rule(
        "budget_spent",
        "used up its turns, seconds or tokens before it answered",
        lambda f: f.outcome is Outcome.NO_ANSWER and f.record.stop in (Stop.TURNS, Stop.SECONDS, Stop.TOKENS),
    ),
    Rule("gave_up", "stopped without an answer, with budget left", lambda f: f.outcome is Outcome.NO_ANSWER),
    Rule("only_invalid_calls", "saw nothing: every call that reads was answered with an error", _unread),
    Rule(
        "never_looked",
        "answered or abstained without a look at any record (nor at the columns, where they are what is missing)",
        lambda f: not _seen(f),
    ),
    Rule(
        "ignored_unit",
        "gave the right value in another unit, named or not: it is off by a factor of two units of one quantity",
        _other_unit,
        "release",
    ),
    Rule(
        "took_record_as_it_is",
        "gave what whoever takes the record as it is gets from it: an unusable or doubtful record was answered from",
        _naive,
        "hospital",
    ),
    Rule(
        "gave_clean_answer",
        "gave the answer of the clean task, as if nothing had happened to record or question",
        _clean_answer,
        "release",
    ),
    Rule("wrong_patient", "no call names or shows an id of the patient who is asked about", _wrong_patient),
    Rule("wrong_table", "no call reads a table that holds the records asked about", _wrong_table, "release"),
    Rule(
        "wrong_concept",
        "no call names or shows a code of the concept asked about, or a word of its name",
        _wrong_concept,
        "release",
    ),
    Rule(
        "abstained_without_evidence",
        "abstained where that is right, before any call had shown what takes the support away",
        lambda f: f.outcome is Outcome.ABSTAINED_WITHOUT_EVIDENCE,
    ),
    Rule(
        "abstained_on_clean",
        "abstained though the record is sound",
        lambda f: _abstained(f, Condition.CLEAN),
    ),
    Rule(
        "abstained_on_noise",
        "abstained though the noise leaves an answer to whoever looks properly",
        lambda f: _abstained(f, Condition.NOISE),
    ),
    Rule(
        "unsupported_answer",
        "gave an answer that nothing in the record supports, and none of the above",
        lambda f: f.outcome is Outcome.WRONG and not f.record.facts.answerable,
    ),
    Rule(
        "near_miss",
        f"gave a number within {NEAR} tolerances of the right one: rounded, cut, or one record more or less",
        _near,
        "release",
    ),
    Rule("wrong_value", "gave another value, and none of the above", lambda f: f.outcome is Outcome.WRONG),
)
"""The classes, in the order in which they are tried."""


@dataclass(frozen=True)
class FailureClass:
    """How often a class occurs among the episodes of a condition."""

    name: str
    meaning: str
    condition: str
    episodes: int
    share: float
    """Of the judged episodes of the condition, right ones included."""


def class_of(record: EpisodeRecord, known: Known | None = None) -> str | None:
    """The class of an episode; None if it succeeded or could not be judged.

    Args:
        record: The episode.
        known: What is known of its task. Rules that need what is not known don't hold.
    """
    outcome = record.verdict.outcome
    if outcome.success or outcome is Outcome.UNJUDGED or record.stop is Stop.FAILED:
        return None
    failed = Failed(record, known)
    return next(rule.name for rule in RULES if rule.holds(failed))


def failure_classes(tasks: Sequence[Tally], classes: Mapping[tuple[str, int], str | None]) -> tuple[FailureClass, ...]:
    """The classes that occur, condition by condition, in the order of the rules.

    Args:
        tasks: The tasks of a run.
        classes: The class of each episode, by task and trial.
    """
    found = []
    for condition in Condition:
        judged = [e for task in tasks if task.facts.condition is condition for e in task.judged]
        counted = Counter(classes[e.task_id, e.trial] for e in judged)
        found += [
            FailureClass(rule.name, rule.meaning, condition, counted[rule.name], counted[rule.name] / len(judged))
            for rule in RULES
            if counted[rule.name]
        ]
    return tuple(found)
