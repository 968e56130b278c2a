"""Download of the open MIMIC-IV demo from PhysioNet, each file checked against the published sums."""

from __future__ import annotations

import hashlib
import http.client
import re
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from urllib.parse import quote, urljoin

from schemas.errors import InputError, Problem

DEMO_URL = "https://physionet.org/files/mimic-iv-demo/2.2/"
SUMS = "SHA256SUMS.txt"

Progress = Callable[[str, int, int], None]
"""Called with a file's name, how many files are done, and how many there are."""

_TIMEOUT = 60.0
_CHUNK = 1 << 16
_SUM_LINE = re.compile(r"([0-9a-fA-F]{64}) [ *]?(.+)")


def fetch_demo(destination: Path, *, base_url: str = DEMO_URL, progress: Progress | None = None) -> Path:
    """Download the demo, or what is still missing of it.

    Files that are there and right are kept, so a download that broke off goes on where it stopped. A file appears
    under its name only when its sum is right.

    Args:
        destination: Directory to download into, made if it isn't there.
        base_url: Address of the folder that holds SHA256SUMS.txt, with a slash at its end.
        progress: Told after each file.

    Returns:
        `destination`, which holds `hosp/` and `icu/`.

    Raises:
        InputError: Every file that could not be had or isn't what was published.
    """
    destination = Path(destination)
    try:
        destination.mkdir(parents=True, exist_ok=True)
        listing = _get(urljoin(base_url, SUMS)).decode("utf-8", "replace")
        sums = _parsed(listing, urljoin(base_url, SUMS))
        problems: list[Problem] = []
        for done, (name, digest) in enumerate(sorted(sums.items())):
            path = destination / name
            if not (path.is_file() and _digest(path) == digest):
                try:
                    _download(urljoin(base_url, quote(name)), path, digest)
                except InputError as error:
                    problems += error.problems
            if progress is not None:
                progress(name, done + 1, len(sums))
        if problems:
            raise InputError(problems)
        (destination / SUMS).write_text(listing, encoding="utf-8")
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        what = f"it can't be written: {reason}"
        raise InputError(Problem(str(destination), what, "free some space, or name another directory")) from error
    return destination


def _parsed(listing: str, url: str) -> dict[str, str]:
    """File name to SHA-256 in hexadecimal, of a list as `sha256sum` writes it.

    >>> _parsed("0" * 64 + " hosp/patients.csv.gz", "")["hosp/patients.csv.gz"][:4]
    '0000'
    """
    sums: dict[str, str] = {}
    for line in filter(None, map(str.strip, listing.splitlines())):
        match = _SUM_LINE.fullmatch(line)
        # The list comes from the network: it must not name a place outside the destination.
        if match is None or PurePosixPath(match[2]).is_absolute() or ".." in PurePosixPath(match[2]).parts:
            raise InputError(Problem(url, "this is not a list of SHA-256 sums", "check the address"))
        if match[2] != SUMS:
            sums[match[2]] = match[1].lower()
    if not sums:
        raise InputError(Problem(url, "the list of files is empty", "check the address"))
    return sums


def _download(url: str, path: Path, digest: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.part")
    try:
        temporary.write_bytes(data := _get(url))
        if hashlib.sha256(data).hexdigest() != digest:
            raise InputError(
                Problem(url, "what came is not what was published: its SHA-256 differs", "try again later")
            )
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _get(url: str) -> bytes:
    """What the address holds, whole.

    Raises:
        InputError: It can't be had, or only in part.
    """
    try:
        with urllib.request.urlopen(url, timeout=_TIMEOUT) as response:
            data = bytearray()
            while chunk := response.read(_CHUNK):
                data += chunk
            expected = response.headers.get("Content-Length")
            if expected is not None and len(data) < int(expected):
                raise http.client.IncompleteRead(bytes(data), int(expected) - len(data))
            return bytes(data)
    except urllib.error.HTTPError as error:
        raise InputError(
            Problem(url, f"the server answers {error.code} {error.reason}", "check the address")
        ) from error
    except http.client.IncompleteRead as error:
        raise InputError(Problem(url, "the transfer broke off", "run it again: it goes on where it stopped")) from error
    except (urllib.error.URLError, http.client.HTTPException, TimeoutError, ConnectionError) as error:
        reason = getattr(error, "reason", error)
        what = f"the server can't be reached ({reason})"
        raise InputError(Problem(url, what, "check the connection and run it again")) from error
    except ValueError as error:
        raise InputError(Problem(url, f"this is not an address ({error})", "write it as https://…/")) from error


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
