"""The parts of speech of a question, and what each has to bring along.

    patient question     =          unit × window × kind × [condition] × selector
    population question  = cohort × unit × window × kind × [condition] × selector × aggregator

SQL fragments speak of fixed aliases: `x` the record, `y` the record of a second table that goes with it, `f` the frame
(the window of one unit), `u` the unit, `m` the moment of the anchor event, `c` a record that decides on the cohort,
`g` one that splits it, `l` the row of a dictionary that says what a record's code, item or id is called.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from schemas.answers import AnswerType
from schemas.concepts import Concept, Pool
from schemas.questions import Intent, Selection

MIN_UNITS = 5
"""A population answer, and each group of one, rests on at least this many units."""


class Shape(StrEnum):
    """What a selector makes of the records of one unit."""

    VALUE = "value"
    """A number in the unit of the kind."""
    HOURS = "hours"
    DAYS = "days"
    PERCENT = "percent"
    COUNT = "count"
    YES_NO = "yes_no"
    TIME = "time"
    DAY = "day"
    NAMES = "names"
    """Distinct texts; one row each."""


@dataclass(frozen=True)
class Unit:
    """Whose interval a question is about: a hospital admission, an ICU stay or a patient."""

    name: str
    noun: str
    """`hospital admission`."""
    short: str
    """`admission`, after it has been named."""
    plural: str
    """Name of the column that counts them: `admissions`."""
    table: str
    id: str
    """Column that identifies it."""
    ids: tuple[str, ...]
    """Columns that name it and what it belongs to: the patient first, itself last."""
    support: str
    """SQL over the table's own columns."""
    start: str
    """SQL over `u`; empty for a patient."""
    end: str
    contradiction: str
    """SQL over `u` that no record can meet."""
    contradiction_words: str
    """The same in words, after "counting only"."""
    time: tuple[str, ...] = ()

    @property
    def nouns(self) -> str:
        """Plural of the noun."""
        return f"{self.noun}s"


class Side(StrEnum):
    """Where a window lies, seen from its unit: inside, records are tied by the unit's id, else by the patient."""

    INSIDE = "inside"
    BEFORE = "before"
    AFTER = "after"
    ALWAYS = "always"
    """The whole record: no bounds."""


@dataclass(frozen=True)
class Window:
    """The half-open interval `[lo, hi)` of one unit in which records count, perhaps opened by an anchor event."""

    unit: Unit
    family: str
    """Windows that go with the same kinds: `stay`, `dose`, `years` (`fitting.py`)."""
    words: str
    """`in the first 24 hours of the stay`; may name `{anchor}`. Empty where the lead says it all."""
    many: str | None = None
    """The same of a population, where it is said otherwise."""
    rest: str | None = None
    """What is left to say where hours are counted from its start: `in the same admission`."""
    again: str = ""
    """The same in a comparison, after its anchor has been named: `in the 48 hours before it`."""
    lo: str = ""
    """SQL over `u` and `m`; empty without bounds."""
    hi: str = ""
    side: Side = Side.INSIDE
    start: str = ""
    """What it starts with, in words: `ICU admission`. Empty where nobody would count hours from there."""
    anchor: str = ""
    """Name of the anchor event, if it needs one."""
    given: str = "TRUE"
    """SQL over `u`: what must be known for the window to exist."""
    days: float | None = None
    """Its length in days where fixed; None where it lasts as long as the unit."""
    single: bool = False
    """Whether it stands for one moment ("at the admission"): for what an admission has once."""
    early: bool = False
    """Whether it begins before its unit, so that "from day 1 on" would cut it."""
    name: str = ""


@dataclass(frozen=True)
class Phrases:
    """How a clinician names the records, in the grammatical forms that questions need."""

    value: str = ""
    """Of a number: `serum creatinine`."""
    event: str = ""
    """One record: `dose of furosemide given`."""
    events: str = ""
    """Several: `doses of furosemide given`."""
    running: str = ""
    """Of a stretch of time: `norepinephrine infusion`."""
    happened: str = ""
    """Yes or no: `was furosemide given`."""
    counted: str = ""
    """After "how many": `doses of furosemide were given`."""
    entries: str = ""
    """Names, as a noun: `organisms grown from urine`."""
    listed: str = ""
    """Names, after "which": `organisms were grown from urine`."""
    whole: str = ""
    """Of a closed world, all that was recorded: `doses given of any drug`."""
    part: str = ""
    """What of it is asked for, after "were": `furosemide`."""
    counts: str = ""
    """What makes a record usable, for the contract: `results with a number between 0.1 and 15 mEq/L`."""
    of_many: str = ""
    """Of a number, in a population question; as `value` unless said otherwise."""
    tally: str = "count"
    """What a count counts, as the unit of its average: `care units`."""
    own: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """By selector: the question and the measure, where the selector's own words would not do. `names_once` is for
    windows that are one moment."""


@dataclass(frozen=True)
class Route:
    """Records elsewhere that tell the same fact in the same window. The reference does not read them."""

    selection: Selection
    time: str = ""
    """SQL over `x`; empty where the record only has to belong to the unit."""
    daily: bool = False


@dataclass(frozen=True)
class Stream:
    """The records that one concept leaves in a table, and how to read them.

    `target` and `partner` say which rows count (concept and support tests over the table's own columns); the compiler
    adds where they must lie.
    """

    target: Selection
    words: Phrases
    time: str = ""
    """SQL: when it happened or began. Empty for what an admission has once."""
    end: str = ""
    value: str = ""
    text: str = ""
    """SQL: its name or code, as text."""
    hit: str = ""
    """SQL: is it what the question asks for? For closed worlds, where every record of the table's sort is a target."""
    partner: Selection | None = None
    joined: str = ""
    """SQL over `x` and `y`: do they belong together?"""
    clock: str = "x"
    """Which of the two lies in the window."""
    label: Selection | None = None
    """Rows of a dictionary. They have no patient and no time, and every patient shares them."""
    named: str = ""
    """SQL over `l` and one of `x` and `y`: is this what the record's code, item or id is called?"""
    daily: bool = False
    """Whether the time is a date only. A day on which the unit itself begins or ends is neither before nor after it."""
    early: bool = False
    """Whether a record of an admission that precedes it is its first all the same: a service notes who expects the
    patient."""
    lasting: bool = False
    """Whether it is a state that has its name in every window it reaches into, not only where it began."""
    one: str = ""
    """SQL over `x`: what several records tell of together, so that it counts once. Its time is the first, its value the
    highest, and it is a hit if any of them is."""
    unit: str = ""
    decimals: int = 0
    counted: bool = False
    """Whether the value is a whole number without a unit: a position, a level."""
    followed: bool = True
    """Whether it is measured often enough for its course to mean something."""
    worse: str = "high"
    threshold: float | None = None
    minus: Stream | None = None
    """A second stream whose values are subtracted; both must have records."""
    routes: tuple[Route, ...] = ()
    no_route: str = ""
    """Why no other record tells the same fact, where no route is declared: nothing else holds it, or the question names
    the record it asks."""
    definition: str = ""
    """Which records count as the concept, in words."""


@dataclass(frozen=True)
class Kind:
    """A sort of record that questions ask about, of one intent."""

    name: str
    intent: Intent
    pool: Pool | None
    """The concepts it can be about; None where it needs none."""
    stream: Callable[..., Stream]
    least: int = 0
    """How often the demo must have the concept for it to be asked about."""
    only: frozenset[str] = frozenset()
    """The concepts it can be about, where not the entire pool."""
    tables: tuple[str, ...] = ()
    """Tables its streams read; filled in when it is registered."""


@dataclass(frozen=True)
class Anchor:
    """An event that opens or closes a window."""

    name: str
    pool: Pool | None
    event: Callable[..., Stream]
    """Its records; `time` and `end` are its moments."""
    only: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Condition:
    """Records during which another record must happen to count."""

    name: str
    pool: Pool | None
    during: Callable[..., Stream]
    """Its records, from `time` to `end`."""
    words: str
    only: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Series:
    """What a selector may use to put its steps together: the step `seen`, one row per record of one unit.

    Columns of `seen`: the keys, `lo` and `hi` of the window, and of `t`, `t2`, `v`, `name`, `hit` those it needs.
    """

    keys: str
    """`uid`, or `uid, part` where two windows are compared."""
    worst: str = "max"
    """Aggregate that finds the most worrying value."""
    beyond: str = ""
    """SQL over `v`: is it beyond the threshold?"""
    nth: int = 2


Steps = Mapping[str, str]
"""Named steps of a statement, in order; the last is `measure` with the keys and the measure `m`."""


@dataclass(frozen=True)
class Selector:
    """Turns the records of one unit into one measure."""

    name: str
    family: str
    """Selectors that go with the same kinds: `level`, `burden`, `listing` (`fitting.py`)."""
    shape: Shape
    needs: tuple[str, ...]
    """Columns of `seen` it reads: t, t2, v, name, hit."""
    steps: Callable[[Series], Steps]
    asks: str
    """The question to a patient's record, without its lead and its question mark."""
    measure: str
    """The measure as a noun without article, for population questions."""
    unit: str = "{unit}"
    """Unit of a value, or what a count counts, from what the kind has (`unit`, `tally`)."""
    finer: int = 0
    """Decimals beyond those of the kind."""
    note: str = ""
    """What the contract says about ties and minimum numbers."""
    uses: frozenset[str] = frozenset()
    """Parameters it reads: `nth`, `threshold`."""
    closed: bool = False
    """Whether it counts what is not there as "no" or 0: only with declared coverage."""
    longer_than: float = 0.0
    """The window must be longer than this many days."""
    from_start: bool = False
    """Whether it counts from the window's start."""
    course: bool = False
    """Whether it looks at the course of a value: only of what is measured often."""
    overlapping: bool = False
    """Whether records that began before the window count with what lies in it."""


@dataclass(frozen=True)
class Membership:
    """Records that decide who belongs to a cohort, and how they are tied to the unit."""

    selection: Selection
    link: str
    """Column they share with the unit's row: `hadm_id`, `subject_id`, `stay_id`."""
    more: str = "TRUE"
    """SQL over `c` and the unit `x` beside the link; `{start}` and `{end}` are the unit's."""


@dataclass(frozen=True)
class Cohort:
    """Which units a population question is about."""

    name: str
    pool: Pool | None
    member: Callable[..., Membership] | None
    """None for all units."""
    words: str
    """`{units} coded with {cohort}`."""
    definition: tuple[str, str] = ("", "")
    """Without a pool: a name in `words`, and the records it stands for."""
    barred: frozenset[str] = frozenset()
    """Ids of the concepts that can be excluded in the same way (`cohort_not`); empty if none is."""
    least: int = 0
    only: frozenset[str] = frozenset()
    units: frozenset[str] = frozenset({"admission", "stay", "patient"})


@dataclass(frozen=True)
class Group:
    """Records that split a population, and the key by which they do."""

    selection: Selection
    link: str
    key: str
    """SQL over `g` and `u`; `{start}` is the unit's."""
    column: str
    """Name of the key's column in the answer."""


@dataclass(frozen=True)
class Measure:
    """What an aggregator gets: measures of all units, in the step `measure` (or `change`), columns `uid` and `m`."""

    shape: Shape
    step: str
    unit: Unit
    answer: AnswerType
    """How one unit's measure would be answered."""
    beyond: str
    """SQL over `m`: is it beyond the limit?"""
    worst: str = "max"
    """Aggregate that finds the most worrying measure."""
    tally: str = "count"
    """What a count counts, as the unit of its average."""


@dataclass(frozen=True)
class Final:
    """The last statement of a population question and the type of its answer."""

    sql: str
    answer: AnswerType


@dataclass(frozen=True)
class Aggregator:
    """Puts the measures of a cohort together."""

    name: str
    shapes: frozenset[Shape]
    final: Callable[[Measure], Final]
    asks: str
    """The question: `what was the median {measure} {when}`."""
    noun: str = ""
    """What it asks for, as a noun without article: `median {measure} {when}`. Empty where a question must say it."""
    note: str = ""
    group: Callable[[Unit], Group] | None = None
    units: frozenset[str] = frozenset({"admission", "stay", "patient"})


@dataclass(frozen=True)
class Clauses:
    """Parts of a question that any template accepts. Noise operators set them; a clean question has few or none."""

    from_day: int | None = None
    calendar_year: int | None = None
    contradiction: bool = False
    attribute: str | None = None
    now: bool = False
    after_value: float | None = None
    """A value that the question says was measured: only what came after it counts."""
    asked_unit: str | None = None
    """A unit to answer in, whatever the records are in."""
    bare_name: bool = False
    """Whether the concept is called by a name that others share: "glucose" (`naming.py`)."""

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> Clauses:
        """Those among a question's parameters.

        >>> Clauses.of({"hadm_id": 1, "from_day": 3}) == Clauses(from_day=3)
        True
        """
        names = cls.__dataclass_fields__
        return cls(**{name: value for name, value in parameters.items() if name in names and value is not None})


@dataclass(frozen=True)
class Slots:
    """What fills a template: concepts by slot, and numbers."""

    concepts: Mapping[str, Concept] = field(default_factory=dict)
    nth: int = 2
    threshold: float | None = None
    clauses: Clauses = field(default_factory=Clauses)
