"""A language model behind any OpenAI-compatible endpoint, with the endpoint's own tool calling or through plain text.

Between its replies nothing is added but what the tools showed, and a reminder when it calls none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from robustgym.chat import Chat, ContextFull, EndpointFailed, Message, Reply
from robustgym.environment import Action, Environment, Observation
from schemas.runs import Stop

Protocol = Literal["tools", "text"]

REMINDERS = 2
"""A model that calls no tool is reminded so often in a row before it has given up."""

_ARGUMENT = {"schema": "table", "sql": "statement", "python": "code", "submit": "answer"}
"""What the body of a block is, by tool."""
_BLOCK = re.compile(r"```[ \t]*(schema|sql|python|submit)[ \t]*\n(.*?)(?:```|\Z)", re.DOTALL | re.IGNORECASE)
_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)
_REASONING = ("reasoning_content", "reasoning")


@dataclass
class Conversation:
    """One episode as the model had it."""

    messages: list[Message] = field(default_factory=list)
    requests: int = 0
    retries: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    models: list[str] = field(default_factory=list)
    """What the endpoint called the model that answered, without repetition."""
    error: EndpointFailed | None = None
    """Why it could not be brought to its end."""


class Llm:
    """A model at work. One object serves any number of episodes at a time."""

    def __init__(self, chat: Chat, protocol: Protocol = "tools") -> None:
        self._chat, self._protocol = chat, protocol

    def converse(
        self,
        environment: Environment,
        observation: Observation,
        *,
        name: str,
        seed: int | None = None,
        idle: Callable[[float], None] = lambda seconds: None,
    ) -> Conversation:
        """Let the model work an episode that has just been reset, to its end.

        Args:
            environment: Where it works.
            observation: What it is told.
            name: The episode's, for the spread of pauses.
            seed: Sent to the endpoint with each request.
            idle: Told the seconds that went by because the endpoint was busy or failing.
        """
        said = Conversation([{"role": "system", "content": system_prompt(observation.tools, self._protocol)}])
        said.messages.append({"role": "user", "content": _first(observation)})
        tools = observation.tools if self._protocol == "tools" else []
        silent = 0
        while environment.stop is None:
            try:
                reply = self._chat.ask(self._sent(said.messages), tools, name=f"{name}/{said.requests}", seed=seed)
            except ContextFull:
                environment.end(Stop.TOKENS)
                break
            except EndpointFailed as error:
                said.error = error
                environment.end(Stop.FAILED)
                break
            idle(reply.waited)
            _count(said, reply)
            environment.used(reply.prompt_tokens + reply.completion_tokens)
            said.messages.append(reply.message)
            answered = self._act(environment, reply)
            said.messages += answered
            silent = 0 if answered else silent + 1
            if environment.stop is None and not answered:
                if silent > REMINDERS:
                    environment.end(Stop.GAVE_UP)
                    break
                said.messages.append({"role": "user", "content": _reminder(self._protocol, reply)})
        return said

    def _sent(self, messages: Sequence[Message]) -> list[Message]:
        """The conversation as it goes out. In plain text a model's thoughts are not sent back to it."""
        if self._protocol == "tools":
            return list(messages)
        return [{key: value for key, value in message.items() if key not in _REASONING} for message in messages]

    def _act(self, environment: Environment, reply: Reply) -> list[Message]:
        """Do what the reply calls for; the messages that answer it."""
        if self._protocol == "text":
            action = called(reply.text, cut=reply.finish == "length")
            if action is None:
                return []
            return [{"role": "user", "content": f"Result of {action.tool}:\n{environment.step(action).text}"}]
        answers = []
        for call in reply.calls:
            arguments, complaint = _arguments(call.arguments)
            text = complaint + environment.step(Action(call.name, arguments)).text
            answers.append({"role": "tool", "tool_call_id": call.id, "content": text})
        return answers


def system_prompt(tools: Sequence[Mapping[str, Any]], protocol: Protocol) -> str:
    """What every episode begins with.

    Args:
        tools: The tools there are, in OpenAI's form.
        protocol: How they are called.
    """
    if protocol == "tools":
        return _prompt("system")
    lines = [_prompt("system"), _prompt("text")]
    for tool in tools:
        function = tool["function"]
        [(argument, about)] = function["parameters"]["properties"].items()
        lines.append(f"## {function['name']}\n{function['description']}\n\nBody: {argument}. {about['description']}")
    return "\n\n".join(lines)


def called(text: str, *, cut: bool = False) -> Action | None:
    r"""The call that a reply in plain text makes, if it makes one.

    Args:
        text: The reply.
        cut: Whether it was cut short: a block without an end is no call then.

    >>> called("I look at the patient first.\n```sql\nSELECT 1\n```")
    Action(tool='sql', arguments={'statement': 'SELECT 1'})
    >>> called("```schema\n```"), called("<think>```sql\nSELECT 1\n```</think> It is 4.2.")
    (Action(tool='schema', arguments={}), None)
    """
    found = _BLOCK.search(_THOUGHT.sub("", text))
    if found is None or (cut and not found[0].endswith("```")):
        return None
    tool, body = found[1].lower(), found[2].strip()
    return Action(tool, {_ARGUMENT[tool]: body} if body or tool != "schema" else {})


def _arguments(text: str) -> tuple[dict[str, Any], str]:
    """A call's arguments, and what to say to the model if they are none."""
    try:
        # Statements are written with line breaks in them, which JSON does not allow and everybody understands.
        arguments = json.loads(text or "{}", strict=False)
    except (ValueError, RecursionError) as error:
        # A number of thousands of digits is a ValueError of another kind.
        why = error.msg if isinstance(error, json.JSONDecodeError) else "too deep, or a number too long"
        return {"not_json": text[:2000]}, f"The arguments are not JSON ({why}). "
    if not isinstance(arguments, dict):
        return {"not_an_object": text[:2000]}, "The arguments are not a JSON object. "
    return arguments, ""


def _count(said: Conversation, reply: Reply) -> None:
    said.requests += 1
    said.retries += reply.retries
    said.prompt_tokens += reply.prompt_tokens
    said.completion_tokens += reply.completion_tokens
    if reply.model and reply.model not in said.models:
        said.models.append(reply.model)


def _first(observation: Observation) -> str:
    budget = observation.budget
    return (
        f"{observation.question}\n\nBudget: {budget.turns} tool calls, {budget.seconds:g} seconds, "
        f"{budget.tokens:,} tokens."
    )


def _reminder(protocol: Protocol, reply: Reply) -> str:
    cut = "Your reply was cut short before it called a tool. " if reply.finish == "length" else ""
    how = "Call a tool" if protocol == "tools" else "Write one fenced block with the name of a tool"
    return f"{cut}{how}; the task ends when you submit an answer."


@cache
def _prompt(name: str) -> str:
    return files("robustgym").joinpath("prompts", f"{name}.md").read_text(encoding="utf-8").strip()


def llm(chat: Chat, protocol: Protocol = "tools") -> Llm:
    """The agent.

    Args:
        chat: The model to ask.
        protocol: `tools` where the endpoint has tool calling, else `text`.
    """
    return Llm(chat, protocol)
