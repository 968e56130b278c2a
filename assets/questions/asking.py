"""Templates with their parameters filled in: the question, and the statements that go with it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType

from assets.questions import naming
from assets.questions.compiler import Statement, compiled
from assets.questions.sampling import slots_of
from assets.questions.template import Template
from assets.questions.wording import Register, register_of
from schemas.overlays import Value
from schemas.questions import Question, Role, Scope


def ask(
    template: Template,
    parameters: Mapping[str, Value],
    *,
    tables: Collection[str] | None = None,
    register: Register | None = None,
) -> Question:
    """The question that a template asks with these parameters, without gold and records.

    Args:
        template: What is asked.
        parameters: Ids of the unit (patient scope), concept ids by slot, `nth`, `threshold`, clauses, `register`.
        tables: Tables of the source; routes in other tables are left out. None for all.
        register: How it is said. None for the one its parameters name, or else its template's.

    Raises:
        KeyError: A concept slot or an id is missing, or no concept has that id.
        ValueError: The template does not take one of the clauses, or no register has the name.
    """
    said_in = register or register_of(template, parameters)
    statement = _statement(template, parameters)
    patient = template.scope is Scope.PATIENT
    ids = {column: parameters[column] for column in template.unit.ids} if patient else {}
    selections = tuple(
        s for s in statement.selections if s.role is not Role.ROUTE or tables is None or s.table in tables
    )
    subject = parameters.get("subject_id")
    return Question(
        template=template.id,
        intent=template.intent,
        scope=template.scope,
        parameters=MappingProxyType(dict(parameters)),
        text=said_in.question(template, naming.called(template, slots_of(template, parameters)), ids, statement.answer),
        answer=statement.answer,
        selections=selections,
        reference_sql=statement.sql,
        naive_sql=statement.naive,
        subject_ids=(int(subject),) if patient and subject is not None else (),
    )


def every_unit_sql(template: Template, filling: Mapping[str, Value]) -> str:
    """The statement of a patient template, asked of every unit at once.

    Columns: the unit's ids (`subject_id` and, as the unit has them, `hadm_id` or `stay_id`), then `answer`, never NULL:
    a number, a truth, a text (times as ISO text) or a list of texts.

    Raises:
        ValueError: The template asks about a population.
    """
    if template.scope is not Scope.PATIENT:
        raise ValueError(f"{template.id}: only a question about one unit can be asked of every unit")
    return compiled(template, slots_of(template, filling), every=True).sql


def records_sql(question: Question, selection: str) -> str:
    """The statement that lists the row numbers of one selection's records, one column `row_id`.

    It runs in a session whose tables have an extra column `row_id`: selections are `SELECT x.*`, so it travels along.
    """
    return _statement(Template.parse(question.template), question.parameters).rows_of(selection)


def over_records(question: Question, selections: Sequence[str], final: str, *, usable: bool = True) -> str:
    """Another statement over some of a question's selections, by their names.

    Args:
        question: The question.
        selections: Names of those it reads.
        final: What it selects from them.
        usable: Whether it reads the records that pass the tests of support, or all in the same place.
    """
    statement = _statement(Template.parse(question.template), question.parameters)
    return statement.over(selections, final, usable=usable)


def all_records_sql(question: Question) -> str:
    """The statement that lists the records of every selection: columns `selection` and `row_id`, in no order."""
    statement = _statement(Template.parse(question.template), question.parameters)
    return statement.rows_of_all([s.name for s in question.selections])


def _statement(template: Template, parameters: Mapping[str, Value]) -> Statement:
    ids = {}
    if template.scope is Scope.PATIENT:
        ids = {column: int(str(parameters[column])) for column in template.unit.ids}
    return compiled(template, slots_of(template, parameters), ids)
