"""Noise operator: the question is about something this patient never had."""

from __future__ import annotations

from random import Random

from noise_ops import Lack, NotApplicable, noise_op
from noise_ops._ids import copied_ids, fresh_ids
from noise_ops._worlds import evidence_tables
from schemas.noise import Noise
from schemas.overlays import CopyWhere, Edit, Insert, Overlay
from schemas.questions import Question, Record, Scope, Selection, literal
from schemas.tables import TABLES


def _by_nature(selection: Selection) -> Lack:
    """A patient of whom nobody ever recorded what is asked about. Asked how often or how much, "none" is an answer."""
    if selection.concept == "TRUE" or selection.table == "drgcodes":
        raise NotApplicable("every admission should have one: it is not never done but missing")
    return Lack("ever = 0 AND named AND NOT summed")


@noise_op(
    level="query", promise="abstention", severities={"all": {}}, realism=("EHRSQL", "PRACTIQ"), natural=_by_nature
)
def never_done(question: Question, rng: Random) -> Noise:
    """Ask for a test, a drug or a diagnosis of which there is no record, instead of the one there is.

    It was ordered and never drawn, it belongs to the patient in the next bed, or the question was copied from another
    chart. The item exists in the dictionary and other patients have it, so nothing but the empty result shows that this
    one does not.

    A rare item would give the question away. So the item is one of another clean question, about a patient who in turn
    lacks this question's: whatever is asked for is as often on record as it is not. Of a population, what too few of
    its members have takes the place of what nobody has.

    Limits: of a count or a yes/no over everything recorded, "0" and "no" are right answers; such a pair is dropped when
    its promise is checked. Without a model record of the concept there is no supported world, and evidence is a look at
    the columns of the tables concerned.

    Args:
        question: The clean question.
        rng: The only source of randomness.

    Raises:
        NotApplicable: Every such concept is on record, or the question has no concept.

    Examples:
        >>> from schemas.examples import discharge_destination, first_lactate
        >>> question = first_lactate()
        >>> noise = never_done(question, Random(0))
        >>> question.parameters["concept"], noise.parameters["concept"]
        ('lactate', 'troponin_t')

        In the supported world it was done, when the lactates were.

        >>> [(e.after["itemid"], e.after["charttime"], e.after["valuenum"]) for e in noise.worlds[0].edits]
        [(51003, '2150-03-01 08:00:00', 0.3), (51003, '2150-03-01 14:00:00', 0.3)]
        >>> never_done(discharge_destination(), Random(0))
        Traceback (most recent call last):
        noise_ops.registry.NotApplicable: every concept of the sort is on record
    """
    if not question.around.unrecorded:
        raise NotApplicable("every concept of the sort is on record")
    concept = rng.choice(list(question.around.unrecorded))
    models = [
        model for model in question.around.peers.get(f"concept:{concept}", ()) if model.table in _tables(question)
    ]
    if not models:
        return Noise(parameters={"concept": concept}, schema_evidence=evidence_tables(question))
    edits = [edit for selection in question.targets for edit in _done(question, selection, models)]
    return Noise(parameters={"concept": concept}, worlds=(Overlay(edits=tuple(edits)),))


def _tables(question: Question) -> frozenset[str]:
    return frozenset(selection.table for selection in question.targets)


def _done(question: Question, selection: Selection, models: list[Record]) -> tuple[Edit, ...]:
    """The records of a selection once more, as records of the other concept."""
    fitting = [model for model in models if model.table == selection.table]
    if not fitting:
        return ()
    cells = {column: value for column, value in fitting[0].values.items() if column not in _kept(selection)}
    if question.scope is Scope.POPULATION:
        put = {column: literal(value) for column, value in cells.items()} | copied_ids(selection.table)
        return (CopyWhere(table=selection.table, where=question.where(selection), put=put),)
    ids = fresh_ids(question, selection.table)
    return tuple(
        Insert(table=r.table, subject_id=r.subject_id, after=dict(r.values) | cells | next(ids)(r.values))
        for r in question.records_of(selection)
    )


def _kept(selection: Selection) -> frozenset[str]:
    """Columns that say whose record it is and when: they stay those of the target."""
    table = TABLES[selection.table]
    owner = [c for c in table.names if c.endswith("_id") and c not in ("order_provider_id", "caregiver_id")]
    return frozenset([*owner, "orderid", "linkorderid", *table.times])
