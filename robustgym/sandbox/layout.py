"""Where the interpreter of the sandbox and its few packages are: all that a cell's process may read.

Neither the gym's own code, which holds the operators, nor anything else installed beside it is among them.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import sys
import sysconfig
import tempfile
from dataclasses import dataclass
from functools import cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

PACKAGES = ("numpy", "pandas", "polars", "pyarrow", "tzdata")
"""What cells can import beside the standard library, with what these need."""

NOT_STANDARD = ("site-packages", "dist-packages")
"""In the folder of the standard library, but not of it."""

_LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64")

INSIDE = Path(__file__).resolve().parent / "inside"
"""The program of the sandbox."""


@dataclass(frozen=True)
class Layout:
    """Paths on this machine, links resolved."""

    executable: Path
    """The interpreter; not a virtual environment's own, which finds that environment by where it lies."""
    prefix: Path
    """The folder that the interpreter was installed to."""
    standard: Path
    """The folder of the standard library. Packages may be installed into it."""
    shared: tuple[Path, ...]
    """Shared libraries that came with the interpreter."""
    system: tuple[Path, ...]
    """Folders of the system's shared libraries. Pythons below them are not to be seen."""
    packages: tuple[Path, ...]
    """Files and folders of `PACKAGES`, and the program of the sandbox."""

    def standard_entries(self) -> list[Path]:
        """What the standard library consists of, sorted."""
        return sorted(entry for entry in self.standard.iterdir() if entry.name not in NOT_STANDARD)

    def system_entries(self) -> list[Path]:
        """What the folders of shared libraries hold, but for Pythons, sorted."""
        return sorted(
            entry for folder in self.system for entry in folder.iterdir() if not entry.name.startswith("python")
        )

    def pythons(self) -> list[Path]:
        """Pythons among the system's libraries, sorted."""
        found = (folder.glob("python*") for folder in self.system if not folder.is_symlink())
        return sorted(path for paths in found for path in paths if path.is_dir() and not path.is_symlink())

    def open_to_others(self) -> bool:
        """Whether another user of the machine can read it all, by way of the links where nothing can be mounted."""
        paths = (self.executable, self.standard, *self.packages, links())
        folders = {folder for path in paths for folder in path.parents}
        return all(f.stat().st_mode & 0o1 for f in folders) and all(p.stat().st_mode & 0o4 for p in paths)


@cache
def layout() -> Layout:
    """Of the interpreter that runs the gym."""
    prefix = Path(os.path.realpath(sys.base_prefix))
    return Layout(
        executable=Path(os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)),
        prefix=prefix,
        standard=Path(os.path.realpath(sysconfig.get_path("stdlib"))),
        shared=() if prefix == Path("/usr") else tuple(sorted((prefix / "lib").glob("lib*.so*"))),
        system=tuple(Path(folder) for folder in _LIBRARIES if Path(folder).is_dir()),
        packages=(*packages(), INSIDE),
    )


def packages() -> list[Path]:
    """Files and folders of `PACKAGES` and of what they require, sorted.

    >>> "numpy" in [path.name for path in packages()], "robustgym" in [path.name for path in packages()]
    (True, False)
    """
    found: set[Path] = set()
    todo, seen = list(PACKAGES), set[str]()
    while todo:
        name = todo.pop()
        if name in seen:
            continue
        seen.add(name)
        try:
            installed = distribution(name)
        except PackageNotFoundError:
            continue  # for another platform, or another Python
        found |= _places(name, installed)
        wanted = (line for line in installed.requires or () if "extra ==" not in line)
        todo += [match.group() for line in wanted if (match := re.match(r"[\w.-]+", line))]
    return sorted(found)


def _places(name: str, installed: Distribution) -> set[Path]:
    """The entries of site-packages that a package put there."""
    if installed.files is None:  # installed by the system's own means
        spec = importlib.util.find_spec(name)
        return {Path(os.path.realpath(spec.origin)).parent} if spec and spec.origin else set()
    tops = {file.parts[0] for file in installed.files} - {"..", "__pycache__"}
    return {Path(os.path.realpath(str(installed.locate_file(top)))) for top in tops}


@cache
def links() -> Path:
    """A folder with two of links, `standard` and `packages`: an import path on which nothing else can be found.

    For where nothing can be mounted. Lasts as long as the process.
    """
    _clear_away()
    folder = tempfile.TemporaryDirectory(prefix=f"{_PREFIX}{os.getpid()}-")
    _kept.append(folder)
    Path(folder.name).chmod(0o755)
    found = layout()
    for name, entries in (("standard", found.standard_entries()), ("packages", found.packages)):
        (Path(folder.name) / name).mkdir()
        for entry in entries:
            (Path(folder.name) / name / entry.name).symlink_to(entry)
    return Path(folder.name)


_PREFIX = "robustgym-python-"
_kept: list[tempfile.TemporaryDirectory[str]] = []


def _clear_away() -> None:
    """Remove the folders of processes that were killed and could not do it themselves."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*-*"):
        pid = folder.name.removeprefix(_PREFIX).partition("-")[0]
        if pid.isdigit() and not _lives(int(pid)):
            shutil.rmtree(folder, ignore_errors=True)


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
