"""What it saves that population questions on one concept share its scan; the answers must stay the same.

A synthetic hospital is multiplied (the same records under other patients) until scans of `labevents` matter;
then the population questions on labs are answered one by one, and from one extract of the records they read.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import duckdb

from assets.pairs.scans import grouped
from assets.questions import ask, catalogue, fillings, gold_of
from assets.staging import find_source, stage
from assets.synthetic import write_hospital
from robustgym.hospital import Hospital
from schemas import concepts
from schemas.answers import Gold
from schemas.questions import Intent, Question, Scope
from schemas.tables import TABLES

PATIENTS, COPIES = 1000, 24
REFERENCES, TEMPLATES, LABS = 100, 5, 20
APART = 1_000_000
"""Added to every id, per copy: ids of MIMIC-IV have eight digits."""


def run() -> list[dict[str, Any]]:
    """Measure; one row per bar."""
    with tempfile.TemporaryDirectory() as folder:
        warehouse = multiplied(Path(folder))
        with Hospital.open(warehouse) as hospital:
            questions = asked()
            alone, one_by_one = timed(lambda: by_themselves(hospital, questions))
            shared, together = timed(lambda: sharing(hospital, questions))
            further = further_reference(hospital, questions)
            with hospital.session() as session:
                rows = session.fetch("SELECT count(*) FROM labevents")[1][0][0]
    ratio = one_by_one / together
    return [
        _row(
            f"gold: {len(questions)} references, {rows:,} labevents, one by one / shared scans: CPU",
            ratio,
            "×",
            10.0,
            ratio >= 10,
        ),
        _row("gold: answers that differ", float(sum(alone[k] != shared[k] for k in alone)), "", 0.0, alone == shared),
        _row("gold: a further reference on a concept already extracted: CPU", further, "ms", 20.0, further <= 20),
    ]


def multiplied(folder: Path) -> Path:
    """A warehouse with every patient's record many times over."""
    write_hospital(folder / "source", PATIENTS, 0, format="parquet", workers=1)
    stage(find_source(folder / "source"), folder / "once")
    copies = f"range({COPIES}) AS copy(k)"
    for name in ("patients", "admissions", "icustays", "diagnoses_icd", "labevents"):
        table = TABLES[name]
        ids = ("subject_id", "hadm_id", "stay_id", "labevent_id", "specimen_id")
        cells = ", ".join(f"CAST({c} + k * {APART} AS INTEGER) AS {c}" if c in ids else c for c in table.names)
        out = folder / "many" / f"{table.path}.parquet"
        out.parent.mkdir(parents=True, exist_ok=True)
        order = ", ".join(table.sort)
        duckdb.sql(
            f"COPY (SELECT {cells} FROM '{folder / 'once' / f'{table.path}.parquet'}', {copies} ORDER BY {order}) "
            f"TO '{out}' (FORMAT parquet)"
        )
    return folder / "many"


def asked() -> list[Question]:
    """Population questions on labs that read the multiplied tables alone, a few templates over many concepts."""
    known = concepts.load()
    questions: list[Question] = []
    tables = {"patients", "admissions", "icustays", "diagnoses_icd", "labevents"}
    for template in catalogue():
        of_labs = template.scope is Scope.POPULATION and template.intent is Intent.LABS and template.kind_name == "lab"
        if of_labs and set(template.tables) <= tables:
            draw = islice(fillings(template, known, "0"), REFERENCES)
            questions += [ask(template, filling, tables=template.tables) for filling in draw]
    # Many questions on few concepts, as in a release of the paper's size.
    by_concept: dict[object, list[Question]] = {}
    for question in questions:
        by_concept.setdefault(question.parameters["concept"], []).append(question)
    common = sorted(by_concept.values(), key=lambda found: (-len(found), str(found[0].parameters["concept"])))[:LABS]
    return [question for found in common for question in found[: REFERENCES // LABS]]


def by_themselves(hospital: Hospital, questions: list[Question]) -> dict[str, Gold]:
    """Each reference over the whole tables."""
    golds = {}
    for question in questions:
        with hospital.session() as session:
            columns, rows = session.fetch(question.reference_sql)
        golds[question.reference_sql] = gold_of(question, rows, columns)
    return golds


def sharing(hospital: Hospital, questions: list[Question]) -> dict[str, Gold]:
    """The same as the build does it."""
    golds = {}
    for scan, group in grouped(questions, lambda question: (question,)):
        with hospital.extract(scan.tests, scan.words) as extracts, hospital.session(extracts=extracts) as session:
            for question in group:
                columns, rows = session.fetch(question.reference_sql)
                golds[question.reference_sql] = gold_of(question, rows, columns)
    return golds


def further_reference(hospital: Hospital, questions: list[Question]) -> float:
    """CPU milliseconds of one reference over an extract that is there, the median of several."""
    scan, group = max(grouped(questions, lambda question: (question,)), key=lambda pair: len(pair[1]))
    spent = []
    with hospital.extract(scan.tests, scan.words) as extracts, hospital.session(extracts=extracts) as session:
        for question in group * 5:
            begun = time.process_time()
            session.fetch(question.reference_sql)
            spent.append(1000 * (time.process_time() - begun))
    return sorted(spent)[len(spent) // 2]


def timed(work: Callable[[], dict[str, Gold]]) -> tuple[dict[str, Gold], float]:
    """The result and the CPU seconds it took."""
    begun = time.process_time()
    return work(), time.process_time() - begun


def _row(name: str, value: float, unit: str, bar: float, ok: bool) -> dict[str, Any]:
    return {"name": name, "value": round(value, 2), "unit": unit, "bar": bar, "ok": ok}
