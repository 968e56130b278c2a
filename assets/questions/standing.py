"""How things stand with the units of a question, answered or not: which records there are, and what is wrong with them.

The reference reads usable records alone. To find questions that the hospital as it is cannot answer, the same template
is laid over every unit without its support test, and records are counted: those that lie where they must, and those
that might, because their time or their link is missing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from assets.questions.compiler import _Compiler, unchanged, with_
from assets.questions.grammar import Shape, Side, Stream
from assets.questions.placing import inside, swapped, tie
from assets.questions.sampling import slots_of
from assets.questions.template import Template
from schemas.overlays import Value
from schemas.questions import Role, Scope, Selection
from schemas.tables import TABLES

SUMMED = frozenset({"covered", "days_with", "episodes", "number_of_names", "per_hour", "total"})
"""Selectors beside the closed ones that count or add up: of what never was, a clinician may well say 0."""


def can_stand(template: Template) -> bool:
    """Whether its records can be counted without its support test: those of one window and one sort, tied by a unit.

    A comparison of two windows, a difference of two streams, a condition, and a value read from two results each rest
    on several faultless records at once, so that no one of them is what is wrong.
    """
    stream = template.example_stream
    return (
        template.scope is Scope.PATIENT
        and not (template.versus or template.condition or stream.minus)
        and (stream.partner is None or stream.clock == "y")
    )


def standing_sql(
    template: Template,
    filling: Mapping[str, Value],
    faults: Mapping[str, str],
    tests: Mapping[str, str],
    from_day: int | None = None,
) -> str:
    """The statement that finds units by how things stand with them.

    Args:
        template: One that `can_stand`.
        filling: Its concepts, ordinal, threshold and clauses.
        faults: SQL over the target table's own columns, by name: does a record bear the fault?
        tests: SQL by name over the counts: `n` records of the concept in the unit's window, or of which nobody can say;
            `usable` ones that lie in it; `moments` of those; `linked` to the unit's admission whenever they were (NULL
            where the window lies outside of it); `ever` in the patient's whole record; `days` the unit lasts; whether
            the question is about a `named` concept, `summed` up, so that to some readers nothing is an answer, or
            `timed`, so that the answer is a time or a number of hours; its `nth`; `from_day`; and of each fault its
            name, the records of `n` that bear it.
        from_day: The day a further clause would count from; the window is that without it.

    Returns:
        One row for each unit that meets some test: the unit's ids, then a truth for each test, in their order.
    """
    return _Standing(template, slots_of(template, filling), {}).found(faults, tests, from_day)


def bearers_sql(template: Template, parameters: Mapping[str, Value], fault: str) -> str:
    """The statement that lists the row numbers of one unit's records that bear a fault, one column `row_id`."""
    ids = {column: int(str(parameters[column])) for column in template.unit.ids}
    return _Standing(template, slots_of(template, parameters), ids).bearers(fault)


def window_sql(template: Template, parameters: Mapping[str, Value]) -> str:
    """The statement that gives one unit's window, `lo` and `hi` as text; no row where it has none."""
    ids = {column: int(str(parameters[column])) for column in template.unit.ids}
    compiler = _Standing(template, slots_of(template, parameters), ids)
    compiler.lay()
    shown = "CAST(lo AS VARCHAR) AS lo, CAST(hi AS VARCHAR) AS hi"
    return with_(tuple(compiler.parts), f"SELECT {shown} FROM frame ORDER BY ALL NULLS LAST")


class _Standing(_Compiler):
    """Writes the same selections, its targets' without their support test."""

    @property
    def itself(self) -> bool:
        """Whether the records asked for are the units themselves: what is wrong with one is wrong with both."""
        target = self.template.stream(self.slots.concepts).target
        return target.table == self.unit.table and self.template.window.side is Side.INSIDE

    def select(self, name: str, role: Role, rows: Selection, *where: str) -> None:
        if role is Role.UNIT and self.itself:
            rows = replace(rows, support="TRUE")
        super().select(name, role, rows, *where)

    def lay(self) -> Stream:
        self.select_unit()
        self.find_moment()
        stream = self.template.stream(self.slots.concepts)
        self.lay_frame(stream)
        return stream

    def count(self, faults: Mapping[str, str]) -> None:
        """Steps up to `found`: one row per unit and record of the concept that lies, or may lie, where it must."""
        stream = self.lay()
        target, unit = stream.target, self.unit
        borne = "".join(f", ({test}) AS bears_{name}" for name, test in faults.items())
        own = f" AND subject_id = {self.ids['subject_id']}" if "subject_id" in self.ids else ""
        self.step(
            "held",
            f"SELECT x.*, ({target.support}) AS is_usable{borne} FROM {target.table} AS x "
            f"WHERE ({target.concept}){own}",
        )
        if self.itself:
            lies = maybe = f"x.{unit.id} = f.{unit.id}"
            frame, beside = "unit AS f", ""
        elif stream.partner is None:
            lies = self.lies(stream, target.table, "x", unchanged)
            maybe = self.might_lie(stream, lies)
            frame, beside = "frame AS f", ""
        else:
            lies = maybe = "TRUE"
            tied = self.lies(stream, stream.partner.table, "y", unchanged)
            placed = self.lies(stream, stream.partner.table, "x", swapped)
            self.select(
                "target_partner", Role.TARGET, stream.partner, f"EXISTS (SELECT 1 FROM frame AS f WHERE {placed})"
            )
            frame, beside = f"frame AS f JOIN target_partner AS y ON {tied}", f" AND {stream.joined}"
        uid = f"f.{unit.id}" if self.itself else "f.uid"
        time = stream.time or "CAST(NULL AS TIMESTAMP)"
        self.step(
            "found",
            f"SELECT {uid} AS uid, x.* EXCLUDE (subject_id), {time} AS moment, ({lies}) AS lies FROM {frame} "
            f"JOIN held AS x ON x.subject_id = f.subject_id{beside} AND ({maybe})",
        )

    def might_lie(self, stream: Stream, lies: str) -> str:
        """Does the record lie there, or could it, were its time, its end or its link not missing or wrong?"""
        table, unit = TABLES[stream.target.table], self.unit
        tied = tie(table.name, unit, self.template.window.side, "x", "f")
        maybe = [f"({lies})"]
        timed = bool(stream.time) and self.bounded
        within = inside(stream.time, "f.lo", "f.hi", daily=stream.daily) if timed else "TRUE"
        if timed:
            maybe.append(f"({tied} AND {within})")
            untimed = [tied, f"{stream.time} IS NULL"]
            if "hadm_id" in table and unit.id != "subject_id":
                untimed.append("(x.hadm_id IS NULL OR x.hadm_id = f.hadm_id)")
            if "chartdate" in table and not stream.daily:
                day = inside("x.chartdate", "f.lo", "f.hi", daily=True)
                untimed.append(f"(x.chartdate IS NULL OR ({day}))")
            maybe.append(f"({' AND '.join(untimed)})")
        column = tied.partition(" ")[0]
        if column != "x.subject_id":
            maybe.append(f"({column} IS NULL AND {within})")
        return " OR ".join(maybe)

    def found(self, faults: Mapping[str, str], tests: Mapping[str, str], from_day: int | None) -> str:
        self.count(faults)
        unit = self.unit
        ids = ", ".join(f"u.{column}" for column in unit.ids)
        counts = "".join(f", count(*) FILTER (WHERE bears_{name}) AS {name}" for name in faults)
        self.step(
            "counted",
            "SELECT uid, count(*) AS n, count(*) FILTER (WHERE lies AND is_usable) AS usable, "
            f"count(DISTINCT moment) FILTER (WHERE lies AND is_usable) AS moments{counts} FROM found GROUP BY uid",
        )
        self.step("whole", "SELECT subject_id, count(*) AS ever FROM held GROUP BY subject_id")
        lasts = f"date_diff('second', {unit.start}, {unit.end}) / 86400.0" if unit.start else "CAST(NULL AS DOUBLE)"
        given, key = ("unit", unit.id) if self.itself else ("frame", "uid")
        inner = self.template.window.side is Side.INSIDE and unit.id != "subject_id"
        stream = self.template.stream(self.slots.concepts)
        table = TABLES[stream.target.table]
        linked = "CAST(NULL AS INTEGER)"
        if inner and "hadm_id" in table:
            self.step(
                "links", "SELECT hadm_id, count(*) AS linked FROM held WHERE hadm_id IS NOT NULL GROUP BY hadm_id"
            )
            linked = "coalesce((SELECT l.linked FROM links AS l WHERE l.hadm_id = u.hadm_id), 0)"
        constants = {
            "nth": f"{self.slots.nth}" if self.template.uses_nth else "CAST(NULL AS INTEGER)",
            "from_day": f"{from_day}" if from_day else "CAST(NULL AS INTEGER)",
            "named": f"{'concept' in self.template.pools}",
            "summed": f"{self.template.selector.closed or self.template.selector_name in SUMMED}",
            "timed": f"{self.template.selector.shape in (Shape.TIME, Shape.HOURS) or stream.unit == 'hours'}",
        }
        counted = ("n", "usable", "moments", *faults)
        columns = [f"coalesce(c.{name}, 0) AS {name}" for name in counted]
        columns += [f"coalesce(w.ever, 0) AS ever, {linked} AS linked, {lasts} AS days"]
        columns += [f"{sql} AS {name}" for name, sql in constants.items()]
        self.step(
            "standing",
            f"SELECT {ids}, {', '.join(columns)} FROM unit AS u "
            f"JOIN (SELECT DISTINCT {key} AS uid FROM {given}) AS g ON g.uid = u.{unit.id} "
            f"LEFT JOIN counted AS c ON c.uid = u.{unit.id} LEFT JOIN whole AS w ON w.subject_id = u.subject_id",
        )
        met = ", ".join(f"coalesce({test}, FALSE) AS {name}" for name, test in tests.items())
        some = " OR ".join(f"({test})" for test in tests.values())
        shown = ", ".join(unit.ids)
        return with_(tuple(self.parts), f"SELECT {shown}, {met} FROM standing WHERE {some} ORDER BY ALL NULLS LAST")

    def bearers(self, fault: str) -> str:
        self.count({"fault": fault})
        return with_(
            tuple(self.parts), "SELECT DISTINCT row_id FROM found WHERE bears_fault ORDER BY row_id NULLS LAST"
        )
