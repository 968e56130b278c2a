"""The model's opinion of the wording, asked of a scripted OpenAI-compatible server on this machine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assets.validation.model_check import PROMPT, Wording, check_wording
from robustgym.endpoint import Endpoint
from schemas.errors import InputError
from schemas.release import ModelCheck
from tests.scripted_model import KEY, Script

GOOD = json.dumps({"both_natural": True, "differs_only_where_it_should": True, "objection": ""})
BAD = json.dumps({"both_natural": False, "differs_only_where_it_should": True, "objection": "nobody asks that"})

PAIRS = (
    Wording("a1", "What was the first lactate?", "What was the first lactate?", "in the record. Lactates are removed."),
    Wording("b2", "How long was stay 1?", "How long was stay 2?", "in the question. stay_id: 1 became 2"),
)


def endpoint(script: Script) -> Endpoint:
    return Endpoint(script.url, "reader-1", KEY)


def test_without_an_endpoint_nothing_is_verified_and_that_is_said(tmp_path: Path) -> None:
    check = check_wording(PAIRS, None, answers=tmp_path / "answers.jsonl", kind="synthetic")
    assert check == ModelCheck()
    assert check.status == "not verified by a model"


def test_opinions_are_counted_and_objections_kept(serve: Any, tmp_path: Path) -> None:
    script = serve(lambda text: (200, BAD if "stay 1" in text else f"Here you are:\n```json\n{GOOD}\n```"))
    answers = tmp_path / "kept" / "answers.jsonl"
    check = check_wording(PAIRS, endpoint(script), answers=answers, kind="synthetic")
    assert (check.status, check.model, check.asked) == ("verified by a model", "reader-1", 2)
    assert (check.natural, check.differs_only_where_it_should) == (1, 2)
    assert check.objections == (("b2", "nobody asks that"),)
    assert check.endpoint == script.url.split("/")[2]
    assert check.date is not None
    assert check.prompt_sha256 is not None
    [request, _] = script.asked
    assert request["path"] == "/v1/chat/completions"
    assert request["authorization"] == f"Bearer {KEY}"
    assert request["messages"][0]["content"] == PROMPT
    assert KEY not in answers.read_text() + check.model_dump_json() + repr(endpoint(script))


def test_an_answer_is_asked_for_once_and_keeps_its_date(serve: Any, tmp_path: Path) -> None:
    script = serve(lambda _: (200, GOOD))
    answers = tmp_path / "answers.jsonl"
    first = check_wording(PAIRS, endpoint(script), answers=answers, kind="synthetic")
    lines = [json.loads(line) | {"date": "2001-02-03"} for line in answers.read_text().splitlines()]
    answers.write_text("".join(json.dumps(line) + "\n" for line in lines) + '{"key": "torn by a ki')
    again = check_wording(PAIRS, endpoint(script), answers=answers, kind="synthetic")
    assert len(script.asked) == 2
    assert again == first.model_copy(update={"date": "2001-02-03"})
    reworded = (PAIRS[0], Wording("b2", "How many days was stay 1?", PAIRS[1].noise, PAIRS[1].change))
    check_wording(reworded, endpoint(script), answers=answers, kind="synthetic")
    assert len(script.asked) == 3


def test_an_unusable_answer_is_an_objection_and_is_not_kept(serve: Any, tmp_path: Path) -> None:
    script = serve(lambda _: (200, "I like it."))
    answers = tmp_path / "answers.jsonl"
    check = check_wording(PAIRS[:1], endpoint(script), answers=answers, kind="synthetic")
    assert check.objections == (("a1", "the model gave no usable answer"),)
    assert (check.asked, check.natural) == (1, 0)
    assert len(script.asked) == 2
    assert answers.read_text() == ""


def test_a_refusal_is_said_without_the_key(serve: Any, tmp_path: Path) -> None:
    script = serve(lambda _: (401, ""))
    with pytest.raises(InputError, match="refused with status 401") as refused:
        check_wording(PAIRS, endpoint(script), answers=tmp_path / "answers.jsonl", kind="synthetic")
    assert KEY not in str(refused.value)


def test_a_server_that_is_not_there_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("openai._base_client.BaseClient._calculate_retry_timeout", lambda *_, **__: 0.0)
    nobody = Endpoint("http://127.0.0.1:9/v1", "reader-1")
    with pytest.raises(InputError, match="cannot be reached"):
        check_wording(PAIRS, nobody, answers=tmp_path / "answers.jsonl", kind="synthetic")


def test_credentialed_texts_go_nowhere_else_unless_confirmed(tmp_path: Path) -> None:
    elsewhere = Endpoint("https://models.example.org/v1", "reader-1", KEY)
    with pytest.raises(InputError, match="zero-retention"):
        check_wording(PAIRS, elsewhere, answers=tmp_path / "answers.jsonl", kind="credentialed")
    assert check_wording((), elsewhere, answers=tmp_path / "a", kind="credentialed", confirmed=True).asked == 0


def test_a_local_endpoint_hands_nothing_on(serve: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    elsewhere = serve(lambda _: (200, GOOD))
    moved = serve(lambda _: (307, f"{elsewhere.url}/chat/completions"))
    monkeypatch.setenv("HTTP_PROXY", elsewhere.url)
    monkeypatch.setenv("NO_PROXY", "")
    with pytest.raises(InputError, match="refused with status 307"):
        check_wording(PAIRS, endpoint(moved), answers=tmp_path / "answers.jsonl", kind="credentialed")
    assert moved.asked
    assert not elsewhere.asked


def test_half_an_endpoint_is_refused() -> None:
    with pytest.raises(InputError, match="ROBUSTGYM_MODEL: not set"):
        Endpoint.of({"ROBUSTGYM_MODEL_URL": "http://127.0.0.1:1/v1"})
    with pytest.raises(InputError, match="not a web address"):
        Endpoint.of({"ROBUSTGYM_MODEL_URL": "127.0.0.1", "ROBUSTGYM_MODEL": "m"})
