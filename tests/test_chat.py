"""A model asked for replies, over real HTTP: what passes is waited out, what does not is said."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from robustgym.chat import Chat, ContextFull, EndpointFailed, Pace
from robustgym.endpoint import Endpoint
from schemas.runs import Decoding
from tests.scripted_endpoint import Answer, in_turn, refuses, says, serving

SECRET = "sk-not-to-be-seen"
HELLO = [{"role": "user", "content": "hello"}]


@pytest.fixture
def naps() -> list[float]:
    return []


@pytest.fixture
def chat_at(naps: list[float]) -> Iterator[Callable[..., Chat]]:
    """A client whose waits pass at once and are noted."""
    opened: list[Chat] = []
    now = [0.0]

    def nap(seconds: float) -> None:
        naps.append(seconds)
        now[0] += seconds

    def make(url: str, *, per_minute: float | None = None, **more: Any) -> Chat:
        pace = Pace(per_minute, sleep=nap, clock=lambda: now[0])
        opened.append(Chat(Endpoint(url, "reader-1", SECRET), pace=pace, **more))
        return opened[-1]

    yield make
    for chat in opened:
        chat.close()


@pytest.mark.parametrize(
    ("fault", "least"),
    [
        (refuses(429, retry_after="7"), 14.0),
        (refuses(503, retry_after_ms="2500"), 5.0),
        (refuses(500), 1.5),
        (refuses(408), 1.5),
        (Answer("<html>bad gateway</html>", headers={"content-type": "text/html"}), 1.5),
        (Answer({"choices": []}), 1.5),
        (Answer({"choices": None, "error": "overloaded"}), 1.5),
        (Answer("not json"), 1.5),
        (Answer("[" * 100_000), 1.5),
        (Answer(["a list"]), 1.5),
        (Answer({"choices": ["hello"]}), 1.5),
        (Answer({"choices": [{"message": "hello"}]}), 1.5),
        (says(None, tool_calls=["sql"]), 1.5),
        (says(None, tool_calls=5), 1.5),
        (says(None, tool_calls=[{"id": "a", "function": "sql"}]), 1.5),
    ],
)
def test_a_passing_fault_is_waited_out(
    fault: Answer, least: float, chat_at: Callable[..., Chat], naps: list[float]
) -> None:
    with serving(in_turn(fault, fault, says("hello"))) as endpoint:
        reply = chat_at(endpoint.url).ask(HELLO, [], name="a")
    assert (reply.text, reply.retries) == ("hello", 2)
    assert reply.waited == pytest.approx(sum(naps))
    assert sum(naps) >= least


@pytest.mark.parametrize("usage", [None, "none", [1], {}, {"prompt_tokens": "many"}, {"prompt_tokens": -5}])
def test_a_count_that_is_none_gives_no_budget_back(usage: Any, chat_at: Callable[..., Chat]) -> None:
    with serving(in_turn(Answer({**says("hello").body, "usage": usage}))) as endpoint:
        reply = chat_at(endpoint.url).ask(HELLO, [], name="a")
    assert (reply.text, reply.prompt_tokens, reply.completion_tokens) == ("hello", 0, 0)


def test_words_in_parts_are_words(chat_at: Callable[..., Chat]) -> None:
    parts = [
        {"type": "thinking", "thinking": []},
        {"type": "text", "text": "hel"},
        {"type": "text", "text": "lo\ud800"},
    ]
    with serving(in_turn(says(None, content=parts))) as endpoint:
        assert chat_at(endpoint.url).ask(HELLO, [], name="a").text == "hello?"


def test_a_request_that_takes_too_long_is_sent_again(chat_at: Callable[..., Chat]) -> None:
    with serving(in_turn(Answer({}, after=0.6), says("hello"))) as endpoint:
        assert chat_at(endpoint.url, seconds=0.2).ask(HELLO, [], name="a").retries == 1


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        (refuses(401, f"Incorrect API key: {SECRET}"), "status 401"),
        (refuses(404, "The model reader-1 does not exist."), "does not exist"),
        (refuses(400, f"tools are not supported, {SECRET}"), "tools are not supported"),
        (refuses(429, code="insufficient_quota"), "quota"),
        (refuses(429, retry_after="86400"), "asks to wait"),
    ],
)
def test_a_lasting_fault_is_not(fault: Answer, why: str, chat_at: Callable[..., Chat]) -> None:
    with serving(in_turn(fault)) as endpoint:
        with pytest.raises(EndpointFailed, match=why) as failed:
            chat_at(endpoint.url).ask(HELLO, [], name="a")
        assert len(endpoint.asked) == 1
    assert SECRET not in str(failed.value)


def test_an_endpoint_that_stays_down_has_failed(chat_at: Callable[..., Chat], naps: list[float]) -> None:
    with serving(in_turn(refuses(502))) as endpoint, pytest.raises(EndpointFailed, match="status 502, 4 times"):
        chat_at(endpoint.url, tries=4).ask(HELLO, [], name="a")
    assert len(naps) == 3
    assert naps[2] > naps[0]


def test_a_redirect_is_not_followed(chat_at: Callable[..., Chat]) -> None:
    with serving(in_turn(says("elsewhere"))) as elsewhere:
        away = Answer({}, 307, {"location": f"{elsewhere.url}/chat/completions"})
        with serving(in_turn(away)) as endpoint, pytest.raises(EndpointFailed):
            chat_at(endpoint.url, tries=2).ask(HELLO, [], name="a")
        assert not elsewhere.asked


def test_the_newer_name_of_a_limit_is_learnt(chat_at: Callable[..., Chat]) -> None:
    def script(body: dict[str, Any]) -> Answer:
        if "max_tokens" in body:
            return refuses(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
        return says("hello")

    with serving(script) as endpoint:
        chat_at(endpoint.url, decoding=Decoding(max_tokens=9)).ask(HELLO, [], name="a")
        assert endpoint.asked[-1]["max_completion_tokens"] == 9


def test_context_is_told_from_other_refusals(chat_at: Callable[..., Chat]) -> None:
    for said in ("maximum context length is 8192 tokens", "the request exceeds the available context size"):
        with serving(in_turn(refuses(400, said))) as endpoint, pytest.raises(ContextFull):
            chat_at(endpoint.url).ask(HELLO, [], name="a")


def test_requests_leave_no_faster_than_allowed(chat_at: Callable[..., Chat], naps: list[float]) -> None:
    with serving(in_turn(says("hello"))) as endpoint:
        chat = chat_at(endpoint.url, per_minute=30)
        for _ in range(4):
            chat.ask(HELLO, [], name="a")
    assert naps == pytest.approx([2.0, 2.0, 2.0])
