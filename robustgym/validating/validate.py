"""Runs labelled submissions through the gym's tools and its verifier, and counts where the two disagree."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from itertools import chain

from robustgym.episode import Episode, session_of
from robustgym.hospital import Hospital
from robustgym.parallel import side_by_side
from robustgym.sandbox import Stock
from robustgym.validating.submissions import PER_STRATUM, Submission, submissions
from robustgym.verifier import judge
from schemas.pairs import GoldRow
from schemas.validation import ErrorRate, FalseVerdict, VerifierValidation
from schemas.verdicts import Verdict

Progress = Callable[[str, int, int], None]


def validate(
    rows: Iterable[GoldRow],
    hospital: Hospital,
    progress: Progress | None = None,
    *,
    stock: Stock | None = None,
    per_stratum: int = PER_STRATUM,
) -> VerifierValidation:
    """Judge labelled submissions of a release, and say how often the verdict was wrong.

    Args:
        rows: Its gold rows.
        hospital: The hospital it was made from.
        progress: Told how far it has come.
        stock: Interpreters for evidence that is looked for in Python. A release carries none of it: what is published
            does not depend on the machine it was made on.
        per_stratum: Submissions of one sort, for each operator or kind of answer, and scope.
    """
    made = submissions(rows, python=stock is not None, per_stratum=per_stratum)
    made = tuple(sorted(made, key=lambda submission: submission.python))
    plain = [submission for submission in made if not submission.python]
    verdicts = []
    judged = side_by_side(_judged, plain, hospital, chunk=16)
    in_python = (_judged(hospital, submission, stock) for submission in made[len(plain) :])
    for done, verdict in enumerate(chain(judged, in_python), start=1):
        verdicts.append(verdict)
        if progress:
            progress("submissions", done, len(made))
    return _summed_up(made, verdicts)


def _judged(hospital: Hospital, submission: Submission, stock: Stock | None = None) -> Verdict:
    """The verdict on a submission, worked as an agent would have."""
    row = submission.row
    with ExitStack() as opened:
        session = opened.enter_context(session_of(hospital, row))
        box = opened.enter_context(stock.take()) if stock is not None else None
        episode = Episode(session, row.task, box.run if box is not None else None)
        for tool, arguments in submission.calls:
            episode.call(tool, arguments)
        episode.submit(submission.answer)
    # A malformed answer is handed back to an agent; here it is its last word.
    transcript = episode.transcript.model_copy(update={"submitted": submission.answer})
    return judge(transcript, row, hospital, recorded=True, stock=stock)


def _summed_up(made: Sequence[Submission], verdicts: Sequence[Verdict]) -> VerifierValidation:
    judged = list(zip(made, verdicts, strict=True))
    wrong = [(s, v) for s, v in judged if v.outcome.success is not s.success]

    def rates(name_of: Callable[[Submission], str]) -> tuple[ErrorRate, ...]:
        names = sorted({name_of(submission) for submission in made})
        return tuple(
            ErrorRate(
                name=name,
                to_succeed=sum(s.success for s in made if name_of(s) == name),
                false_rejects=sum(s.success for s, _ in wrong if name_of(s) == name),
                to_fail=sum(not s.success for s in made if name_of(s) == name),
                false_accepts=sum(not s.success for s, _ in wrong if name_of(s) == name),
            )
            for name in names
        )

    return VerifierValidation(
        submissions=len(made),
        by_sort=rates(lambda submission: submission.sort),
        by_operator=rates(lambda submission: submission.row.operator),
        wrong=tuple(
            FalseVerdict(
                task_id=submission.row.task_id,
                operator=submission.row.operator,
                sort=submission.sort,
                outcome=verdict.outcome.value,
                reason=verdict.reason,
            )
            for submission, verdict in wrong
        ),
    )
