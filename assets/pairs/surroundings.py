"""What an operator may know beside its question, looked up in the clean hospital when it asks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from itertools import islice
from typing import Generic, NamedTuple, TypeVar, overload

from assets.pairs.identity import digest, drawn
from assets.pairs.records import fetch_records
from assets.questions import Template, ask, gold_of
from assets.questions.sampling import counts_days, fits
from robustgym.hospital import Session
from schemas.concepts import Concepts
from schemas.overlays import Value
from schemas.questions import Question, Record, Role, Selection, Surroundings
from schemas.tables import TABLES, ColumnType

T = TypeVar("T")

UNITS = {"stay_id": "icustays", "hadm_id": "admissions", "subject_id": "patients"}
"""The table whose records are the units, by the id that names one; the narrowest unit first."""

OF_PATIENT = {"emar_seq": "emar", "poe_seq": "poe"}
"""Numbers that start again with each patient, and the table they count in: unused are those after the last."""

CANDIDATES = 10
"""Other concepts looked at when one is wanted that there is no record of, or one that there is."""
OFFERED = 3
"""Of those, so many are offered."""
LATEST = 1024
"""Days and ordinals beyond it are not looked for."""
PEERS = 8
IDS = 64


class Lazy(Sequence[T], Generic[T]):
    """A sequence that is looked up when first read."""

    def __init__(self, look_up: Callable[[], Sequence[T]]) -> None:
        self._look_up = look_up

    @cached_property
    def _items(self) -> Sequence[T]:
        return self._look_up()

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        return self._items[index]

    def __len__(self) -> int:
        return len(self._items)


class LazyMapping(Mapping[str, T], Generic[T]):
    """Values by name, each looked up when first read; of a name without any, `get` gives its default."""

    def __init__(self, look_up: Callable[[str], T | None]) -> None:
        self._look_up = cache(look_up)

    def __getitem__(self, name: str) -> T:
        value = self._look_up(name)
        if value is None:
            raise KeyError(name)
        return value

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


class Rival(NamedTuple):
    """A clean question of the build, from whose concept another may borrow."""

    id: str
    template: Template
    parameters: Mapping[str, Value]


@dataclass(frozen=True)
class Known:
    """What was looked up in one hospital, for all operators and cells. Whoever looks first writes it down."""

    unused: dict[str, Sequence[int]] = field(default_factory=dict)
    units: dict[str, list[dict[str, int]]] = field(default_factory=dict)


@lru_cache(maxsize=4)
def known(fingerprint: str, seed: int) -> Known:
    """What is known of the hospital with that fingerprint; `seed` decides which ids are tried."""
    return Known()


class Neighbourhood:
    """Looks things up in one clean hospital for many questions; every draw is seeded by the question's name."""

    def __init__(
        self,
        session: Session,
        concepts: Concepts,
        tables: frozenset[str],
        seed: int,
        known: Known,
        rivals: Sequence[Rival],
    ) -> None:
        self._session = session
        self._rivals = rivals
        self._concepts = concepts
        self._tables = tables
        self._seed = seed
        self._known = known

    def around(self, template: Template, question: Question, name: str) -> Surroundings:
        """The surroundings of a question; `name` seeds its draws."""
        return Surroundings(
            others=Lazy(lambda: self._others(question, name)),
            unrecorded=Lazy(lambda: tuple(islice(self._unrecorded(template, question, name), OFFERED))),
            recorded=Lazy(lambda: tuple(islice(self._recorded(template, question, name), OFFERED))),
            last=LazyMapping(lambda slot: self._last(template, question, slot)),
            unused=LazyMapping(lambda column: self._unused_by(question, name, column)),
            peers=LazyMapping(lambda key: self._peers(template, question, key)),
            tables=self._tables,
        )

    def _others(self, question: Question, name: str) -> Sequence[Mapping[str, int]]:
        unit = next((column for column in UNITS if column in question.parameters), None)
        if unit is None:
            return ()
        if unit not in self._known.units:
            ids = [c for c in ("subject_id", "hadm_id", "stay_id") if c in TABLES[UNITS[unit]]]
            _, rows = self._session.fetch(f"SELECT {', '.join(ids)} FROM {UNITS[unit]} ORDER BY {unit}")
            units = [dict(zip(ids, row, strict=True)) for row in rows if None not in row]
            # A few hundred are enough to draw from; which ones depends on nothing but their ids.
            self._known.units[unit] = drawn(units, self._seed, "others", key=lambda u: u[unit])[:512]
        strangers = [u for u in self._known.units[unit] if u["subject_id"] not in question.subject_ids]
        return drawn(strangers, self._seed, name, "others", key=lambda u: u[unit])[:PEERS]

    def _unused_by(self, question: Question, name: str, column: str) -> Sequence[int]:
        if column not in OF_PATIENT:
            return drawn(self._unused(column), self._seed, name, column)[:IDS]
        if len(question.subject_ids) != 1 or OF_PATIENT[column] not in self._tables:
            return ()
        of_patient = f"subject_id = {question.subject_ids[0]}"
        _, rows = self._session.fetch(f"SELECT max({column}) FROM {OF_PATIENT[column]} WHERE {of_patient}")
        return range(rows[0][0] + 1, rows[0][0] + 1 + IDS) if rows[0][0] is not None else ()

    def _unused(self, column: str) -> Sequence[int]:
        if column not in self._known.unused:
            home = next((t for t in TABLES.values() if column in t.key[:1] and t.name in self._tables), None) or next(
                (t for t in TABLES.values() if column in t and t.name in self._tables), None
            )
            if home is None or home[column].type is not ColumnType.INTEGER:
                return ()
            _, rows = self._session.fetch(f"SELECT min({column}), max({column}) FROM {home.name}")
            low, high = rows[0]
            if low is None:
                return ()
            tried = sorted(
                {low + int(digest(self._seed, column, i)[:12], 16) % (high - low + 1) for i in range(8 * IDS)}
            )
            _, used = self._session.fetch(
                f"SELECT DISTINCT {column} FROM {home.name} WHERE {column} IN ({', '.join(map(str, tried))})"
            )
            # Where a table numbers its records without gaps, a further one has the next number.
            free = sorted(set(tried) - {i for (i,) in used})
            self._known.unused[column] = free if len(free) >= IDS else range(high + 1, high + 1 + 8 * IDS)
        return self._known.unused[column]

    def _swapped(self, template: Template, question: Question, name: str) -> Iterator[tuple[Rival, Question]]:
        """Other clean questions about other concepts of the sort, each with this question asked about its concept.

        Either question makes sense with the concept of the other.
        """
        own = question.parameters.get("concept")
        near = [r for r in self._rivals if r.template.kind is template.kind and r.parameters.get("concept") != own]
        tried = set()
        for rival in drawn(near, self._seed, name, "rivals", key=lambda r: r.id):
            concept = rival.parameters.get("concept")
            if own is None or concept in tried or not question.targets:
                continue
            swapped = {**question.parameters, "concept": concept}
            returned = {**rival.parameters, "concept": own}
            if fits(template, swapped, self._concepts) and fits(rival.template, returned, self._concepts):
                tried.add(concept)
                yield rival, ask(template, swapped, tables=self._tables)
            if len(tried) == CANDIDATES:
                return

    def _unrecorded(self, template: Template, question: Question, name: str) -> Iterator[str]:
        """Concepts that this question has no answer for, and whose own question has none for this one's."""
        own = {"concept": question.parameters.get("concept")}
        for rival, swapped in self._swapped(template, question, name):
            returned = ask(rival.template, {**rival.parameters, **own}, tables=self._tables)
            if not self._answered(swapped) and not self._answered(returned):
                yield str(rival.parameters["concept"])

    def _recorded(self, template: Template, question: Question, name: str) -> Iterator[str]:
        """Concepts that this question has an answer for as well."""
        for rival, swapped in self._swapped(template, question, name):
            if self._answered(swapped):
                yield str(rival.parameters["concept"])

    def _answered(self, question: Question) -> bool:
        columns, rows = self._session.fetch(question.reference_sql)
        return gold_of(question, rows, columns) is not None

    def _last(self, template: Template, question: Question, slot: str) -> int | None:
        """The highest value of a slot with which the question has an answer: none of those above, up to twice it."""
        if slot != "from_day" or not counts_days(template):
            return None

        def answered(value: int) -> bool:
            return self._answered(ask(template, {**question.parameters, slot: value}, tables=self._tables))

        low, high = 1, 2
        while high <= LATEST and answered(high):
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if answered(middle) else (low, middle)
        return low

    def _peers(self, template: Template, question: Question, key: str) -> Sequence[Record]:
        if key == Role.TARGET:
            selections = list(question.targets[:1])
        else:
            concept = key.removeprefix("concept:")
            asked = ask(template, {**question.parameters, "concept": concept}, tables=self._tables)
            selections = list(_deciding(asked.targets))
        found: list[Record] = []
        for selection in selections:
            stranger = (
                f"subject_id NOT IN ({', '.join(map(str, question.subject_ids))})" if question.subject_ids else "TRUE"
            )
            where = f"({selection.test}) AND {stranger if TABLES[selection.table].patient else 'TRUE'}"
            found += fetch_records(self._session, selection, where, limit=PEERS)
        return found


def _deciding(targets: Sequence[Selection]) -> Sequence[Selection]:
    """The target selection that knows the concept: an admission has none, its codes do."""
    return [target for target in targets if target.concept != "TRUE"][:1]
