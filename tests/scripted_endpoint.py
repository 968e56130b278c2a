"""An OpenAI-compatible endpoint on this machine that answers by a script, over real HTTP."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any

SNAPSHOT = "reader-1-2026-10-01"


@dataclass(frozen=True)
class Answer:
    """One HTTP response."""

    body: Any = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    after: float = 0.0
    """Seconds until it comes."""


Script = Callable[[dict[str, Any]], Answer]
"""What is answered to a request."""


class Endpoint:
    """The server, and what it was asked: every request's body, with its headers under `headers`."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.asked: list[dict[str, Any]] = []
        self.at: list[float] = []
        self.url = ""


@contextmanager
def serving(script: Script) -> Iterator[Endpoint]:
    """A server while the block runs."""
    endpoint, lock = Endpoint(script), threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            pass

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            with lock:
                endpoint.asked.append({**body, "headers": dict(self.headers), "path": self.path})
                endpoint.at.append(time.monotonic())
            answer = endpoint.script(body)
            time.sleep(answer.after)
            data = answer.body.encode() if isinstance(answer.body, str) else json.dumps(answer.body).encode()
            try:
                self.send_response(answer.status)
                for name, value in {"content-type": "application/json", **answer.headers}.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)
            except (BrokenPipeError, ConnectionResetError):
                pass  # the client was killed, or has not waited

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    endpoint.url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield endpoint
    finally:
        server.shutdown()
        server.server_close()


def says(text: str | None, *calls: tuple[str, Any], finish: str = "", **more: Any) -> Answer:
    """A reply: words, and calls of tools with their arguments (an object, or any text in its place)."""
    message: dict[str, Any] = {"role": "assistant", "content": text, **more}
    if calls:
        message["tool_calls"] = [
            {
                "id": f"id_{number}",
                "type": "function",
                "function": {"name": tool, "arguments": a if isinstance(a, str) else json.dumps(a)},
            }
            for number, (tool, a) in enumerate(calls)
        ]
    choice = {"index": 0, "message": message, "finish_reason": finish or ("tool_calls" if calls else "stop")}
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
    body = {"id": "x", "object": "chat.completion", "created": 0, "model": SNAPSHOT, "choices": [choice]}
    return Answer(body | {"usage": usage})


def in_turn(*answers: Answer) -> Script:
    """Answers one after the other; the last again and again."""
    number = count()
    return lambda body: answers[min(next(number), len(answers) - 1)]


def refuses(status: int, message: str = "no", *, code: str | None = None, **headers: str) -> Answer:
    """An error."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer({"error": {"message": message, "type": "error", "code": code}}, status, named)
