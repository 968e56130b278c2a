"""Puts a template and what fills it into one statement: selections of records, steps, and the answer.

    WITH unit AS (…), anchor AS (…), frame AS (…), target AS (…), seen AS (…), …, measure AS (…) SELECT … FROM measure

A base table is read only in a selection `SELECT x.* FROM <table> AS x WHERE …`; everything else reads selections and
steps. The same statement serves one unit, every unit at once, and a population.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from assets.questions import answers, naming
from assets.questions.grammar import Clauses, Measure, Series, Shape, Side, Slots, Stream, Unit, Window
from assets.questions.limits import beyond, limit_of
from assets.questions.placing import from_label, inside, swapped, tie, whole_days
from assets.questions.records import icu_transfers
from assets.questions.sql import number
from assets.questions.template import Template
from assets.questions.units_asked import in_unit
from schemas.answers import AnswerKind, AnswerType
from schemas.attributes import ATTRIBUTES
from schemas.overlays import Value
from schemas.questions import UNIT_ROUTE, Role, Scope, Selection
from schemas.tables import TABLES

NO_TIME = "CAST(NULL AS TIMESTAMP)"

TOGETHER = {
    "t": "min({})",
    "t2": "max({})",
    "v": "max({})",
    "name": "{}",
    "hit": "bool_or({})",
    "lo": "min({})",
    "hi": "min({})",
}
"""What becomes of the columns of records that tell of one thing together (`Stream.one`). Names stay apart."""

Ids = Mapping[str, Value]


@dataclass(frozen=True)
class Statement:
    """A compiled template."""

    parts: tuple[tuple[str, str], ...]
    """Common table expressions in order: selections, steps, and routes, which the reference leaves out."""
    selections: tuple[Selection, ...]
    final: str
    answer: AnswerType
    namesakes: tuple[Statement, ...] = ()
    """What it asks of the other concepts that share the concept's name."""

    @property
    def routes(self) -> frozenset[str]:
        """Names of the selections that the reference does not read."""
        return frozenset(s.name for s in self.selections if s.role is Role.ROUTE)

    @property
    def tables(self) -> tuple[str, ...]:
        """Base tables the reference reads, sorted."""
        return tuple(sorted({s.table for s in self.selections if s.role is not Role.ROUTE}))

    @property
    def sql(self) -> str:
        """The reference; where the name fits several concepts, their answer if they agree."""
        own = with_(tuple(part for part in self.parts if part[0] not in self.routes), self.final)
        if not self.namesakes:
            return own
        meant = " UNION ALL ".join(f"({sql})" for sql in (own, *(other.sql for other in self.namesakes)))
        return f"SELECT CASE WHEN count(DISTINCT answer) = 1 THEN min(answer) END AS answer FROM ({meant})"

    @property
    def naive(self) -> str:
        """The reference of one who takes the record as it is: every selection without its support test."""
        return with_(self._blind(), self.final)

    def _blind(self) -> tuple[tuple[str, str], ...]:
        """What the reference reads, every selection without its support test."""
        blind = {s.name: replace(s, support="TRUE").sql for s in self.selections}
        return tuple((name, blind.get(name, sql)) for name, sql in self.parts if name not in self.routes)

    def over(self, selections: Sequence[str], final: str, *, usable: bool) -> str:
        """Another statement over some of the selections.

        Args:
            selections: Which; they and all that they rest on become its common table expressions.
            final: What it selects from them.
            usable: Whether they are the records that pass the tests of support, or all in the same place.
        """
        parts = self.parts if usable else self._blind()
        last = max(i for i, (name, _) in enumerate(parts) if name in selections)
        return with_(parts[: last + 1], final)

    def rows_of(self, selection: str) -> str:
        """The statement that lists the row numbers of one selection; its session's tables have a column `row_id`."""
        upto = [name for name, _ in self.parts].index(selection)
        return with_(self.parts[: upto + 1], f"SELECT DISTINCT row_id FROM {selection} ORDER BY row_id NULLS LAST")

    def rows_of_all(self, selections: Sequence[str]) -> str:
        """The statement that lists the row numbers of several selections, each beside the selection's name."""
        last = max(i for i, (name, _) in enumerate(self.parts) if name in selections)
        found = " UNION ALL ".join(f"SELECT DISTINCT '{name}' AS selection, row_id FROM {name}" for name in selections)
        return with_(self.parts[: last + 1], found)


def with_(parts: tuple[tuple[str, str], ...], final: str) -> str:
    """Common table expressions and a last statement, one per line."""
    body = ",\n".join(f"{name} AS (\n  {sql}\n)" for name, sql in parts)
    return f"WITH {body}\n{final}"


def compiled(template: Template, slots: Slots, ids: Ids | None = None, *, every: bool = False) -> Statement:
    """The statement of a template.

    Args:
        template: What is asked.
        slots: Concepts, ordinal, threshold and clauses.
        ids: Patient scope: the ids of the unit asked about. None for all units.
        every: Patient scope: one row per unit, with its ids.
    """
    return _Compiler(template, slots, ids or {}).statement(every=every)


def unchanged(sql: str) -> str:
    """The SQL seen from its own record."""
    return sql


@dataclass
class _Compiler:
    """Writes one statement, part by part, in the order in which they need each other."""

    template: Template
    slots: Slots
    ids: Ids
    parts: list[tuple[str, str]] = field(default_factory=list)
    selections: list[Selection] = field(default_factory=list)

    @property
    def unit(self) -> Unit:
        return self.template.unit

    @property
    def clauses(self) -> Clauses:
        return self.slots.clauses

    @property
    def keys(self) -> str:
        return "uid, part" if self.template.versus else "uid"

    def step(self, name: str, sql: str) -> None:
        self.parts.append((name, sql))

    def select(self, name: str, role: Role, rows: Selection, *where: str) -> None:
        """A selection: its own tests, the patient's id as a literal for the zone maps, and where it must lie."""
        tests = [test for test in where if test and test != "TRUE"]
        if "subject_id" in self.ids and "subject_id" in TABLES[rows.table]:
            tests.insert(0, f"x.subject_id = {self.ids['subject_id']}")
        selection = replace(rows, name=name, role=role, where=" AND ".join(tests) or "TRUE")
        self.selections.append(selection)
        self.step(name, selection.sql)

    def statement(self, *, every: bool) -> Statement:
        self.select_unit()
        self.find_moment()
        stream = self.template.stream(self.slots.concepts)
        if self.clauses.asked_unit:
            stream = in_unit(self.template, stream, self.clauses.asked_unit)
        self.lay_frame(stream)
        self.select_condition()
        self.select_targets(stream)
        self.write_seen(stream)
        step = self.write_measure(stream)
        answer = answers.of_measure(self.template, stream)
        if self.template.scope is Scope.POPULATION:
            final, answer = self.aggregate(step, stream, answer)
        elif every:
            final = self.answer_of_every_unit(step, answer)
        else:
            final = f"SELECT {answers.shown('m', self.template.selector.shape, answer)} AS answer FROM {step}"
            if self.template.selector.shape is Shape.NAMES:
                final += " ORDER BY answer NULLS LAST"
        if self.clauses.attribute:
            attribute = ATTRIBUTES[self.clauses.attribute]
            answer = attribute.answer
            final = (
                f"SELECT DISTINCT CAST(NULL AS {attribute.sql_type}) AS answer FROM {step} "
                f"/* no table of MIMIC-IV has a column for the {attribute.missing} */"
            )
        self.select_routes(stream)
        namesakes = tuple(self.of_namesakes(answer)) if self.clauses.bare_name else ()
        meant = [replace(s, name=f"{s.name}_{n}") for n, other in enumerate(namesakes, 2) for s in other.selections]
        targets = [s for s in meant if s.role is Role.TARGET]
        return Statement(tuple(self.parts), (*self.selections, *targets), final, answer, namesakes)

    def of_namesakes(self, answer: AnswerType) -> Iterator[Statement]:
        """The same asked of every other concept that has the name.

        Raises:
            ValueError: No other has it, or what they answer cannot be compared.
        """
        if answer.kind in (AnswerKind.SET, AnswerKind.ROWS):
            raise ValueError(f"{self.template.id}: it is answered by a list")
        clauses = replace(self.clauses, bare_name=False)
        for other in naming.namesakes(self.template, self.slots.concepts):
            slots = replace(self.slots, concepts={**self.slots.concepts, "concept": other}, clauses=clauses)
            yield _Compiler(self.template, slots, self.ids).statement(every=False)

    # ------------------------------------------------------------------ unit and frame

    def select_unit(self) -> None:
        unit, cohort = self.unit, self.template.cohort
        tests = [f"x.{column} = {self.ids[column]}" for column in unit.ids[1:] if column in self.ids]
        if cohort and cohort.member:
            for name, slot in (("cohort", "cohort"), ("barred", "cohort_not"))[: 2 if cohort.barred else 1]:
                concept = self.slots.concepts.get(slot)
                member = cohort.member(concept) if concept else cohort.member()
                self.select(name, Role.COHORT, member.selection)
                tests.append(self.belongs(name, member.link, member.more))
        rows = Selection(
            name="", role=Role.UNIT, table=unit.table, support=unit.support, label=unit.noun, time=unit.time
        )
        self.select("unit", Role.UNIT, rows, *tests)

    def belongs(self, name: str, link: str, more: str) -> str:
        """Is the unit, `x` in its own selection, a member by these records?"""
        unit = self.unit
        if link not in unit.ids and not (link == "hadm_id" and unit.id == "stay_id"):
            link = "hadm_id" if unit.id == "hadm_id" and link == "stay_id" else "subject_id"
        start, end = (sql.replace("u.", "x.") for sql in (unit.start, unit.end))
        beside = more.format(start=start, end=end)
        tests = f"c.{link} = x.{link}" + ("" if beside == "TRUE" else f" AND {beside}")
        found = f"EXISTS (SELECT 1 FROM {name} AS c WHERE {tests})"
        return f"NOT {found}" if name == "barred" else found

    def find_moment(self) -> None:
        """The anchor event of each unit: when it first began and last ended, within the unit."""
        anchor, unit = self.template.anchor, self.unit
        if anchor is None or self.clauses.now:
            return
        concept = self.slots.concepts.get("anchor")
        event = anchor.event(concept) if concept else anchor.event()
        table = event.target.table
        within = inside(event.time, unit.start, unit.end) if unit.start and event.partner is None else "TRUE"
        tied = " AND ".join(t for t in (tie(table, unit, Side.INSIDE, "x", "u"), within) if t != "TRUE")
        self.select("anchor", Role.ANCHOR, event.target, f"EXISTS (SELECT 1 FROM unit AS u WHERE {tied})")
        source = f"unit AS u JOIN anchor AS x ON {tied}"
        if event.partner:
            met = f"EXISTS (SELECT 1 FROM anchor AS y WHERE {swapped(event.joined)})"
            self.select("anchor_partner", Role.ANCHOR, event.partner, met)
            source += f" JOIN anchor_partner AS y ON {event.joined}"
        self.step(
            "moment",
            f"SELECT u.{unit.id} AS uid, min({event.time}) AS t0, max({event.end}) AS t1 FROM {source} "
            f"GROUP BY u.{unit.id}",
        )

    def lay_frame(self, stream: Stream) -> None:
        """The window of each unit, of both windows where two are compared."""
        windows = self.template.windows
        parts = ("asked", "versus") if len(windows) > 1 else ("",)
        self.step("frame", " UNION ALL ".join(self.framed(w, p, stream) for w, p in zip(windows, parts, strict=True)))

    def framed(self, window: Window, part: str, stream: Stream) -> str:
        unit = self.unit
        columns = ["u.subject_id", *(["u.hadm_id"] if unit.id != "subject_id" else [])]
        columns += ["u.stay_id"] if unit.id == "stay_id" else []
        lo, hi = self.bounds(window, stream)
        tests = [window.given]
        if self.clauses.now:
            lo = hi = ""
            tests = ["FALSE /* nothing in the record says which day is today */"]
        if self.clauses.contradiction:
            tests.append(unit.contradiction)
        if lo:
            tests.append(f"{lo} < {hi}")
        moment = f" JOIN moment AS m ON m.uid = u.{unit.id}" if window.anchor and not self.clauses.now else ""
        kept = " AND ".join(f"({test})" for test in tests if test != "TRUE")
        return (
            f"SELECT u.{unit.id} AS uid, {f'{part!r} AS part, ' if part else ''}{', '.join(columns)}, "
            f"{lo or NO_TIME} AS lo, {hi or NO_TIME} AS hi, {window.lo if lo and window.lo else NO_TIME} AS origin "
            f"FROM unit AS u{moment}" + (f" WHERE {kept}" if kept else "")
        )

    def bounds(self, window: Window, stream: Stream) -> tuple[str, str]:
        """Beginning and end of a window, after the clauses have moved them."""
        lo, hi = whole_days(window.lo, window.hi, window.side) if stream.daily else (window.lo, window.hi)
        if self.clauses.from_day is not None:
            if not self.template.has_start:
                raise ValueError(f"{self.template.id}: its window has no day to count from, so it takes no `from_day`")
            day = f"{self.unit.start} + INTERVAL {24 * (self.clauses.from_day - 1)} HOUR"
            lo = f"greatest({lo}, {day})"
        if self.clauses.calendar_year is not None:
            first, last = (f"TIMESTAMP '{self.clauses.calendar_year + n:04d}-01-01 00:00:00'" for n in (0, 1))
            lo, hi = (f"greatest({lo}, {first})", f"least({hi}, {last})") if lo else (first, last)
        return lo, hi

    @property
    def bounded(self) -> bool:
        return self.template.window.side is not Side.ALWAYS or self.clauses.calendar_year is not None

    # ------------------------------------------------------------------ records

    @property
    def during(self) -> Stream | None:
        """The records during which a target must happen."""
        condition = self.template.condition
        if condition is None:
            return None
        concept = self.slots.concepts.get("condition")
        return condition.during(concept) if concept else condition.during()

    def select_condition(self) -> None:
        if during := self.during:
            tied = tie(during.target.table, self.unit, Side.INSIDE, "x", "f")
            self.select("during", Role.CONDITION, during.target, f"EXISTS (SELECT 1 FROM frame AS f WHERE {tied})")

    def met(self, stream: Stream, tied: str) -> str:
        """Did the record happen during one of the condition's, tied as said?"""
        begin, end = self.during_columns()
        within = f"{stream.time} >= d.{begin} AND {stream.time} < d.{end}"
        return f"EXISTS (SELECT 1 FROM during AS d WHERE {tied} AND {within})"

    def lies(self, stream: Stream, table: str, alias: str, time: Callable[[str], str]) -> str:
        """Is a record tied to a frame `f`, and in its window?"""
        tied = tie(table, self.unit, self.template.window.side, alias, "f")
        if not stream.time or not self.bounded:
            return tied
        selector = self.template.selector
        named = stream.lasting and "name" in selector.needs and "t" not in selector.needs
        end = time(stream.end) if stream.end and (selector.overlapping or named) else ""
        lo = "" if stream.early and self.from_the_start else "f.lo"
        return f"{tied} AND {inside(time(stream.time), lo, 'f.hi', daily=stream.daily, end=end)}"

    @property
    def from_the_start(self) -> bool:
        """Whether the window begins with its admission, and no clause moves that."""
        clauses = self.clauses
        begins = all(w.early or (w.lo and w.lo == w.unit.start) for w in self.template.windows)
        return self.unit.id == "hadm_id" and begins and clauses.from_day is None and clauses.calendar_year is None

    def select_targets(self, stream: Stream) -> None:
        self.select_stream(stream, "target")
        if stream.minus:
            self.select_stream(stream.minus, "target_minus")

    def select_stream(self, stream: Stream, name: str) -> None:
        """The records that carry the answer; of two tables, first the one whose record lies in the window."""

        def framed(table: str, time: Callable[[str], str]) -> str:
            return f"EXISTS (SELECT 1 FROM frame AS f WHERE {self.lies(stream, table, 'x', time)})"

        condition = self.met(stream, "d.subject_id = x.subject_id") if self.template.condition else ""
        partner = f"{name}_partner"
        if stream.partner is None:
            self.select(name, Role.TARGET, stream.target, framed(stream.target.table, unchanged), condition)
        elif stream.clock == "y":
            self.select(partner, Role.TARGET, stream.partner, framed(stream.partner.table, swapped))
            met = f"EXISTS (SELECT 1 FROM {partner} AS y WHERE {stream.joined})"
            self.select(name, Role.TARGET, stream.target, met)
        else:
            self.select(name, Role.TARGET, stream.target, framed(stream.target.table, unchanged), condition)
            met = f"EXISTS (SELECT 1 FROM {name} AS y WHERE {swapped(stream.joined)})"
            self.select(partner, Role.TARGET, stream.partner, met)
        if stream.label:
            bearer = partner if "y." in stream.named else name
            met = f"EXISTS (SELECT 1 FROM {bearer} AS y WHERE {from_label(stream.named)})"
            self.select(f"{name}_label", Role.LABEL, stream.label, met)

    def during_columns(self) -> tuple[str, str]:
        """Start and end column of the condition's records."""
        return next(s.time for s in self.selections if s.role is Role.CONDITION)[:2]  # type: ignore[return-value]

    def select_routes(self, stream: Stream) -> None:
        """Where else the same fact is told, in the same window; and where the unit itself is."""
        window = self.template.window
        for n, route in enumerate(stream.routes, 1):
            tied = tie(route.selection.table, self.unit, window.side, "x", "f")
            timed = inside(route.time, "f.lo", "f.hi", daily=route.daily) if route.time and self.bounded else "TRUE"
            where = " AND ".join(test for test in (tied, timed) if test != "TRUE")
            self.select(f"route_{n}", Role.ROUTE, route.selection, f"EXISTS (SELECT 1 FROM frame AS f WHERE {where})")
        if self.unit.id == "stay_id":
            near = "abs(date_diff('second', u.intime, x.intime)) <= 300"
            where = f"EXISTS (SELECT 1 FROM unit AS u WHERE x.hadm_id = u.hadm_id AND {near})"
            self.select(UNIT_ROUTE, Role.ROUTE, icu_transfers(), where)

    # ------------------------------------------------------------------ steps

    def write_seen(self, stream: Stream) -> None:
        """One row per record and unit, with the columns the selector needs."""
        value = self.clauses.after_value
        if value is not None:
            if not self.template.takes_value:
                raise ValueError(f"{self.template.id}: it takes no value to count from")
            self.step("noted", self.seen(stream, "target", more=("t", "v")))
            first = f"SELECT uid, min(t) AS since FROM noted WHERE abs(v - {number(value)}) < 0.000001 GROUP BY uid"
            self.step("asserted", first)
            self.step("seen", "SELECT n.* FROM noted AS n JOIN asserted AS a ON a.uid = n.uid WHERE n.t > a.since")
            return
        if stream.minus is None:
            self.step("seen", self.seen(stream, "target"))
            return
        flows = f"{self.seen(stream, 'target', side=1)} UNION ALL {self.seen(stream.minus, 'target_minus', side=2)}"
        self.step("flows", flows)
        both = f"SELECT {self.keys} FROM flows GROUP BY {self.keys} HAVING count(DISTINCT side) = 2"
        self.step("seen", f"SELECT flows.* FROM flows WHERE ({self.keys}) IN ({both})")

    def seen(self, stream: Stream, name: str, side: int = 0, more: tuple[str, ...] = ()) -> str:
        expressions = {
            "t": stream.time,
            "t2": stream.end,
            "v": f"-({stream.value})" if side == 2 else stream.value,
            "name": stream.text,
            "hit": stream.hit,
            # Clauses move where records begin to count, never the moment from which hours are counted.
            "lo": "f.origin" if self.template.selector.from_start else "f.lo",
            "hi": "f.hi",
        }
        keys = [f"f.{key.strip()}" for key in self.keys.split(",")]
        group = ""
        if stream.one:
            expressions = {need: TOGETHER[need].format(sql) for need, sql in expressions.items()}
            named = [stream.text] if "name" in self.template.selector.needs else []
            group = f" GROUP BY {', '.join([*keys, stream.one, *named])}"
        needs = dict.fromkeys([*self.template.selector.needs, *more])
        columns = keys + [f"{expressions[need]} AS {need}" for need in needs]
        columns += [f"{side} AS side"] if side else []

        if stream.clock == "y" and stream.partner:
            first = self.lies(stream, stream.partner.table, "y", unchanged)
            source = f"frame AS f JOIN {name}_partner AS y ON {first} JOIN {name} AS x ON {stream.joined}"
        else:
            source = f"frame AS f JOIN {name} AS x ON {self.lies(stream, stream.target.table, 'x', unchanged)}"
            source += f" JOIN {name}_partner AS y ON {stream.joined}" if stream.partner else ""
        source += f" JOIN {name}_label AS l ON {stream.named}" if stream.label else ""
        if self.during and not self.ids:
            # Of every unit at once: a drip that ran on into another stay is that stay's.
            source += f" WHERE {self.met(stream, tie(self.during.target.table, self.unit, Side.INSIDE, 'd', 'f'))}"
        return f"SELECT {', '.join(columns)} FROM {source}{group}"

    def write_measure(self, stream: Stream) -> str:
        """The selector's steps; returns the name of the step that has one measure per unit."""
        series = Series(
            keys=self.keys,
            worst="max" if stream.worse == "high" else "min",
            beyond=beyond("v", stream, self.slots.threshold),
            nth=self.slots.nth,
        )
        for name, sql in self.template.selector.steps(series).items():
            self.step(name, sql)
        if not self.template.versus:
            return "measure"
        sides = [f"max(m) FILTER (WHERE part = '{part}')" for part in ("asked", "versus")]
        self.step("change", f"SELECT uid, {' - '.join(sides)} AS m FROM measure GROUP BY uid HAVING count(m) = 2")
        return "change"

    # ------------------------------------------------------------------ the answer

    def aggregate(self, step: str, stream: Stream, answer: AnswerType) -> tuple[str, AnswerType]:
        aggregator, unit = self.template.aggregator, self.unit
        assert aggregator is not None
        if aggregator.group:
            group = aggregator.group(unit)
            link = f"EXISTS (SELECT 1 FROM unit AS u WHERE u.{group.link} = x.{group.link})"
            self.select("grouping", Role.GROUP, group.selection, link)
        limit = limit_of(self.template, stream, self.slots.threshold)
        shape = self.template.selector.shape
        measure = Measure(
            shape=shape,
            step=step,
            unit=unit,
            answer=answer,
            beyond=limit.sql,
            worst="min" if self.template.selector_name == "worst" and stream.worse == "low" else "max",
            tally=self.template.selector.unit.format(unit=stream.unit if shape is Shape.VALUE else stream.words.tally),
        )
        final = aggregator.final(measure)
        return final.sql, final.answer

    def answer_of_every_unit(self, step: str, answer: AnswerType) -> str:
        unit, shape = self.unit, self.template.selector.shape
        ids = ", ".join(f"u.{column}" for column in unit.ids)
        shown = answers.shown("s.m", shape, answer)
        if shape is Shape.NAMES:
            shown = "list(DISTINCT s.m ORDER BY s.m NULLS LAST)"
        elif shape in (Shape.TIME, Shape.DAY):
            shown = f"CAST({shown} AS VARCHAR)"
        group = f" GROUP BY {ids}" if shape is Shape.NAMES else ""
        return (
            f"SELECT {ids}, {shown} AS answer FROM {step} AS s JOIN unit AS u ON u.{unit.id} = s.uid "
            f"WHERE s.m IS NOT NULL{group} ORDER BY {', '.join(f'{column} NULLS LAST' for column in ids.split(', '))}"
        )
