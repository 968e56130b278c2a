"""Where MIMIC-IV holds what a question asks for, and what makes such a record usable, by the question's words."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass


class Unread(ValueError):
    """The question is not understood; says which part of it."""


@dataclass(frozen=True)
class Source:
    """Records of one sort, as SQL over alias `s`."""

    table: str
    concept: str = "TRUE"
    """Which records of the table."""
    support: str = "TRUE"
    """Which of them can carry an answer."""
    time: str = ""
    value: str = "NULL"
    name: str = "NULL"
    hit: str = "TRUE"
    """Of records that are counted: whether it is one of those asked about, or only part of the whole."""
    link: str = "subject_id"
    """The column by which a record belongs to its admission or stay; the patient where time alone decides."""
    join: str = ""
    by_day: bool = False
    """Whether its time is a day."""
    shown: tuple[str, ...] = ()
    """Columns that show whether a record can be used."""
    ids: tuple[str, ...] = ()


def source_of(plain: str, definitions: str, contract: str) -> Source:
    """The records that a question is about.

    Args:
        plain: What is asked, in lower case.
        definitions: What its words mean.
        contract: What counts as an answer.

    Raises:
        Unread: No place is known for them.
    """
    link = _link(contract)
    for words, make in _SOURCES:
        found = re.search(words, contract)
        if found and (source := make(found, definitions, plain, link)):
            return source
    raise Unread("which records it is about")


Maker = Callable[["re.Match[str]", str, str, str], Source | None]
_ICD = re.compile(r"ICD-(9|10) code beginning with ([\w, ]+?)(?= or an ICD|;|$)")
_NOTHING = (
    "('___', 'UNKNOWN', 'Unknown', 'UNABLE TO OBTAIN', 'PATIENT DECLINED TO ANSWER', 'INFORMATION NOT AVAILABLE')"
)


def _link(contract: str) -> str:
    found = re.search(r"belong to the (?:ICU stay|admission) by their (\w+)", contract)
    return found[1] if found else "subject_id"


def _items(definitions: str, sort: str) -> str | None:
    """The first definition, if it names items of that sort and nothing else."""
    found = re.match(
        rf"[^;]*? means {sort} items? (\d[\d, ]*)(?: \([^;]*\))?(?: of the ICU record)?(?:;|$)", definitions
    )
    return f"s.itemid IN ({found[1].strip(' ,')})" if found else None


def quoted(said: str) -> str:
    """The texts that stand in quotes, as SQL literals."""
    return ", ".join(f"'{text}'" for text in re.findall(r"'([^']*)'", said))


def _measured(table: str, sort: str, value: str, unit: str, time: str) -> Maker:
    """Numbers of one item within a plausible range, in a unit."""

    def make(found: re.Match[str], definitions: str, plain: str, link: str) -> Source | None:
        items = _items(definitions, sort)
        units = ", ".join(f"'{u.strip()}'" for u in re.split(r" or |, ", found["unit"]))
        if items is None:
            return None
        support = f"s.{value} BETWEEN {found['low']} AND {found['high']} AND s.{unit} IN ({units})"
        shown = ("itemid", "value", *(("valuenum",) if value == "valuenum" else ()), unit)
        return Source(
            table, items, f"{support} AND s.{time} IS NOT NULL", f"s.{time}", f"s.{value}", link=link, shown=shown
        )

    return make


def _procedures(found: re.Match[str], definitions: str, plain: str, link: str) -> Source | None:
    items = _items(definitions, "procedure")
    ended = " AND s.starttime < s.endtime" if "end after they start" in found[0] else ""
    if items is None or ended:
        return None
    shown = ("itemid", "endtime", "value", "statusdescription")
    return Source("procedureevents", items, "s.starttime IS NOT NULL", "s.starttime", link=link, shown=shown)


def _infusions(found: re.Match[str], definitions: str, plain: str, link: str) -> Source | None:
    items = _items(definitions, "input")
    if items is None:
        return None
    support = (
        f"s.rate > 0 AND s.rate <= {found['high']} AND s.rateuom = '{found['unit']}' AND s.starttime < s.endtime "
        "AND s.statusdescription <> 'Rewritten'"
    )
    shown = ("itemid", "endtime", "rate", "rateuom", "statusdescription")
    return Source("inputevents", items, support, "s.starttime", "s.rate", link=link, shown=shown)


def _given(found: re.Match[str], definitions: str, plain: str, link: str) -> Source | None:
    named = re.match(r"[^;]*? means the entries (.*?) \(upper or lower case\)", definitions)
    if named is None:
        return None
    entry = f"lower(trim(s.medication)) IN ({quoted(named[1]).lower()})"
    support = f"s.event_txt IN ({quoted(found[0])}) AND s.charttime IS NOT NULL"
    whole = "not even" in found.string
    return Source(
        "emar",
        "TRUE" if whole else entry,
        support + (" AND s.medication IS NOT NULL AND s.medication <> '___'" if whole else ""),
        "s.charttime",
        hit=entry if whole else "TRUE",
        link=link,
        shown=("medication", "event_txt"),
        name="s.medication",
    )


_STATED = {
    r"insurance": "insurance",
    r"admission type": "admission_type",
    r"discharge destination|discharged to|destination": "discharge_location",
    r"origin|admitted from|admission source": "admission_location",
    r"race|ethnic": "race",
    r"language": "language",
    r"marital": "marital_status",
}


def _stated(found: re.Match[str], definitions: str, plain: str, link: str) -> Source | None:
    columns = [column for words, column in _STATED.items() if re.search(words, plain)]
    if len(columns) != 1:
        return None
    [column] = columns
    support = f"s.admittime < s.dischtime AND s.{column} IS NOT NULL AND s.{column} NOT IN {_NOTHING}"
    shown = ("hadm_id", "dischtime", column)
    return Source("admissions", "TRUE", support, "s.admittime", name=f"s.{column}", shown=shown)


def _visits(found: re.Match[str], definitions: str, plain: str, link: str) -> Source | None:
    if re.search(r"stretch|pause|out of hospital|days in|length", plain):
        return None
    shown = ("hadm_id", "dischtime")
    return Source("admissions", "TRUE", "s.admittime < s.dischtime", "s.admittime", shown=shown)


def _stays(found: re.Match[str], definitions: str, plain: str, link: str) -> Source | None:
    if re.search(r"stretch|pause|hours in|days in|length", plain):
        return None
    return Source("icustays", "TRUE", "s.intime < s.outtime", "s.intime", link=link, shown=("hadm_id", "outtime"))


def _moves(found: re.Match[str], definitions: str, plain: str, link: str) -> Source | None:
    if re.search(r"longest|hours|h spent", plain):
        return None
    support = f"s.careunit IS NOT NULL AND s.careunit NOT IN {_NOTHING} AND s.intime < s.outtime"
    return Source("transfers", "TRUE", support, "s.intime", name="s.careunit", link=link, shown=("careunit", "outtime"))


def _services(found: re.Match[str], definitions: str, plain: str, link: str) -> Source | None:
    support = f"s.curr_service IS NOT NULL AND s.curr_service NOT IN {_NOTHING} AND s.transfertime IS NOT NULL"
    return Source(
        "services", "TRUE", support, "s.transfertime", name="s.curr_service", link=link, shown=("curr_service",)
    )


def _codes(definitions: str) -> str | None:
    """The codes of the first definition."""
    families = []
    for version, prefixes in _ICD.findall(definitions.split(";")[0]):
        starts = " OR ".join(f"starts_with(s.icd_code, '{prefix.strip()}')" for prefix in prefixes.split(","))
        families.append(f"(s.icd_version = {version} AND ({starts}))")
    return f"({' OR '.join(families)})" if families else None


def _diagnoses(found: re.Match[str], definitions: str, plain: str, link: str) -> Source | None:
    said = found.string
    principal = "s.seq_num = 1" if "seq_num 1" in said else "TRUE"
    codes = _codes(definitions)
    title = "long_title" in said
    dictionary = (
        " JOIN d_icd_diagnoses AS d ON d.icd_code = s.icd_code AND d.icd_version = s.icd_version" if title else ""
    )
    return Source(
        "diagnoses_icd",
        principal if "not even" in said else f"{principal} AND {codes or 'TRUE'}",
        "s.icd_code IS NOT NULL AND s.icd_code <> '___' AND s.icd_version IN (9, 10) AND a.admittime < a.dischtime",
        "a.admittime",
        name="d.long_title" if title else "concat(s.icd_version, ':', s.icd_code)",
        hit=codes or "TRUE",
        link=link,
        join=f"JOIN (SELECT hadm_id, admittime, dischtime FROM admissions) AS a ON a.hadm_id = s.hadm_id{dictionary}",
        shown=("icd_code", "icd_version", "seq_num"),
        ids=("hadm_id",),
    )


def _levels(found: re.Match[str], definitions: str, plain: str, link: str) -> Source | None:
    column = re.search(r"means column (drg_\w+) of drgcodes", definitions)
    if column is None:
        return None
    return Source(
        "drgcodes",
        "s.drg_type = 'APR'",
        f"s.{column[1]} BETWEEN 1 AND 4",
        "a.admittime",
        f"s.{column[1]}",
        link=link,
        join="JOIN (SELECT hadm_id, admittime FROM admissions) AS a ON a.hadm_id = s.hadm_id",
        shown=("drg_type", "drg_code", column[1]),
        ids=("hadm_id",),
    )


def _orders(found: re.Match[str], definitions: str, plain: str, link: str) -> Source | None:
    sort = re.match(r"[^;]*? means provider orders with order_type '([^']*)'", definitions)
    if sort is None or re.search(r"percentage|share", plain):
        return None
    support = (
        "s.transaction_type = 'New' AND s.order_type IS NOT NULL AND s.order_type <> '___' AND s.ordertime IS NOT NULL"
    )
    hit = f"s.order_type = '{sort[1]}'"
    return Source("poe", "TRUE", support, "s.ordertime", hit=hit, link=link, shown=("order_type", "transaction_type"))


def _billed_procedures(found: re.Match[str], definitions: str, plain: str, link: str) -> Source | None:
    codes, title = _codes(definitions), "long_title" in found.string
    if codes is None and "group" in plain:
        return None
    name = "d.long_title" if title else "concat(s.icd_version, ':', s.icd_code)"
    dictionary = "JOIN d_icd_procedures AS d ON d.icd_code = s.icd_code AND d.icd_version = s.icd_version"
    return Source(
        "procedures_icd",
        codes or "s.icd_code IS NOT NULL AND s.icd_code <> '___' AND s.icd_version IN (9, 10)",
        "s.chartdate IS NOT NULL",
        "s.chartdate::TIMESTAMP",
        name=name,
        link=link,
        by_day=True,
        join=dictionary if title else "",
        shown=("icd_code", "icd_version", "chartdate"),
        ids=("hadm_id",),
    )


def _clinic(found: re.Match[str], definitions: str, plain: str, link: str) -> Source | None:
    named = re.match(r"[^;]*? means (?:the (first|second) number of )?the outpatient record's '([^']*)'", definitions)
    if named is None:
        return None
    value = f"TRY_CAST(split_part(s.result_value, '/', {2 if named[1] == 'second' else 1}) AS DOUBLE)"
    support = f"{value} BETWEEN {found['low']} AND {found['high']} AND s.chartdate IS NOT NULL"
    shown = ("result_name", "result_value", "chartdate")
    concept = f"s.result_name = '{named[2]}'"
    return Source("omr", concept, support, "s.chartdate::TIMESTAMP", value, by_day=True, shown=shown)


def _discharged_to(found: re.Match[str], definitions: str, plain: str, link: str) -> Source | None:
    place = re.match(r"[^;]*? means discharge_location '([^']*)'", definitions)
    if place is None:
        return None
    support = "s.admittime < s.dischtime AND s.discharge_location IS NOT NULL AND s.discharge_location <> '___'"
    hit = f"s.discharge_location = '{place[1]}'"
    return Source("admissions", "TRUE", support, "s.admittime", hit=hit, shown=("hadm_id", "discharge_location"))


def _coded_visits(found: re.Match[str], definitions: str, plain: str, link: str) -> Source | None:
    codes = _codes(definitions)
    if codes is None or re.search(r"stretch|pause", plain):
        return None
    return Source(
        "diagnoses_icd",
        codes,
        "a.admittime < a.dischtime",
        "a.admittime",
        join="JOIN (SELECT hadm_id, admittime, dischtime FROM admissions) AS a ON a.hadm_id = s.hadm_id",
        shown=("icd_code", "icd_version"),
        ids=("hadm_id",),
    )


def _drg_names(found: re.Match[str], definitions: str, plain: str, link: str) -> Source | None:
    return Source(
        "drgcodes",
        "s.drg_type = 'HCFA'",
        "s.description IS NOT NULL AND s.description <> '___' AND a.admittime < a.dischtime",
        "a.admittime",
        name="s.description",
        link=link,
        join="JOIN (SELECT hadm_id, admittime, dischtime FROM admissions) AS a ON a.hadm_id = s.hadm_id",
        shown=("drg_type", "drg_code", "description"),
        ids=("hadm_id",),
    )


_SOURCES: tuple[tuple[str, Maker], ...] = (
    (
        r"counting results with a number from (?P<low>[\d.]+) to (?P<high>[\d.]+) in (?P<unit>[^;]+?)(?:;|\.$|$)",
        _measured("labevents", "laboratory", "valuenum", "valueuom", "charttime"),
    ),
    (
        r"counting measurements from (?P<low>[\d.]+) to (?P<high>[\d.]+) (?P<unit>[^;]+?)(?:;|\.$|$)",
        _measured("chartevents", "charted", "valuenum", "valueuom", "charttime"),
    ),
    (
        r"counting entries of (?P<low>[\d.]+) to (?P<high>[\d.]+) (?P<unit>ml)(?:;|\.$|$)",
        _measured("outputevents", "output", "value", "valueuom", "charttime"),
    ),
    (r"counting ICU procedure records[^;]*", _procedures),
    (r"counting input records with a rate above 0 and at most (?P<high>[\d.]+) (?P<unit>\S+) that end", _infusions),
    (r"counting doses charted in the administration record as [^;]*", _given),
    (r"counting admissions that state it", _stated),
    (r"counting admissions that end after they begin(?:;|\.$|$)", _visits),
    (r"counting admissions that end after they begin and have such a code in any position", _coded_visits),
    (r"counting admissions with a discharge_location", _discharged_to),
    (r"counting billed procedure codes with a date", _billed_procedures),
    (r"counting measurements in omr \(mostly of clinics\) from (?P<low>[\d.]+) to (?P<high>[\d.]+) ", _clinic),
    (r"counting HCFA rows of drgcodes with a description", _drg_names),
    (r"counting ICU stays that end after they begin", _stays),
    (r"counting transfers with a known care unit that end after they begin", _moves),
    (r"counting service records with a service and a time", _services),
    (r"counting (?:billed )?diagnosis codes", _diagnoses),
    (r"counting APR-DRG rows with a level from 1 to 4", _levels),
    (r"counting new provider orders \(transaction_type 'New'\) with an order type", _orders),
)
"""What the contract says is counted, and how such records are found. The first that fits is meant."""
