"""A directory in PhysioNet's layout: which tables it has, in which format, and under which licence."""

from __future__ import annotations

import hashlib
import json
import os
import re
from dataclasses import dataclass
from pathlib import Path

from schemas.errors import InputError, Problem
from schemas.release import SourceKind
from schemas.tables import TABLES

FORMATS = (".csv.gz", ".csv", ".parquet")
"""Suffixes a table may have, in any mix over the tables. Parquet may also be a folder of files, with the suffix or
without it: `hosp/labevents/part-000.parquet`."""

# `wget -r` of PhysioNet makes physionet.org/files/mimiciv/3.1/: the folder that matters is four levels down.
_SEARCH_DEPTH = 4
_RELEASES = {"19dfd55fac45035ba8e9f4c7e59180ee5184e877504f098e517a434d2646366a": "demo-v2.2"}
_VERSION = re.compile(r"\bMIMIC-IV[^\n]{0,40}?\bv?([23]\.[0-9])\b", re.IGNORECASE)


@dataclass(frozen=True)
class Source:
    """A hospital's files, found but not yet read."""

    root: Path
    """The directory that holds `hosp/` and `icu/`."""
    kind: SourceKind
    """Decides the licence of all that is made from it. In doubt `credentialed`, the safe side."""
    version: str
    """`v2.2`, `v3.1`, `demo-v2.2`, … as the files beside the tables say, never a folder's name; or `unknown`."""
    files: dict[str, Path]
    """Table name to file, or to the folder of its parquet files, in the order of `TABLES`."""

    @property
    def missing(self) -> tuple[str, ...]:
        """Tables the source doesn't have; what needs them is left out of a release."""
        return tuple(name for name in TABLES if name not in self.files)

    def name_of(self, table: str) -> str:
        """The table's file as messages name it: `hosp/labevents.csv.gz`."""
        return self.files[table].relative_to(self.root).as_posix()

    def size_of(self, table: str) -> int:
        """Bytes of the table's file, or of all its files."""
        return sum(part.stat().st_size for part in parts(self.files[table]))


def parts(path: Path) -> tuple[Path, ...]:
    """The files of a table: itself, or the parquet files in its folder by name. What tools hide is no part."""
    if not path.is_dir():
        return (path,)
    return tuple(path / name for name in _list(path) if name.endswith(".parquet") and name[0] not in "._")


def find_source(directory: Path) -> Source:
    """Find the tables in `directory`, or in the one folder below it that has them.

    Args:
        directory: What the user gave: the folder with `hosp/` and `icu/`, or one above it, as downloads leave it.

    Raises:
        InputError: No such directory or it can't be read; no tables, or several sets of them; a table in two formats;
            no patients or no admissions. All problems at once.
    """
    directory = Path(directory)
    if not directory.exists():
        raise InputError(Problem(str(directory), "there is no such directory", "check the path"))
    if not directory.is_dir():
        raise InputError(Problem(str(directory), "this is a file", "give the directory that holds hosp/ and icu/"))
    root = _root(directory)
    files, problems = _files(root)
    problems += [
        Problem(
            f"{root}/{table.path}",
            f"the table `{name}` is missing, and nothing can be built without it",
            f"add {table.path}.csv.gz",
        )
        for name, table in TABLES.items()
        if table.indispensable and name not in files
    ]
    if problems:
        raise InputError(problems)
    kind = _kind(root)
    return Source(root, kind, _version(root, kind), {name: files[name] for name in TABLES if name in files})


def _root(directory: Path) -> Path:
    """The folder that holds `hosp/` or `icu/`: the one given, or the only one below it."""
    if _holds_modules(directory):
        return directory
    if directory.name in ("hosp", "icu") and _holds_modules(directory.resolve().parent):
        raise InputError(
            Problem(str(directory), f"this is only the `{directory.name}` module", "give the directory above it")
        )
    found = _below(directory, _SEARCH_DEPTH)
    if len(found) == 1:
        return found[0]
    if found:
        names = ", ".join(str(path) for path in found)
        raise InputError(Problem(str(directory), f"it holds {len(found)} sources", f"give one of them: {names}"))
    lying = next((name for name in TABLES if any((directory / f"{name}{suffix}").exists() for suffix in FORMATS)), None)
    if lying:
        what = f"the table `{lying}` lies here, but no hosp/ or icu/ folder"
        raise InputError(Problem(str(directory), what, "put the tables into hosp/ and icu/, as PhysioNet does"))
    raise InputError(
        Problem(
            str(directory),
            "no MIMIC-IV tables were found here or in the folders below",
            "give the directory that holds hosp/ and icu/",
        )
    )


def _holds_modules(directory: Path) -> bool:
    return any((directory / module).is_dir() for module in ("hosp", "icu"))


def _below(directory: Path, depth: int) -> list[Path]:
    """Folders at most `depth` levels below that hold modules, nearest first, by name."""
    level, found = [directory], list[Path]()
    for _ in range(depth):
        level = [child for parent in level for child in _folders(parent)]
        found += [child for child in level if _holds_modules(child)]
        level = [child for child in level if child not in found]
    return found


def _folders(directory: Path) -> list[Path]:
    return [
        directory / entry for entry in _list(directory) if not entry.startswith(".") and (directory / entry).is_dir()
    ]


def _list(directory: Path) -> list[str]:
    try:
        return sorted(os.listdir(directory))
    except OSError as error:
        raise InputError(_unreadable(directory, error)) from error


def _unreadable(path: Path, error: OSError) -> Problem:
    reason = (error.strerror or "unknown error").lower()
    return Problem(str(path), f"it can't be read: {reason}", "check its permissions")


def _files(root: Path) -> tuple[dict[str, Path], list[Problem]]:
    files, problems = dict[str, Path](), list[Problem]()
    entries = {module: _list(root / module) for module in ("hosp", "icu") if (root / module).is_dir()}
    for name, table in TABLES.items():
        listed = entries.get(table.module, ())
        present = [f"{name}{suffix}" for suffix in FORMATS if f"{name}{suffix}" in listed]
        if name in listed and (root / table.module / name).is_dir():
            present.append(name)
        if len(present) > 1:
            what = f"the table is there {len(present)} times: {', '.join(present)}"
            problems.append(Problem(f"{root}/{table.path}", what, "keep one of them"))
        if present:
            path = root / table.module / present[0]
            if path.is_file() or (path.is_dir() and path.suffix in ("", ".parquet")):
                files[name] = path
                if not parts(path):
                    problems.append(Problem(str(path), "the folder holds no parquet files", "fill or remove it"))
            else:
                problems.append(Problem(str(path), "this is not a file", "unpack or replace it"))
    return files, problems


def _kind(root: Path) -> SourceKind:
    licence = _text(root / "LICENSE.txt")
    # A credentialed licence decides, whatever else lies beside it.
    if "PhysioNet Credentialed" in licence:
        return "credentialed"
    if (root / "SYNTHETIC.json").is_file():
        return "synthetic"
    if "Open Database License" in licence or (root / "demo_subject_id.csv").is_file():
        return "demo"
    return "credentialed"


def _version(root: Path, kind: SourceKind) -> str:
    if kind == "synthetic":
        try:
            document = json.loads(_text(root / "SYNTHETIC.json"))
        except ValueError:
            return "unknown"
        return str(document.get("generator", "unknown")) if isinstance(document, dict) else "unknown"
    sums = root / "SHA256SUMS.txt"
    if sums.is_file() and (release := _RELEASES.get(hashlib.sha256(_text(sums).encode()).hexdigest())):
        return release
    for name in ("CHANGELOG.txt", "README.txt", "README.md", "LICENSE.txt"):
        if match := _VERSION.search(_text(root / name)):
            return ("demo-v" if kind == "demo" else "v") + match[1]
    return "demo" if kind == "demo" else "unknown"


def _text(path: Path) -> str:
    """The file's text, or nothing where there is no such file."""
    try:
        return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
    except OSError as error:
        raise InputError(_unreadable(path, error)) from error
