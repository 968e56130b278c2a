"""The demo's download, against a server on this machine."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from robustgym.fetch import fetch_demo
from schemas.errors import InputError

FILES = {"LICENSE.txt": b"ODbL\n", "hosp/patients.csv.gz": b"p" * 100_000, "icu/icustays.csv.gz": b"i" * 10}


class PhysioNet:
    """A server that holds the demo, and can be told to misbehave."""

    def __init__(self) -> None:
        self.files = dict(FILES)
        self.asked: list[str] = []
        self.break_off: set[str] = set()
        lines = [f"{hashlib.sha256(data).hexdigest()} {name}" for name, data in FILES.items()]
        self.files["SHA256SUMS.txt"] = "\n".join([*lines, "0" * 64 + " SHA256SUMS.txt", ""]).encode()
        physionet = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                name = self.path.removeprefix("/demo/")
                physionet.asked.append(name)
                data = physionet.files.get(name)
                self.send_response(404 if data is None else 200)
                self.send_header("Content-Length", str(len(data or b"")))
                self.end_headers()
                if data is not None:
                    self.wfile.write(data[: len(data) // 2] if name in physionet.break_off else data)

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/demo/"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def physionet() -> Iterator[PhysioNet]:
    server = PhysioNet()
    yield server
    server.close()


def visible(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_everything_listed_arrives(physionet: PhysioNet, tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []
    root = fetch_demo(tmp_path / "new" / "demo", base_url=physionet.url, progress=lambda *a: told.append(a))
    assert {name: (root / name).read_bytes() for name in FILES} == FILES
    assert visible(root) == {*FILES, "SHA256SUMS.txt"}
    assert told[-1][1:] == (3, 3)


def test_what_is_right_is_not_fetched_again(physionet: PhysioNet, tmp_path: Path) -> None:
    fetch_demo(tmp_path, base_url=physionet.url)
    (tmp_path / "LICENSE.txt").write_bytes(b"something else")
    (tmp_path / "icu/icustays.csv.gz").unlink()
    physionet.asked.clear()
    fetch_demo(tmp_path, base_url=physionet.url)
    assert sorted(physionet.asked) == ["LICENSE.txt", "SHA256SUMS.txt", "icu/icustays.csv.gz"]
    assert (tmp_path / "LICENSE.txt").read_bytes() == FILES["LICENSE.txt"]


def test_a_corrupted_file_and_a_missing_one_are_both_named(physionet: PhysioNet, tmp_path: Path) -> None:
    physionet.files["hosp/patients.csv.gz"] = b"q" * 100_000
    del physionet.files["icu/icustays.csv.gz"]
    with pytest.raises(InputError) as caught:
        fetch_demo(tmp_path, base_url=physionet.url)
    corrupted, missing = caught.value.problems
    assert corrupted.where.endswith("hosp/patients.csv.gz")
    assert "SHA-256" in corrupted.what
    assert missing.where.endswith("icu/icustays.csv.gz")
    assert "404" in missing.what
    assert visible(tmp_path) == {"LICENSE.txt"}


def test_an_interrupted_transfer_is_said_and_taken_up_again(physionet: PhysioNet, tmp_path: Path) -> None:
    physionet.break_off = {"hosp/patients.csv.gz"}
    with pytest.raises(InputError, match="broke off"):
        fetch_demo(tmp_path, base_url=physionet.url)
    assert "hosp/patients.csv.gz" not in visible(tmp_path)
    physionet.break_off = set()
    physionet.asked.clear()
    fetch_demo(tmp_path, base_url=physionet.url)
    assert physionet.asked == ["SHA256SUMS.txt", "hosp/patients.csv.gz"]


def test_no_server(physionet: PhysioNet, tmp_path: Path) -> None:
    physionet.close()
    with pytest.raises(InputError, match="can't be reached"):
        fetch_demo(tmp_path, base_url=physionet.url)


@pytest.mark.parametrize("listing", [b"<html>Not what you think</html>", b"", b"0" * 64 + b" ../../outside"])
def test_a_listing_that_is_none(physionet: PhysioNet, tmp_path: Path, listing: bytes) -> None:
    physionet.files["SHA256SUMS.txt"] = listing
    with pytest.raises(InputError, match="list of"):
        fetch_demo(tmp_path, base_url=physionet.url)
    assert visible(tmp_path) == set()


def test_an_address_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not an address"):
        fetch_demo(tmp_path, base_url="physionet.org/")


def test_a_destination_that_cannot_be_written(physionet: PhysioNet, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(InputError, match="can't be written"):
        fetch_demo(tmp_path / "file" / "demo", base_url=physionet.url)
