"""A language model behind an endpoint, asked for one reply at a time: patiently, within a rate, and counted.

What the endpoint's own faults cost (waiting, asking again) is kept apart from what the agent used: a busy server
changes no result.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from random import Random
from typing import TYPE_CHECKING, Any

from robustgym.endpoint import Endpoint
from robustgym.writable import writable
from schemas.runs import Decoding

if TYPE_CHECKING:
    import openai

Message = dict[str, Any]
"""One OpenAI chat message."""

TRIES = 6
"""Requests for one reply, the first included."""
SECONDS = 300.0
"""A request may take so long."""
LONGEST_WAIT = 600.0
"""Seconds that an endpoint may ask us to wait; one that asks for more has failed."""
_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 60.0

_TRY_AGAIN = frozenset({408, 409, 425, 429})
_SPOKEN = ("role", "content", "tool_calls", "reasoning_content", "reasoning", "refusal")
"""Fields of a reply that are kept, and sent back as the conversation goes on."""
_TOO_LONG = re.compile(r"context.{0,12}(length|window|size)|maximum.{0,20}(length|tokens)|too (long|many tokens)", re.I)


class EndpointFailed(Exception):
    """No reply could be had. Says why, without credentials."""

    def __init__(self, why: str, *, hopeless: bool = False) -> None:
        super().__init__(why)
        self.hopeless = hopeless
        """Whether asking again cannot help: the key, the model's name or the arguments are wrong."""


class ContextFull(Exception):
    """The conversation has outgrown what the model can read."""


@dataclass(frozen=True)
class ToolCall:
    """A call as the model wrote it."""

    id: str
    name: str
    arguments: str
    """JSON text, if the model kept to the protocol."""


@dataclass(frozen=True)
class Reply:
    """What the model said."""

    message: Message
    """As it goes back into the conversation."""
    calls: tuple[ToolCall, ...]
    finish: str
    """Why it stopped, as the endpoint says it: `stop`, `tool_calls`, `length` …"""
    model: str
    """As the endpoint names the model that answered."""
    prompt_tokens: int
    completion_tokens: int
    retries: int
    waited: float
    """Seconds from when it was first asked for until the request was sent that was answered."""

    @property
    def text(self) -> str:
        """Its words; some endpoints give them in parts."""
        content = self.message.get("content")
        parts = content if isinstance(content, list) else [{"text": content}]
        texts = [part.get("text") for part in parts if isinstance(part, dict)]
        return "".join(text for text in texts if isinstance(text, str))


@dataclass
class Pace:
    """When the next request may leave: never more than so many a minute, never before the endpoint asked us to."""

    per_minute: float | None = None
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic
    _next: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def wait(self) -> None:
        """Wait for a turn."""
        while True:
            with self._lock:
                now = self.clock()
                if now >= self._next:
                    self._next = now + (60.0 / self.per_minute if self.per_minute else 0.0)
                    return
                pause = self._next - now
            self.sleep(pause)

    def hold(self, seconds: float) -> None:
        """Let nobody ask for so long."""
        with self._lock:
            self._next = max(self._next, self.clock() + seconds)


class Chat:
    """A model that is asked for replies, from any thread."""

    def __init__(
        self,
        endpoint: Endpoint,
        decoding: Decoding = Decoding(),  # noqa: B008 - immutable
        *,
        pace: Pace | None = None,
        tries: int = TRIES,
        seconds: float = SECONDS,
    ) -> None:
        self.endpoint, self.decoding = endpoint, decoding
        self._pace = pace or Pace()
        self._tries, self._seconds = tries, seconds
        self._client = endpoint.client(seconds=seconds, retries=0)
        # Newer hosted models refuse the older name of this limit, local servers know no other.
        self._limit = "max_tokens"

    def ask(
        self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]], *, name: str, seed: int | None = None
    ) -> Reply:
        """The model's next words.

        Args:
            messages: The conversation so far.
            tools: What it may call, in OpenAI's form; none if the protocol is text.
            name: Whose turn it is; decides how pauses are spread.
            seed: Sent to the endpoint, if given.

        Raises:
            EndpointFailed: No reply could be had.
            ContextFull: The conversation is too long for the model.
        """
        import openai

        spread, began, why = Random(name), self._pace.clock(), ""
        for attempt in range(self._tries):
            if attempt:
                pause = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2 ** (attempt - 1)) * (0.5 + spread.random())
                self._pace.sleep(pause)
            self._pace.wait()
            waited = self._pace.clock() - began
            try:
                completion = self._client.chat.completions.create(**self._request(messages, tools, seed))
                return _reply(completion, attempt, waited)
            except openai.APITimeoutError:
                why = f"no answer within {self._seconds:g} s"
            except openai.APIConnectionError:
                why = "cannot be reached"
            except openai.APIStatusError as error:
                why = self._refused(error)
            except (openai.APIResponseValidationError, _NoCompletion, ValueError, RecursionError):
                why = "answered with something that is no chat completion"
        often = f", {self._tries} times" if self._tries > 1 else ""
        raise EndpointFailed(f"{self.endpoint.place}: {why}{often}")

    def close(self) -> None:
        """Give up the connections."""
        self._client.close()

    def _request(
        self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]], seed: int | None
    ) -> dict[str, Any]:
        asked = self.decoding
        wanted = {
            "temperature": asked.temperature,
            "top_p": asked.top_p,
            self._limit: asked.max_tokens,
            "reasoning_effort": asked.reasoning_effort,
            "seed": seed,
            "tools": list(tools) or None,
        }
        request: dict[str, Any] = {"model": self.endpoint.model, "messages": list(messages)}
        return request | {key: value for key, value in wanted.items() if value is not None}

    def _refused(self, error: openai.APIStatusError) -> str:
        """What to say of a status after which it is worth asking again.

        Raises:
            EndpointFailed: It is not.
            ContextFull: The conversation is too long.
        """
        status, said = error.status_code, self._said(error)
        where = f"{self.endpoint.place}: refused with status {status}"
        if status == 429 and "insufficient_quota" in (str(error.code), str(error.type)):
            raise EndpointFailed(f"{where}: the account's quota is used up", hopeless=True) from None
        if status in _TRY_AGAIN or status >= 500:
            wait = _retry_after(error.response.headers)
            if wait > LONGEST_WAIT:
                raise EndpointFailed(f"{where} and asks to wait {wait:,.0f} s") from None
            if wait > 0:
                self._pace.hold(wait)
            return f"answered with status {status}"
        if status in (400, 413, 422):
            if self._limit == "max_tokens" and "max_completion_tokens" in said:
                self._limit = "max_completion_tokens"
                return said
            if status == 413 or error.code == "context_length_exceeded" or _TOO_LONG.search(said):
                raise ContextFull from None
        # What is said of a key may repeat the key.
        raise EndpointFailed(where if status in (401, 403) or not said else f"{where}: {said}", hopeless=True) from None

    def _said(self, error: openai.APIStatusError) -> str:
        """The endpoint's own words, cut, without the key."""
        body = error.body
        said = body.get("message") if isinstance(body, dict) else body
        text = " ".join(str(said).split()) if said else ""
        if self.endpoint.key:
            text = text.replace(self.endpoint.key, "…")
        return re.sub(r"\b(sk-|Bearer )\S+", "…", text)[:300]


class _NoCompletion(Exception):
    """The endpoint answered 200 with something else."""


def _reply(completion: Any, retries: int, waited: float) -> Reply:
    """A completion as a reply. Servers leave out much of what the standard demands."""
    try:
        body = writable(completion.model_dump(mode="json", exclude_unset=True, warnings=False))
        choice = body["choices"][0]
        said = dict(choice["message"])
        calls = [_call(number, call) for number, call in enumerate(said.get("tool_calls") or ())]
    except (AttributeError, KeyError, IndexError, TypeError, ValueError):
        raise _NoCompletion from None
    message = {key: said[key] for key in _SPOKEN if said.get(key) is not None}
    message |= {"role": "assistant", "content": said.get("content")}
    if calls:
        message["tool_calls"] = [
            {"id": c.id, "type": "function", "function": {"name": c.name, "arguments": c.arguments}} for c in calls
        ]
    else:
        message.pop("tool_calls", None)
    return Reply(
        message=message,
        calls=tuple(calls),
        finish=str(choice.get("finish_reason") or ""),
        model=str(body.get("model") or ""),
        prompt_tokens=_tokens(body, "prompt_tokens"),
        completion_tokens=_tokens(body, "completion_tokens"),
        retries=retries,
        waited=waited,
    )


def _call(number: int, call: Mapping[str, Any]) -> ToolCall:
    function = call.get("function") or {}
    arguments = function.get("arguments")
    return ToolCall(
        id=str(call.get("id") or f"call_{number}"),
        name=str(function.get("name") or ""),
        arguments=arguments if isinstance(arguments, str) else _text(arguments),
    )


def _text(arguments: Any) -> str:
    return json.dumps(arguments) if arguments is not None else "{}"


def _tokens(body: Mapping[str, Any], kind: str) -> int:
    """Tokens that the endpoint counted; none where it does not say, or says what is no count."""
    usage = body.get("usage")
    said = usage.get(kind) if isinstance(usage, dict) else None
    return said if isinstance(said, int) and said > 0 else 0


def _retry_after(headers: Mapping[str, str]) -> float:
    """Seconds that the endpoint asks us to wait; 0 if it does not say.

    >>> _retry_after({"retry-after-ms": "1500"}), _retry_after({"retry-after": "2"}), _retry_after({"retry-after": "?"})
    (1.5, 2.0, 0.0)
    """
    try:
        if "retry-after-ms" in headers:
            return max(0.0, float(headers["retry-after-ms"]) / 1000)
        said = headers.get("retry-after", "0")
        if re.fullmatch(r"\d+(\.\d+)?", said):
            return float(said)
        return max(0.0, (parsedate_to_datetime(said) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return 0.0
