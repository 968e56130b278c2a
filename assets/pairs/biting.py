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
    """Whether the naive reference of the noisy question returns something else than what is right, and that is news.

    Where abstention is right, any answer is wrong. Where there is an answer, the noise has done it only if the naive
    reference of the clean question gave the clean one: a sum that counts what it must not is wrong before and after.
    The same goes for a naive reference that fails.

    Args:
        clean: The clean question, with its gold answer.
        noisy: The question of the noise condition.
        right: The gold answer there.
        session: The noisy hospital.
        hospital: The clean one.
        extracts: A scan shared with other questions, or None.
    """
    found = _naive(noisy, session)
    if found == canonical(right):
        return False
    if found is not None and right is None:
        return True
    with hospital.session(row_ids=True, extracts=extracts) as untouched:
        before = _naive(clean, untouched)
    return before is not None if right is None else before == canonical(clean.gold)


def _naive(question: Question, session: Session) -> str | None:
    """What the naive reference gives, as canonical text; None where it fails."""
    try:
        columns, rows = session.fetch(question.naive_sql)
        return canonical(gold_of(question, rows, columns))
    except (duckdb.Error, GoldError):
        return None
