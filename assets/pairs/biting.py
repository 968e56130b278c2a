"""Does noise bite? It does if whoever takes the record as it is, without the tests of support, now goes wrong."""

from __future__ import annotations

import duckdb

from assets.questions import gold_of
from robustgym.gold import GoldError, canonical
from robustgym.hospital import Extracts, Hospital, Session
from schemas.answers import Gold
from schemas.questions import Question


def bites(
    clean: Question, noisy: Question, right: Gold, session: Session, hospital: Hospital, extracts: Extracts | None
) -> bool:
    """Whether the naive reference of the noisy question returns something else than what is right.

    Noise that leads to abstention bites if there is an answer; noise that leaves or changes the answer, if there is
    another one. A naive reference that fails where it did not fail before goes wrong too; one that fails on the clean
    hospital as well says nothing of the noise.

    Args:
        clean: The clean question.
        noisy: The question of the noise condition.
        right: The gold answer there.
        session: The noisy hospital.
        hospital: The clean one.
        extracts: A scan shared with other questions, or None.
    """
    try:
        found = _naive(noisy, session)
    except (duckdb.Error, GoldError):
        with hospital.session(row_ids=True, extracts=extracts) as untouched:
            try:
                _naive(clean, untouched)
            except (duckdb.Error, GoldError):
                return False
        return True
    return canonical(found) != canonical(right)


def _naive(question: Question, session: Session) -> Gold:
    columns, rows = session.fetch(question.naive_sql)
    return gold_of(question, rows, columns)
