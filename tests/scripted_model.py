"""A scripted OpenAI-compatible server on this machine, for everything that asks a model."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

KEY = "sk-not-to-be-seen"


class Script:
    """What the server answers, and what it was asked."""

    def __init__(self, reply: Callable[[str], tuple[int, str]]) -> None:
        self.reply = reply
        self.asked: list[dict[str, Any]] = []
        self.url = ""


@pytest.fixture
def serve() -> Iterator[Callable[[Callable[[str], tuple[int, str]]], Script]]:
    servers = []

    def start(reply: Callable[[str], tuple[int, str]]) -> Script:
        script = Script(reply)

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: object) -> None:
                pass

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                script.asked.append({**body, "authorization": self.headers["authorization"], "path": self.path})
                status, text = script.reply(body["messages"][-1]["content"])
                choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
                reply: dict[str, Any] = {"id": "x", "object": "chat.completion", "created": 0, "model": body["model"]}
                reply |= {"choices": [choice]} if status == 200 else {"error": {"message": f"key {KEY} is wrong"}}
                data = json.dumps(reply).encode()
                self.send_response(status)
                self.send_header("content-type", "application/json")
                if status == 307:
                    self.send_header("location", text)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        script.url = f"http://127.0.0.1:{server.server_port}/v1"
        return script

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()
