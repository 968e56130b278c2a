"""Is a promise kept? Checked for every pair on both hospitals, by every route, with the session an agent would get."""

from __future__ import annotations

from dataclasses import dataclass

from assets.pairs.biting import bites
from assets.questions import gold_of, records_sql
from robustgym.hospital import Extracts, Hospital, Session
from schemas.answers import Gold
from schemas.noise import Noise, Promise
from schemas.overlays import Overlay
from schemas.questions import UNIT_ROUTE, Question, Role


@dataclass(frozen=True)
class Check:
    """What the reference says of a noisy question, and whether that is what the operator promised."""

    gold: Gold
    """The answer in the noise condition."""
    broken: str = ""
    """Why the promise is broken; empty if it is kept."""
    bites: bool = False
    """Whether who takes the record as it is goes wrong (see assets.pairs.biting)."""


def check(
    clean: Question, noisy: Question, noise: Noise, promise: Promise, hospital: Hospital, extracts: Extracts | None
) -> Check:
    """Run the noisy question's reference on the noisy hospital and hold the result against the promise.

    Args:
        clean: The clean question with its gold answer.
        noisy: The question of the noise condition; the clean one itself unless the operator reworded it.
        noise: What the operator returned.
        promise: What it promised at this severity.
        hospital: The clean hospital.
        extracts: A scan shared with other questions, or None.

    Routes are looked at where records are gone or another concept is asked for. A question spoilt by its own words (an
    ordinal too high, a real year) has no answer by any route: what the routes hold is what the clean question asked.
    """
    session = hospital.session(noise.overlay, row_ids=True, extracts=extracts)
    try:
        columns, rows = session.fetch(noisy.reference_sql)
        gold = gold_of(noisy, rows, columns)
        match promise:
            case Promise.ABSTENTION if gold is not None:
                broken = "the noisy hospital still determines an answer" + (" (the same)" if gold == clean.gold else "")
            case Promise.ABSTENTION if noise.overlay.edits or "concept" in noise.parameters:
                broken = surviving_route(session, noisy)
            case Promise.UNCHANGED if gold != clean.gold:
                broken = "the answer changed" if gold is not None else "the answer is gone"
            case Promise.RECOMPUTED if gold is None:
                broken = "the answer is gone"
            case Promise.RECOMPUTED if gold == clean.gold:
                broken = "the answer did not change"
            case _:
                broken = ""
        wrong = not broken and bites(clean, noisy, gold, session, hospital, extracts)
    finally:
        session.close()
    return Check(gold, broken, wrong)


def surviving_route(session: Session, question: Question) -> str:
    """The first declared route by which the same fact is still there, in words; empty if none is.

    Where else an ICU stay is told matters only once the stay is gone: its transfer says nothing of what was done in it.
    """
    routes = question.selections_of(Role.ROUTE)
    if any(session.fetch(records_sql(question, unit.name))[1] for unit in question.selections_of(Role.UNIT)):
        routes = tuple(route for route in routes if route.name != UNIT_ROUTE)
    for route in routes:
        if route.table not in session.tables:
            continue
        _, rows = session.fetch(f"SELECT count(*) FROM ({records_sql(question, route.name)})")
        if rows[0][0]:
            return f"the fact survives in {route.table}"
    return ""


def supporting(
    worlds: tuple[Overlay, ...], noisy: Question, hospital: Hospital, extracts: Extracts | None
) -> tuple[Overlay, ...]:
    """The worlds in which the noisy question has an answer: the others support nothing and are left out."""
    kept = []
    for world in worlds:
        session = hospital.session(world, extracts=extracts)
        try:
            columns, rows = session.fetch(noisy.reference_sql)
            if gold_of(noisy, rows, columns) is not None:
                kept.append(world)
        finally:
            session.close()
    return tuple(kept)
