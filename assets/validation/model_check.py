"""A language model's opinion of the wording: optional, kept, and never the only judge.

Whether a pair is right is decided by running its references. A model is asked only what no reference can tell: do both
questions read as a clinician would write them, and does the pair differ only where it should? Without an endpoint the
release says "not verified by a model".
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from robustgym.endpoint import Endpoint
from robustgym.licence import require_permission
from schemas.errors import InputError, Problem
from schemas.overlays import Delete, Edit, Insert, Update
from schemas.pairs import Condition, GoldRow
from schemas.release import ModelCheck, SourceKind

if TYPE_CHECKING:
    from openai import OpenAI

Progress = Callable[[str, int, int], None]
A = TypeVar("A", bound=BaseModel)

AT_ONCE = 4
"""Requests under way at a time: what a local server works on without queueing."""

EDITS_SHOWN = 8
"""Edits of an overlay that are described to the model; an overlay may have hundreds of the same sort."""

PROMPT = """\
You review pairs of tasks for a benchmark of clinical agents. Each pair holds a question that a hospital record answers
(CLEAN) and the same task after a fault was introduced (NOISE), into the record or into the question. CHANGE describes
the fault. You see the questions, not the record.

Judge two things:
1. both_natural: would a clinician or a hospital analyst write both questions this way? Identifiers in place of names
   and a sentence that says what to return are expected and are no objection.
2. differs_only_where_it_should: is the difference between the two tasks exactly the fault described, and nothing else?
   If the fault is in the record, the two questions must be the same.

Answer with one JSON object and nothing else:
{"both_natural": true or false, "differs_only_where_it_should": true or false, "objection": "one sentence, or empty"}
"""


class Opinion(BaseModel):
    """What the model says of one pair."""

    model_config = ConfigDict(extra="ignore", strict=True)

    both_natural: bool
    differs_only_where_it_should: bool
    objection: str = ""


@dataclass(frozen=True)
class Wording:
    """The texts of one pair, and what was done to make its noise task."""

    pair_id: str
    clean: str
    noise: str
    change: str

    @property
    def text(self) -> str:
        """What the model reads."""
        return f"CLEAN: {self.clean}\nNOISE: {self.noise}\nCHANGE: {self.change}"


def wordings(rows: Sequence[GoldRow], summaries: Mapping[str, str]) -> tuple[Wording, ...]:
    """The wording of every pair.

    Args:
        rows: Both tasks of every pair, sorted by pair.
        summaries: What each operator does to the record, in a sentence, by its name.
    """
    found = []
    for pair, both in groupby(rows, key=lambda row: row.pair_id):
        tasks = {row.condition: row for row in both}
        clean, noise = tasks[Condition.CLEAN], tasks[Condition.NOISE]
        found.append(Wording(pair, clean.question, noise.question, _change(clean, noise, summaries[noise.operator])))
    return tuple(found)


def _change(clean: GoldRow, noise: GoldRow, summary: str) -> str:
    if not noise.overlay.edits:
        changed = sorted(
            name
            for name in {*clean.parameters, *noise.parameters}
            if clean.parameters.get(name) != noise.parameters.get(name)
        )
        slots = ", ".join(f"{n}: {clean.parameters.get(n)!r} became {noise.parameters.get(n)!r}" for n in changed)
        return f"in the question. {summary} {slots}"
    edits = noise.overlay.edits
    shown = "; ".join(_edit(edit) for edit in edits[:EDITS_SHOWN])
    more = f"; and {len(edits) - EDITS_SHOWN} more" if len(edits) > EDITS_SHOWN else ""
    return f"in the record. {summary} {shown}{more}"


def _edit(edit: Edit) -> str:
    match edit:
        case Update():
            cells = ", ".join(f"{c} {edit.before[c]!r} became {v!r}" for c, v in sorted(edit.after.items()))
            return f"{edit.table}: {cells}"
        case Delete():
            return f"{edit.table}: a row removed, {_cells(edit.before)}"
        case Insert():
            return f"{edit.table}: a row added, {_cells(edit.after)}"
        case _:
            put = getattr(edit, "put", {})
            done = ", ".join(f"{c} set to {v}" for c, v in sorted(put.items())) or "removed"
            return f"{edit.table}: rows {'copied' if edit.kind == 'copy_where' else 'changed'} by rule, {done}"


def _cells(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{column} {value!r}" for column, value in sorted(values.items()))


def check_wording(
    pairs: Sequence[Wording],
    endpoint: Endpoint | None,
    *,
    answers: Path,
    kind: SourceKind,
    confirmed: bool = False,
    progress: Progress | None = None,
) -> ModelCheck:
    """Ask the model about every pair it has not been asked about before.

    Args:
        pairs: What to ask about.
        endpoint: Whom to ask; None leaves the release "not verified by a model".
        answers: JSON-lines file of answers already given, by content: model, prompt and texts.
        kind: Licence class of the source. Credentialed texts go to a local endpoint, or to one that is confirmed.
        confirmed: Whether a zero-retention agreement with the endpoint was confirmed.
        progress: Called once per answer.

    Raises:
        InputError: The endpoint may not be asked, cannot be reached or refuses.
    """
    if endpoint is None:
        return ModelCheck()
    known = consult(
        endpoint,
        PROMPT,
        [pair.text for pair in pairs],
        Opinion,
        answers=answers,
        kind=kind,
        confirmed=confirmed,
        progress=lambda done, of: progress(f"{endpoint.model} reads the pairs", done, of) if progress else None,
    )
    return _sum(pairs, known, endpoint)


def consult(
    endpoint: Endpoint,
    prompt: str,
    texts: Sequence[str],
    answer: type[A],
    *,
    answers: Path,
    kind: SourceKind,
    confirmed: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, tuple[str, A]]:
    """What a model answers to each text: asked once, kept by content, and taken from there ever after.

    Args:
        endpoint: Whom to ask.
        prompt: What to do with each text.
        texts: What the model reads.
        answer: The form its answers must have, as one JSON object.
        answers: JSON-lines file of answers already given to this prompt, by content: model, prompt and text.
        kind: Licence class of the source. Credentialed texts go to a local endpoint, or to one that is confirmed.
        confirmed: Whether a zero-retention agreement with the endpoint was confirmed.
        progress: Called once per answer.

    Returns:
        Date and answer by text; without the texts to which no usable answer was given.

    Raises:
        InputError: The endpoint may not be asked, cannot be reached or refuses.
    """
    require_permission(kind, endpoint.url, confirmed)
    kept = _read(answers, answer)
    keys = {text: _key(endpoint.model, prompt, text) for text in texts}
    open_ = [text for text, key in keys.items() if key not in kept]
    if open_:
        answers.parent.mkdir(parents=True, exist_ok=True)
        with answers.open("a", encoding="utf-8") as file:
            for done, (text, reply) in enumerate(_ask(endpoint, prompt, open_, answer), start=1):
                if reply is not None:
                    date = datetime.now(UTC).date().isoformat()
                    kept[keys[text]] = (date, reply)
                    line = {"key": keys[text], "date": date, **reply.model_dump()}
                    file.write(json.dumps(line, sort_keys=True) + "\n")
                    file.flush()
                if progress:
                    progress(done, len(open_))
    return {text: kept[key] for text, key in keys.items() if key in kept}


def _sum(pairs: Sequence[Wording], known: Mapping[str, tuple[str, Opinion]], endpoint: Endpoint) -> ModelCheck:
    given = {pair.pair_id: known[pair.text] for pair in pairs if pair.text in known}
    objections = []
    for pair in pairs:
        if pair.pair_id not in given:
            objections.append((pair.pair_id, "the model gave no usable answer"))
            continue
        opinion = given[pair.pair_id][1]
        if not (opinion.both_natural and opinion.differs_only_where_it_should):
            objections.append((pair.pair_id, opinion.objection or "no reason given"))
    return ModelCheck(
        status="verified by a model",
        model=endpoint.model,
        endpoint=endpoint.host,
        date=max((date for date, _ in given.values()), default=None),
        prompt_sha256=hashlib.sha256(PROMPT.encode()).hexdigest(),
        asked=len(pairs),
        natural=sum(opinion.both_natural for _, opinion in given.values()),
        differs_only_where_it_should=sum(o.differs_only_where_it_should for _, o in given.values()),
        objections=tuple(objections),
    )


def _key(model: str, prompt: str, text: str) -> str:
    return hashlib.sha256("\x1f".join((model, prompt, text)).encode()).hexdigest()


def _read(answers: Path, answer: type[A]) -> dict[str, tuple[str, A]]:
    """Answers given before. A line torn by a kill is no answer: its text is asked about again."""
    known = {}
    if answers.is_file():
        for line in answers.read_text(encoding="utf-8").splitlines():
            try:
                kept = json.loads(line)
            except json.JSONDecodeError:
                continue
            key, date = kept.pop("key"), kept.pop("date")
            known[key] = (date, answer.model_validate(kept))
    return known


def _ask(endpoint: Endpoint, prompt: str, texts: Sequence[str], answer: type[A]) -> Iterator[tuple[str, A | None]]:
    """Ask about each text, a few at a time; answers come in the order of the texts."""
    client = endpoint.client(seconds=120, retries=3)
    pool = ThreadPoolExecutor(AT_ONCE)
    try:
        yield from pool.map(lambda text: (text, _reply(client, endpoint, prompt, text, answer)), texts)
    finally:
        pool.shutdown(cancel_futures=True)
        client.close()


def _reply(client: OpenAI, endpoint: Endpoint, prompt: str, about: str, answer: type[A]) -> A | None:
    """The model's answer; None if it gives no usable one in two tries."""
    import openai

    where = f"ROBUSTGYM_MODEL_URL, {endpoint.host}"
    for _ in range(2):
        try:
            reply = client.chat.completions.create(
                model=endpoint.model,
                messages=[{"role": "system", "content": prompt}, {"role": "user", "content": about}],
                temperature=0,
            )
        # The messages of these errors may repeat the key: only what kind of error it was is passed on.
        except openai.APIConnectionError:
            raise InputError(
                Problem(where, "cannot be reached", "start the server, or unset ROBUSTGYM_MODEL_URL")
            ) from None
        except openai.APIStatusError as error:
            raise InputError(
                Problem(where, f"refused with status {error.status_code}", "look at ROBUSTGYM_MODEL and the key")
            ) from None
        text = (reply.choices[0].message.content or "") if reply.choices else ""
        try:
            return answer.model_validate_json(text[text.find("{") : text.rfind("}") + 1])
        except ValidationError:
            continue
    return None
