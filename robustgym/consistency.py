"""What a release must hold true by itself, without the hospital: files, canary, ids, pairs, splits, balance.

Each check yields a sentence for everything that is wrong, and stops at nothing.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from robustgym import overlap
from robustgym.gold import canonical
from robustgym.layout import CANARY_KEY, CHECKSUMS, MANIFEST, path_of
from robustgym.licence import LICENCES
from robustgym.release import Release
from robustgym.yardsticks import DUE
from schemas.json_schema import PUBLISHED
from schemas.noise import Level, Promise
from schemas.pairs import Condition, GoldRow, Pair, Split, Task
from schemas.release import Manifest, Profile

DOCUMENTS = ("CHANGELOG.md", "DATASHEET.md", "LICENSE.txt", "README.md", "croissant.json", "report.html")
"""Files every release has beside its tables, manifest and checksums."""

_LINE = re.compile(r"([0-9a-f]{64}) [ *]?(\S.*)")

_SIGMAS = 5.0
"""How far a mean of ids may lie from the middle: 5 standard errors come by chance once in 1.7 million."""

_NEIGHBOURS = 12
"""Pairs whose two tasks may be neighbours by id. One is expected, whatever the size; 13 are no chance."""


def checksums(release: Release) -> Iterator[str]:
    """Every file is there, is what `SHA256SUMS.txt` and the manifest say, and no other file is."""
    there = {p.relative_to(release.path).as_posix(): p for p in sorted(release.path.rglob("*")) if p.is_file()}
    needed = {*DOCUMENTS, MANIFEST, CHECKSUMS, *(f"schemas/{name}.json" for name in PUBLISHED)}
    needed |= {path_of(model, split) for model in (Task, GoldRow) for split in Split}
    yield from (f"{name} is missing." for name in sorted(needed - there.keys()))
    if CHECKSUMS not in there:
        return
    said: dict[str, str] = {}
    for number, line in enumerate(_read(there[CHECKSUMS]).splitlines(), 1):
        if found := _LINE.fullmatch(line):
            said[found[2]] = found[1]
        elif line and not line.startswith("#"):
            yield f"{CHECKSUMS}, line {number}, is not a checksum and a path."
    yield from (f"{name} is in {CHECKSUMS} and not in the release." for name in sorted(said.keys() - there.keys()))
    yield from (
        f"{name} is in the release and not in {CHECKSUMS}." for name in sorted(there.keys() - said.keys() - {CHECKSUMS})
    )
    sums = {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in there.items()}
    for name in sorted(said.keys() & sums.keys()):
        if sums[name] != said[name]:
            yield f"{name} was altered: its sha256 is {sums[name][:12]}…, published was {said[name][:12]}…."
    listed = {entry.path: entry for entry in release.manifest.files}
    for name in sorted(listed.keys() ^ (there.keys() - {MANIFEST, CHECKSUMS})):
        yield f"{name} is in {'the manifest and not in the release' if name in listed else 'no list of the manifest'}."
    for name in sorted(listed.keys() & sums.keys()):
        if sums[name] != listed[name].sha256 or there[name].stat().st_size != listed[name].bytes:
            yield f"{name} is not the file that the manifest describes."


def canary(release: Release) -> Iterator[str]:
    """The canary is in every text file, and in the metadata of every parquet file."""
    mark = release.manifest.canary
    for path in sorted(p for p in release.path.rglob("*") if p.is_file()):
        name = path.relative_to(release.path).as_posix()
        if path.suffix != ".parquet":
            # In HTML and JSON as in plain text: the mark holds nothing that would be escaped.
            if mark not in _read(path):
                yield f"{name} does not carry the canary."
            continue
        try:
            metadata = pq.read_schema(path).metadata or {}
        except (OSError, pa.ArrowException) as error:
            yield f"{name} cannot be read: {str(error).splitlines()[0]}."
            continue
        if metadata.get(CANARY_KEY.encode(), b"").decode(errors="replace") != mark:
            yield f"{name} does not carry the canary in its metadata."


def documents(release: Release) -> Iterator[str]:
    """What is JSON parses, the tables are as long as the manifest says, the licence and the scores are as they must."""
    for name in ("croissant.json", *(f"schemas/{name}.json" for name in PUBLISHED)):
        path = release.path / name
        if path.is_file():
            try:
                json.loads(_read(path))
            except json.JSONDecodeError as error:
                yield f"{name} is not JSON: {error}."
    for entry in release.manifest.files:
        split = next((s for s in Split if f"/{s}/" in entry.path), None)
        if entry.rows is not None and split and entry.rows != len(release.gold(split)):
            yield f"{entry.path} should have {entry.rows} rows; there are {len(release.gold(split))} tasks in {split}."
    if release.manifest.licence != release.manifest.source.kind:
        yield f"The licence class is {release.manifest.licence}, the source is {release.manifest.source.kind}."
    terms, licence = release.path / "LICENSE.txt", LICENCES[release.manifest.licence]
    if terms.is_file() and licence.url not in _read(terms):
        yield f"LICENSE.txt is not the {licence.name}, which the manifest names."
    for one in release.manifest.shortcuts:
        if one.broken:
            yield (
                f"{one.of.capitalize()}: the condition can be told before the first query, AUC {one.auc} "
                f"(at least {one.low}); at most {one.bound} is allowed."
            )
    for name, due in DUE.items():
        if (score := release.manifest.yardsticks.get(name)) != due:
            yield f"The manifest has {score} for {name.replace('_', ' ')}; no release is published without {due:.0f}."


def tasks(release: Release) -> Iterator[str]:
    """`tasks` says of each task what `gold` says, in the same order, and nothing of a condition."""
    for split in Split:
        seen, gold = release.tasks(split), release.gold(split)
        if [task.task_id for task in seen] != sorted({row.task_id for row in gold}):
            yield f"tasks/{split} does not hold the tasks of gold/{split} once each, in the order of their ids."
        known = {row.task_id: row for row in gold}
        for task in seen:
            row = known.get(task.task_id)
            if row and (task.question, task.answer) != (row.question, row.answer):
                yield f"Task {task.task_id}: question or contract is not the same in tasks and gold."
        yield from (
            f"Task {row.task_id} is of {row.split} and lies in gold/{split}." for row in gold if row.split != split
        )


def ids(found: Iterable[GoldRow]) -> Iterator[str]:
    """Ids tell nothing: whatever the trait, its tasks lie evenly over all ids, and a pair's two are no neighbours."""
    rows = sorted(found, key=lambda row: row.task_id)
    traits: tuple[Callable[[GoldRow], object], ...] = (
        lambda row: f"condition {row.condition}",
        lambda row: f"split {row.split}",
        lambda row: f"level {row.level}, {row.condition}",
        lambda row: f"operator {row.operator}, {row.condition}",
        lambda row: f"gold answer {'null' if row.gold is None else 'given'}",
    )
    groups: dict[object, list[float]] = {}
    for row in rows:
        for trait in traits:
            groups.setdefault(trait(row), []).append(int(row.task_id, 16) / 16**16)
    for name, places in groups.items():
        # Mean of n independent uniform numbers: ½ ± 1/√(12 n).
        off = abs(sum(places) / len(places) - 0.5) * math.sqrt(12 * len(places))
        if off > _SIGMAS:
            yield f"The ids give {name} away: they lie {off:.1f} standard errors off the middle."
    near = sum(a.pair_id == b.pair_id for a, b in pairwise(rows))
    if near > _NEIGHBOURS:
        yield f"The ids give pairs away: {near} pairs have their tasks side by side; about one would by chance."
    borne = Counter(row.task_id for row in rows)
    yield from (f"The id {name} is borne by {n} tasks." for name, n in sorted(borne.items()) if n > 1)


def pairs(found: Sequence[Pair]) -> Iterator[str]:
    """The halves of a pair agree on what they share, differ where they should, and their answers keep the promise."""
    shared = ("split", "intent", "scope", "level", "operator", "severity", "origin", "template", "promise")
    for clean, noise in found:
        where = f"Pair {clean.pair_id}"
        if odd := [name for name in shared if getattr(clean, name) != getattr(noise, name)]:
            yield f"{where}: its tasks differ in {', '.join(odd)}."
        if clean.gold is None:
            yield f"{where}: the clean task has no answer."
        if noise.origin == "natural":
            yield from (f"{where}: {what}" for what in _natural(clean, noise))
        elif noise.level is Level.QUERY:
            if noise.overlay.edits:
                yield f"{where}: the fault is in the question, and yet the record is edited."
            if noise.question == clean.question:
                yield f"{where}: the fault should be in the question, and both tasks ask the same."
        elif (noise.question, noise.answer) != (clean.question, clean.answer):
            yield f"{where}: the fault is in the record, and yet the tasks ask different things."
        elif not noise.overlay.edits:
            yield f"{where}: the fault should be in the record, and nothing is edited."
        if broken := broken_promise(noise.promise, clean.gold, noise.gold):
            yield f"{where}: {broken}"
        if noise.gold is None and noise.level is Level.QUERY and not (noise.worlds or noise.schema_evidence):
            yield f"{where}: nothing is declared that could be evidence of an abstention."


def _natural(clean: GoldRow, noise: GoldRow) -> Iterator[str]:
    """What is wrong with a pair whose fault was found: a template asks alike of two units, and nothing is edited."""
    if noise.overlay.edits:
        yield "the fault was found in the record, and yet the record is edited."
    if noise.answer != clean.answer or noise.reference_sql == clean.reference_sql:
        yield "its tasks should ask the same of two units, or of two concepts."
    if noise.promise is not Promise.ABSTENTION or not noise.worlds:
        yield "a natural fault takes the answer away, and is told from worlds without it."


def broken_promise(promise: Promise, clean: object, noise: object) -> str:
    """How the two gold answers break the promise, as a sentence; empty if they keep it.

    >>> broken_promise(Promise.ABSTENTION, 4.2, 4.2)
    'abstention is promised, and the noise task has the answer 4.2.'
    """
    same = canonical(clean) == canonical(noise)
    match promise:
        case Promise.ABSTENTION if noise is not None:
            return f"abstention is promised, and the noise task has the answer {canonical(noise)}."
        case Promise.UNCHANGED if not same:
            return f"an unchanged answer is promised: {canonical(clean)} became {canonical(noise)}."
        case Promise.RECOMPUTED if noise is None or same:
            return f"another answer is promised, and the noise task has {canonical(noise)}."
    return ""


def splits(rows: Iterable[GoldRow]) -> Iterator[str]:
    """Train and test share no patient and no population question's parameters."""
    shared = overlap.measure(rows)
    yield from (f"Patient {subject} is asked about in train and in test." for subject in shared.patients)
    yield from (f"The population question {asked} is asked in train and in test." for asked in shared.parameters)


def balance(manifest: Manifest, found: Iterable[Pair]) -> Iterator[str]:
    """The pairs are as many per cell as the manifest counts, never more than the profile asks for, and only its own.

    A training cell may have more than its share, where another cannot carry its own; all together they may not.
    """
    found = tuple(found)
    cells = Counter(pair.clean.cell for pair in found)
    said = {name: n for name, n in manifest.counts.items() if name.count("/") == 3}
    yield from (
        f"Cell {name}: the manifest counts {said.get(name, 0)} pairs, there are {cells[name]}."
        for name in sorted(said.keys() | cells.keys())
        if said.get(name, 0) != cells[name]
    )
    wanted = _wanted(manifest)
    for name, n in sorted(cells.items()):
        if name.startswith(f"{Split.TEST}/") and n > wanted.get(name, 0):
            yield f"Cell {name}: {n} pairs, the profile asks for {wanted.get(name, 0)}."
    if (n := sum(pair.clean.split is Split.TRAIN for pair in found)) > manifest.profile.train_pairs:
        yield f"There are {n} training pairs, the profile asks for {manifest.profile.train_pairs}."
    for name in ("all", *Split):
        n = sum(name in ("all", pair.clean.split) for pair in found)
        if manifest.counts.get(name) != n:
            yield f"The manifest counts {manifest.counts.get(name)} pairs ({name}), there are {n}."
    yield from abstentions(manifest.profile, found)
    odd = sorted(p.clean.pair_id for p in found if p.noise.promise not in manifest.profile.promises)
    yield from (f"Pair {pair_id}: the profile publishes no such promise." for pair_id in odd)


def abstentions(profile: Profile, found: Iterable[Pair]) -> Iterator[str]:
    """Who abstains whatever is asked is right on no more of a cell's noise tasks than one who draws lots.

    Chance is one in as many as there are promises: abstain, stay with the answer, or find another one.
    """
    found = tuple(found)
    cells = Counter(pair.clean.cell for pair in found)
    silent = Counter(pair.clean.cell for pair in found if pair.noise.gold is None)
    for name, n in sorted(silent.items()):
        if n > (most := profile.abstentions_of(cells[name])):
            yield f"Cell {name}: {n} of {cells[name]} noise tasks are to be abstained from, at most {most} may be."


def short_cells(manifest: Manifest) -> Iterator[str]:
    """Cells with fewer pairs than the profile asks for: no fault where the source cannot carry more."""
    for name, asked in sorted(_wanted(manifest).items()):
        if (n := manifest.counts.get(name, 0)) < asked:
            yield f"Cell {name} has {n} of {asked} pairs."


def _wanted(manifest: Manifest) -> dict[str, int]:
    """Pairs the profile asks for, by cell as manifests name it."""
    return {"/".join(cell): n for cell, n in manifest.profile.wanted().items()}


def conditions(found: Iterable[Pair]) -> Iterator[tuple[Condition, GoldRow, GoldRow]]:
    """Every task of every pair, with the noise task that holds the pair's overlay."""
    for clean, noise in found:
        yield Condition.CLEAN, clean, noise
        yield Condition.NOISE, noise, noise


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")
