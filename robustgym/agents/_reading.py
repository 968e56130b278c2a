"""A careful analyst's reading of a question about one patient: whom, when, which records, and what of them.

It knows MIMIC-IV and English, not the templates: what it cannot read it says so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from robustgym.agents._sources import Source, Unread, quoted, source_of
from schemas.answers import AnswerKind
from schemas.pairs import Task


class Hopeless(Unread):
    """No record could answer the question, whatever it holds: the words alone tell that."""

    def __init__(self, why: str, subject: int, unit: Unit, unit_id: int, tables: tuple[str, ...]) -> None:
        super().__init__(why)
        self.subject, self.unit, self.unit_id, self.tables = subject, unit, unit_id, tables


@dataclass(frozen=True)
class Unit:
    """Whose interval is asked about."""

    table: str
    id: str
    start: str
    end: str


ADMISSION = Unit("admissions", "hadm_id", "admittime", "dischtime")
STAY = Unit("icustays", "stay_id", "intime", "outtime")
PATIENT = Unit("patients", "subject_id", "", "")

_WINDOWS: tuple[tuple[Unit, str, str, str], ...] = (
    (STAY, r"first (\d+) h of icu stay", "u.intime", "least(u.intime + INTERVAL {0} HOUR, u.outtime)"),
    (STAY, r"last (\d+) h of icu stay", "greatest(u.outtime - INTERVAL {0} HOUR, u.intime)", "u.outtime"),
    (STAY, r"during icu stay|in same icu stay|at icu admission", "u.intime", "u.outtime"),
    (ADMISSION, r"first (\d+) h of admission", "u.admittime", "least(u.admittime + INTERVAL {0} HOUR, u.dischtime)"),
    (ADMISSION, r"last (\d+) h of admission", "greatest(u.dischtime - INTERVAL {0} HOUR, u.admittime)", "u.dischtime"),
    (ADMISSION, r"in (\d+) days before admission", "u.admittime - INTERVAL {0} DAY", "u.admittime"),
    (ADMISSION, r"(?:in|within) (\d+) days after discharge", "u.dischtime", "u.dischtime + INTERVAL {0} DAY"),
    (ADMISSION, r"from discharge .*if within (\d+) days", "u.dischtime", "u.dischtime + INTERVAL {0} DAY"),
    (
        ADMISSION,
        r"between arrival .*discharge|(?:from|after) arrival ",
        "least(coalesce(u.edregtime, u.admittime), u.admittime)",
        "u.dischtime",
    ),
    (
        ADMISSION,
        r"between last icu discharge and (?:hospital )?discharge",
        "(SELECT max(i.outtime) FROM icustays AS i WHERE i.hadm_id = u.hadm_id AND i.intime < i.outtime)",
        "u.dischtime",
    ),
    (ADMISSION, r"during admission|in same admission|at admission", "u.admittime", "u.dischtime"),
)
"""The unit, the words (without articles, hours as h), beginning and end. The first that fits is meant."""

_CONDITIONS = (
    r"\bwhile\b|difference between|how much higher|change in|rise in|trend|stretch|pause|percentage|share of|withheld"
    r"|not given|no earlier|new (?:diagnosis|procedure)|routes?\b|h with|hours with|more than one|position of"
)
"""What the analyst does not work out: conditions, comparisons, intervals put together."""

_ANCHORS: tuple[tuple[str, str, str], ...] = (
    (
        r"first dose of .* was given",
        r"means the entries (?P<names>[^;]*?) \(upper or lower case\) charted as (?P<events>[^;]*)",
        "(SELECT min(charttime) FROM emar WHERE subject_id = {subject} AND hadm_id = u.hadm_id "
        "AND lower(trim(medication)) IN ({names}) AND event_txt IN ({events}))",
    ),
    (
        r"first intravenous furosemide",
        r"intravenous furosemide means input item (?P<item>\d+)",
        "(SELECT min(starttime) FROM inputevents WHERE subject_id = {subject} AND stay_id = u.stay_id "
        "AND itemid = {item} AND amount > 0 AND statusdescription <> 'Rewritten')",
    ),
    (
        r"invasive ventilation began",
        r"invasive ventilation means procedure item (?P<item>\d+)",
        "(SELECT min(starttime) FROM procedureevents WHERE subject_id = {subject} AND stay_id = u.stay_id "
        "AND itemid = {item})",
    ),
)
"""Events that open or close an interval: the words, their definition, and when they happened."""


@dataclass(frozen=True)
class Reading:
    """A question, understood."""

    subject: int
    unit: Unit
    unit_id: int
    frame: str
    """SELECT of one row: lo and hi, none where the unit is not as asked."""
    source: Source
    inside: str
    """Whether a record x lies in the frame f."""
    measure: str
    """SELECT over `seen` (t, v, name, hit) and `frame`."""

    @property
    def statement(self) -> str:
        """The one that answers it: usable records in the interval, and what is asked of them."""
        source = self.source
        link = f"x.{source.link} = {self.unit_id}" if source.link == self.unit.id else _linked(source, self)
        return (
            f"WITH frame AS ({self.frame}), seen AS (SELECT x.*, f.lo, f.hi FROM ({self._records(True)}) AS x, "
            f"frame AS f WHERE {link} AND {self.inside}) {self.measure}"
        )

    @property
    def look(self) -> str:
        """The patient's records of that sort as they are: usable or not, wherever they lie."""
        return f"SELECT * FROM ({self._records(False)}) ORDER BY ALL LIMIT 150"

    def _records(self, usable: bool) -> str:
        source = self.source
        tests = [f"s.subject_id = {self.subject}", source.concept, *([source.support] if usable else [])]
        ids = ["subject_id", *dict.fromkeys([source.link, *source.ids])]
        shown = [f"s.{column}" for column in (*ids, *source.shown)]
        cells = [*dict.fromkeys(shown), f"{source.time} AS t", f"{source.value} AS v", f"{source.name} AS name"]
        cells.append(f"({source.hit}) AS hit")
        joins = f" {source.join}" if source.join else ""
        return f"SELECT {', '.join(cells)} FROM {source.table} AS s{joins} WHERE {' AND '.join(tests)}"


def _linked(source: Source, reading: Reading) -> str:
    """How a record belongs to the unit when it does not bear the unit's id: by patient and time alone, or by stay."""
    if source.link == "hadm_id" and reading.unit is STAY:
        return f"x.hadm_id = (SELECT hadm_id FROM icustays WHERE stay_id = {reading.unit_id})"
    return "TRUE"


def read(task: Task) -> Reading:
    """What a task asks for.

    Raises:
        Unread: It is about a population, or something in it is not understood.
        Hopeless: No record could answer it.
    """
    asked, definitions, contract = _parts(task.question)
    plain = _plain(asked)
    patient = re.search(r"patient (\d+)", asked)
    subject = int(patient[1]) if patient else 0
    unit, unit_id = _unit(asked, subject)
    if hopeless := _hopeless(plain):
        raise Hopeless(hopeless, subject, unit, unit_id, _tables(definitions, plain))
    if patient is None:
        raise Unread("it is about more than one patient")
    if re.search(_CONDITIONS, plain):
        raise Unread("a condition or a comparison")
    source = source_of(plain, definitions, contract)
    frame = _frame(plain, definitions, unit, unit_id, subject)
    return Reading(subject, unit, unit_id, frame, source, _inside(source, contract), _measure(task, plain, source))


def _inside(source: Source, contract: str) -> str:
    """Whether a record lies in the interval: by time, or by day with what the contract says of its first and last."""
    if not source.by_day:
        return "x.t >= f.lo AND x.t < f.hi"
    after = ">" if "the day on which the admission ends does not count" in contract else ">="
    until = (
        "x.t::DATE < f.hi::DATE"
        if "begins does not count" in contract
        else "x.t::DATE <= (f.hi - INTERVAL 1 SECOND)::DATE"
    )
    return f"x.t::DATE {after} f.lo::DATE AND {until}"


def _parts(question: str) -> tuple[str, str, str]:
    """What is asked, what its words mean, and what counts as an answer."""
    found = re.fullmatch(r"(.*?)(?: Here, (.*?))? Answer with (.*)", question, re.DOTALL)
    if found is None:
        raise Unread("its parts")
    return found[1], (found[2] or "").rstrip("."), found[3]


def _plain(text: str) -> str:
    text = re.sub(r"\b(the|a|an)\b ", "", text.lower())
    return re.sub(r"\bhours\b(?= (?:of|after|before|in))", "h", text)


def _unit(asked: str, subject: int) -> tuple[Unit, int]:
    for unit, words in ((STAY, r"ICU stay (\d+)"), (ADMISSION, r"hospital admission (\d+)")):
        if found := re.search(words, asked):
            return unit, int(found[1])
    return PATIENT, subject


def _anchored(plain: str, definitions: str, unit: Unit, subject: int) -> tuple[str, str] | None:
    """Hours before or after an event, within the unit; None if no such interval is asked about."""
    for words, defined, when in _ANCHORS:
        found = re.search(rf"in (\d+) h (after|before) (?:{words})", plain)
        meant = re.search(defined, definitions)
        if found and meant:
            said = {name: quoted(text) if "'" in text else text for name, text in meant.groupdict().items()}
            if "names" in said:
                said["names"] = said["names"].lower()
            event = when.format(subject=subject, **said)
            if found[2] == "after":
                return event, f"least({event} + INTERVAL {found[1]} HOUR, u.{unit.end})"
            return f"greatest({event} - INTERVAL {found[1]} HOUR, u.{unit.start})", event
    return None


def _frame(plain: str, definitions: str, unit: Unit, unit_id: int, subject: int) -> str:
    """The interval asked about."""
    if unit is not PATIENT and (anchored := _anchored(plain, definitions, unit, subject)):
        low, high = anchored
    elif unit is PATIENT:
        if re.search(r"\b(?:in|within) \d+ days\b", plain):
            raise Unread("an interval after an event")
        low, high = "TIMESTAMP '1900-01-01'", "TIMESTAMP '2999-01-01'"
    else:
        for of, words, lo, hi in _WINDOWS:
            if of is unit and (found := re.search(words, plain)):
                low, high = lo.format(*found.groups()), hi.format(*found.groups())
                break
        else:
            raise Unread("the interval")
    start = f"u.{unit.start}" if unit.start else low
    if day := re.search(r"from day (\d+) of", plain):
        low = f"greatest({low}, {start} + INTERVAL {int(day[1]) - 1} DAY)"
    if year := re.search(r"calendar year (\d{4})", plain):
        low = f"greatest({low}, TIMESTAMP '{year[1]}-01-01')"
        high = f"least({high}, TIMESTAMP '{int(year[1]) + 1}-01-01')"
    sound = f" AND u.{unit.start} < u.{unit.end}" if unit.start else ""
    return (
        f"SELECT {low} AS lo, {high} AS hi, {start} AS origin FROM {unit.table} AS u "
        f"WHERE u.subject_id = {subject} AND u.{unit.id} = {unit_id}{sound}"
    )


_HELD: tuple[tuple[str, str], ...] = (
    (r"laboratory item", "labevents"),
    (r"charted item", "chartevents"),
    (r"procedure item|procedure record", "procedureevents"),
    (r"input item|infusion|drip", "inputevents"),
    (r"output item", "outputevents"),
    (r"ingredient item", "ingredientevents"),
    (r"date item", "datetimeevents"),
    (r"means the entries", "emar"),
    (r"the ingredients|prescri|medication order|on order|by tube", "prescriptions"),
    (r"coded procedure|procedures|procedure codes", "procedures_icd"),
    (r"diagnos|icd-", "diagnoses_icd"),
    (r"drg", "drgcodes"),
    (r"hcpcs|billed", "hcpcsevents"),
    (r"specimen|organism|culture|antibiotic|resist", "microbiologyevents"),
    (r"outpatient record", "omr"),
    (r"order", "poe"),
    (r"care unit|moves?\b", "transfers"),
    (r"service", "services"),
    (r"icu stay|intensive care", "icustays"),
    (r"age\b|death|sex", "patients"),
)
"""Words, and the table where an analyst would look for such records."""


def _tables(definitions: str, plain: str) -> tuple[str, ...]:
    """The tables where what is asked for would be, if it were anywhere."""
    said = f"{definitions.lower()} {plain}"
    return (*dict.fromkeys(table for words, table in _HELD if re.search(words, said)), "admissions")


def _hopeless(plain: str) -> str:
    """Why no record could answer it, whatever it holds."""
    if re.search(r"us dollars|full name of|serial number|address|phone", plain):
        return "no table has a column for it"
    if "as of today" in plain or "until today" in plain:
        return "nothing in the record says which day today is"
    if re.search(r"shorter than .* also lasted longer|under 18 .* older than", plain):
        return "no unit meets both of what is demanded"
    year = re.search(r"calendar year (\d{4})", plain)
    if year and int(year[1]) < 2100:
        return "the record's years lie between 2100 and 2200"
    return ""


def _measure(task: Task, plain: str, source: Source) -> str:
    """What is asked of the records seen."""
    for kinds, words, statement in _MEASURES:
        if task.answer.kind in kinds and (found := re.search(words, plain)):
            if "{v}" in statement and source.value == "NULL":
                continue
            return "SELECT " + statement.format(v="v", n=_ordinal(found), d=task.answer.decimals)
    raise Unread("what is asked of the records")


def _ordinal(found: re.Match[str]) -> str:
    """The number that the words name: a place in order, or a limit."""
    word = found.groupdict().get("nth") or ""
    return str(_ORDINALS.get(word, re.sub(r"[^\d.]", "", word).strip(".")))


_ORDINALS = {"second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9}
_NTH = r"(?P<nth>second|third|fourth|fifth|sixth|seventh|eighth|ninth|\d+(?:st|nd|rd|th))"
_NUMBERS = (AnswerKind.QUANTITY, AnswerKind.COUNT, AnswerKind.DURATION)
_HOURS = "date_diff('second', lo, {}) / 3600.0"


_SPREAD = "CASE WHEN count(DISTINCT {v}) = 1 THEN round(min({v}), {d}) END AS m"
_COUNTED = "CASE WHEN count(*) > 0 THEN count(*) FILTER (WHERE hit) END AS m"
_AT = "(SELECT t, CASE WHEN count(DISTINCT {v}) = 1 THEN min({v}) END AS v FROM seen GROUP BY t)"
_NTH_TIME = "(SELECT DISTINCT t FROM seen ORDER BY t LIMIT 1 OFFSET {n} - 1)"
_EDGE = "t = (SELECT {}(t) FROM seen)"

_MEASURES: tuple[tuple[tuple[AnswerKind, ...], str, str], ...] = (
    (_NUMBERS, r"different calendar days", "nullif(count(DISTINCT t::DATE) FILTER (WHERE hit), 0) AS m FROM seen"),
    (
        _NUMBERS,
        r"h(?:ours)? (?:from|after) .* first",
        f"round({_HOURS.format('min(t)')}, {{d}}) AS m FROM seen GROUP BY lo",
    ),
    (
        _NUMBERS,
        rf"h(?:ours)? (?:from|after) .* {_NTH}",
        f"round({_HOURS.format(_NTH_TIME)}, {{d}}) AS m FROM seen LIMIT 1",
    ),
    (_NUMBERS, r"days (?:from|after) .* first", "min(t)::DATE - lo::DATE AS m FROM seen GROUP BY lo"),
    (_NUMBERS, r"\bhighest\b", "round(max({v}), {d}) AS m FROM seen"),
    (_NUMBERS, r"\blowest\b", "round(min({v}), {d}) AS m FROM seen"),
    (_NUMBERS, r"\bmedian\b", "round(median({v}), {d}) AS m FROM seen"),
    (
        _NUMBERS,
        r"\baverage hourly\b",
        f"round(sum({{v}}) / ({_HOURS.format('hi')}), {{d}}) AS m FROM seen GROUP BY lo, hi",
    ),
    (_NUMBERS, r"\bmean\b(?! arterial)", "round(avg({v}), {d}) AS m FROM seen"),
    (_NUMBERS, r"\btotal\b", "round(sum({v}), {d}) AS m FROM seen"),
    (_NUMBERS, r"number of different|how many different", "nullif(count(DISTINCT name), 0) AS m FROM seen"),
    (_NUMBERS, _NTH, f"round(v, {{d}}) AS m FROM {_AT} ORDER BY t LIMIT 1 OFFSET {{n}} - 1"),
    (_NUMBERS, r"\bfirst\b(?! \d+ h)", f"{_SPREAD} FROM seen WHERE {_EDGE.format('min')}"),
    (_NUMBERS, r"\blast\b(?! \d+ h)", f"{_SPREAD} FROM seen WHERE {_EDGE.format('max')}"),
    (_NUMBERS, r"number of|how many", f"{_COUNTED} FROM seen"),
    (_NUMBERS, r"", f"{_SPREAD} FROM seen"),
    ((AnswerKind.TIME,), _NTH, f"{_NTH_TIME} AS m"),
    ((AnswerKind.TIME,), r"\bfirst\b(?! \d+ h)", "min(t) FILTER (WHERE hit) AS m FROM seen"),
    ((AnswerKind.TIME,), r"\blast\b(?! \d+ h)", "max(t) FILTER (WHERE hit) AS m FROM seen"),
    ((AnswerKind.YES_NO,), r"(?:above|over|exceed\w*) (?P<nth>[\d.]+)", "bool_or({v} > {n}) AS m FROM seen"),
    ((AnswerKind.YES_NO,), r"(?:below|under) (?P<nth>[\d.]+)", "bool_or({v} < {n}) AS m FROM seen"),
    ((AnswerKind.YES_NO,), r"", "bool_or(hit) AS m FROM seen"),
    ((AnswerKind.SET,), _NTH, f"DISTINCT name AS m FROM seen WHERE t = {_NTH_TIME}"),
    ((AnswerKind.SET,), r"\bfirst\b(?! \d+ h)", f"DISTINCT name AS m FROM seen WHERE {_EDGE.format('min')}"),
    (
        (AnswerKind.SET,),
        r"\blast\b(?! \d+ h| icu| discharge)",
        f"DISTINCT name AS m FROM seen WHERE {_EDGE.format('max')}",
    ),
    ((AnswerKind.SET,), r"", "DISTINCT name AS m FROM seen WHERE name IS NOT NULL"),
)
"""Kinds of answer, the words, and the statement. The first that fits is meant."""
