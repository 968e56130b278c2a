"""The Python tool: nothing gets out, nothing gets in but query(), and an episode goes on whatever a cell does."""

from __future__ import annotations

import ast
import os
import platform
import re
import struct
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from robustgym.sandbox import Box, Isolation, Kind, Limits, Stock, available, held
from robustgym.sandbox.inside import seccomp
from robustgym.sandbox.launch import Launch, bubblewrap, closed
from robustgym.sandbox.layout import layout, links
from robustgym.sandbox.process import Ended, Process
from schemas.errors import InputError
from tests import escapes

ROOT = Path(__file__).resolve().parents[1]
KINDS = (Kind.BUBBLEWRAP, Kind.LANDLOCK)
SHORT = Limits(seconds=1.5, queries=5)

LARGE = pa.table({"text": ["x" * 1000] * 20_000})
PATIENTS = pa.table({"subject_id": [10, 11, 12], "anchor_age": [50, None, 70], "gender": ["F", "M", None]})


def query(sql: str) -> pa.Table | str:
    """As a session answers."""
    if sql == "large":
        return LARGE
    with duckdb.connect() as connection:
        connection.register("patients", PATIENTS)
        try:
            return connection.sql(sql).to_arrow_table()
        except duckdb.Error as error:
            return str(error)


def output(box: Box, code: str) -> str:
    shown = box.run(code, query)
    assert shown.error is None, shown.error
    assert shown.columns == ("output",)
    return str(shown.rows[0][0])


@pytest.fixture(scope="module", params=KINDS, ids=lambda kind: str(kind))
def isolation(request: pytest.FixtureRequest) -> Iterator[Isolation]:
    """Each that can be had here; of the others it says why not."""
    patch = pytest.MonkeyPatch()
    patch.setenv("SANDBOX_SECRET", "never told")
    found = held(request.param)
    if not found.on:
        pytest.skip(str(found))
    yield found
    patch.undo()


@pytest.fixture(scope="module")
def stock(isolation: Isolation) -> Iterator[Stock]:
    with Stock(isolation, warm=1, limits=Limits(seconds=20)) as found:
        yield found


@pytest.fixture(scope="module")
def box(stock: Stock) -> Iterator[Box]:
    with stock.take() as found:
        yield found


@pytest.fixture(scope="module")
def hasty() -> Iterator[Stock]:
    """Of the best isolation there is, for cells that are ended soon."""
    isolation = available()
    if not isolation.on:
        pytest.skip(str(isolation))
    with Stock(isolation, warm=1, limits=SHORT) as found:
        yield found


# Nothing gets out


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder outside that anyone may read and write: only the sandbox keeps its cells from it."""
    tmp_path.chmod(0o777)
    (tmp_path / "secret").write_text("never told\n")
    (tmp_path / "secret").chmod(0o666)
    (tmp_path / "link").symlink_to("/etc/passwd")
    return tmp_path


def filled(code: str, outside: Path) -> str:
    names = {
        "project": str(ROOT),
        "secret": str(outside / "secret"),
        "folder": str(outside),
        "python": sysconfig.get_path("purelib"),
        "gym": os.getpid(),
    }
    return code.format(**names)


def escaped(box: Box, codes: list[str], outside: Path) -> list[str]:
    """Those of the attempts that succeeded."""
    assert output(box, escapes.PRELUDE) == ""
    shown = output(box, f"attempts({[filled(code, outside) for code in codes]!r})")
    return [str(code) for code in ast.literal_eval(shown.splitlines()[-1])]  # some of them print


def readings() -> list[str]:
    return [*(f"open({path!r}, 'rb')" for path in escapes.READ), *(f"os.listdir({path!r})" for path in escapes.LIST)]


def test_no_attempt_gets_out(box: Box, outside: Path) -> None:
    codes = [*readings(), *(f"import {name}" for name in escapes.IMPORT), *escapes.WRITE, *escapes.READ_OTHERWISE]
    codes += [*escapes.PROCESSES, *escapes.NETWORK]
    assert len(codes) >= 150
    before = sorted((path.name, path.lstat().st_mtime_ns, path.lstat().st_mode) for path in outside.iterdir())
    assert escaped(box, codes, outside) == []
    assert sorted((p.name, p.lstat().st_mtime_ns, p.lstat().st_mode) for p in outside.iterdir()) == before


def test_the_attempts_are_real(outside: Path) -> None:
    """Without isolation most of what is read could be read, so that the test above can fail."""
    with Stock(unsafe=True, warm=1) as stock, stock.take() as box:
        assert str(stock.isolation) == "none (unsafe): asked for by the user"
        found = escaped(box, readings(), outside)
    assert len(found) >= 15
    assert any("secret" in code for code in found)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the numbers of the system calls are those of x86_64")
def test_no_refused_call_is_looked_at(box: Box, outside: Path) -> None:
    codes = [*escapes.CALLS, *escapes.REFUSED]
    assert len(codes) >= 100
    assert escaped(box, codes, outside) == []


def test_a_cell_sees_few_packages_and_no_path_of_the_machine(box: Box) -> None:
    there = output(box, "import os, pkgutil, sys; print(*sorted(m.name for m in pkgutil.iter_modules(sys.path[-1:])))")
    expected = {"numpy", "pandas", "polars", "pyarrow", "dateutil", "six", "tzdata", "inside", "_polars_runtime_32"}
    assert set(there.split()) <= expected
    seen = output(box, "print(sys.path, sys.argv, sys.executable, pd.__file__, os.__file__, os.environ, os.getcwd())")
    for path in (str(ROOT), sysconfig.get_path("purelib"), str(layout().prefix), str(links())):
        assert path not in seen or path == "/usr"
    assert "SECRET" not in seen


def test_the_list_of_calls_agrees_with_the_headers() -> None:
    headers = (Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"), Path("/usr/include/asm-generic/unistd.h"))
    for column, header in enumerate(headers):
        if not header.exists():
            pytest.skip(f"{header} is not installed")
        defined = re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", header.read_text())
        numbers = {name: int(number) for name, number in defined}
        for name, ours in seccomp._REFUSED.items():
            assert ours[column] == numbers.get(name), name


def verdict(machine: str, number: int, *arguments: int, architecture: int | None = None) -> int:
    """What the filter says to a system call: the kernel's interpreter of filters, as far as it is needed."""
    own = seccomp._MACHINES[machine][1]
    data = struct.pack("<IIQ6Q", number, architecture or own, 0, *arguments, *[0] * (6 - len(arguments)))
    steps = list(struct.iter_unpack("HBBI", seccomp.program(machine)))
    at = held = 0
    while True:
        operation, if_true, if_false, operand = steps[at]
        at += 1
        match operation:
            case 0x20:
                (held,) = struct.unpack_from("<I", data, operand)
            case 0x06:
                return int(operand)
            case 0x15:
                at += if_true if held == operand else if_false
            case 0x25:
                at += if_true if held > operand else if_false
            case 0x35:
                at += if_true if held >= operand else if_false
            case 0x45:
                at += if_true if held & operand else if_false


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_filter_refuses_what_it_lists(machine: str) -> None:
    column = seccomp._MACHINES[machine][0]
    allowed, killed, refused, unknown = 0x7FFF0000, 0x80000000, 0x00050001, 0x00050026
    listed = {numbers[column] for numbers in seccomp._REFUSED.values()} - {None}
    by_argument = {n[column] for n in (seccomp._CLONE, seccomp._CLONE3, seccomp._IOCTL)}
    for number in range(600):
        expected = refused if number in listed else unknown if number > 450 else allowed
        if number not in by_argument:
            assert verdict(machine, number) == expected, number
    clone, fcntl, prlimit, prctl = (
        n[column] for n in (seccomp._CLONE, seccomp._FCNTL, seccomp._PRLIMIT, seccomp._PRCTL)
    )
    assert verdict(machine, clone, 0x3D0F00) == allowed  # as pthread_create has it
    assert [verdict(machine, clone, flags) for flags in (17, 0x10000000, 0x3D0F00 | 0x40000000)] == [refused] * 3
    assert verdict(machine, seccomp._CLONE3[column]) == unknown
    assert [verdict(machine, fcntl, 3, command) for command in (2, 8, 10, 15)] == [allowed, refused, refused, refused]
    assert [verdict(machine, prlimit, pid) for pid in (0, 1, 1 << 32)] == [allowed, refused, refused]
    assert [verdict(machine, prctl, option) for option in (15, 1)] == [allowed, refused]
    assert [verdict(machine, seccomp._IOCTL[column], 0, r) for r in (0x5401, 0x5412)] == [allowed, 0x00050019]
    assert verdict(machine, 0, architecture=0x40000003) == killed
    if machine == "x86_64":
        assert verdict(machine, 0x40000000 + 39) == killed
    with pytest.raises(OSError, match="riscv64"):
        seccomp.program("riscv64")


# Whatever a cell does, its episode goes on


@pytest.mark.parametrize("name", escapes.ENDS)
def test_a_cell_that_ends_its_interpreter(hasty: Stock, name: str) -> None:
    with hasty.take() as box:
        shown = box.run(escapes.ENDS[name], query)
        assert shown.error is not None
        assert shown.error.endswith("All variables are lost; the next cell starts afresh.")


@pytest.mark.parametrize("name", escapes.BOMBS)
def test_a_bomb_ends_at_most_its_interpreter(stock: Stock, name: str) -> None:
    with stock.take() as box:
        shown = box.run(escapes.BOMBS[name], query)
        assert shown.error is not None
        assert "seconds" not in shown.error


def test_a_cell_can_speak_for_its_interpreter_and_gains_nothing(hasty: Stock) -> None:
    with hasty.take() as box:
        shown = box.run(escapes.WAY + escapes.FORGED["no object"], query)
        assert shown.error == (
            "The interpreter answered with what no cell can say and was stopped. "
            "All variables are lost; the next cell starts afresh."
        )
        forged = 'say(b\'{"cell": 1, "done": {"output": "forged", "dropped": 0, "error": null}}\\n\')'
        assert output(box, escapes.WAY + forged) == "forged"
        # What it really says comes late, and cannot be taken for the next cell's.
        assert "what no cell can say" in (box.run("2", query).error or "")


LIAR = """
import json, os
def main(incoming, outgoing):
    reader = os.fdopen(incoming, "rb")
    reader.readline()
    say = lambda text: os.write(outgoing, text)
    say(b'{"ready": true}\\n')
    for line in reader:
        exec(json.loads(line)["code"], {"say": say})
"""
"""An interpreter that agents have taken over, but for the sandbox: it starts in no time."""


@pytest.mark.parametrize("name", escapes.FORGED)
def test_nothing_an_interpreter_says_is_trusted(tmp_path: Path, name: str) -> None:
    (tmp_path / "inside").mkdir()
    (tmp_path / "inside" / "start.py").write_text(LIAR)
    liar = Process(Launch((str(layout().executable),), str(tmp_path), {}, {}), replace(SHORT, seconds=0.5))
    liar.wait()
    with pytest.raises(Ended):
        liar.run(escapes.FORGED[name], query)
    assert liar._process.returncode is not None


def test_the_episode_goes_on_with_a_fresh_interpreter(hasty: Stock) -> None:
    with hasty.take() as box:
        assert output(box, "found = 5") == ""
        until = time.monotonic() + 30
        while not hasty._warm and time.monotonic() < until:
            time.sleep(0.01)
        assert (len(hasty._warm), len(hasty._running)) == (1, 1)
        assert output(box, "found") == "5"
        killed = box.run("while True: pass", query)
        assert killed.error == (
            "The code ran longer than 1.5 seconds and was stopped. Do less in one cell. "
            "All variables are lost; the next cell starts afresh."
        )
        assert "NameError" in (box.run("found", query).error or "")
        assert output(box, "6 * 7") == "42"
    assert not hasty._running


def test_nothing_lives_longer_than_the_gym(isolation: Isolation) -> None:
    script = (
        "from robustgym.sandbox import *\n"
        f"stock = Stock(Isolation(Kind({str(isolation.kind)!r})), warm=1); box = stock.take()\n"
        "box.run('1', lambda sql: ''); print(box._process._process.pid, flush=True)\n"
        "box.run('while True: pass', lambda sql: '')\n"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, cwd=ROOT) as gym:
        assert gym.stdout is not None
        first = int(gym.stdout.readline())
        family = descendants(gym.pid)
        assert first in family
        gym.kill()
    until = time.monotonic() + 10
    while alive := [pid for pid in family if status(pid)[0] not in "ZX"]:
        assert time.monotonic() < until, alive
        time.sleep(0.05)


def descendants(pid: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            children.setdefault(status(int(entry.name))[1], []).append(int(entry.name))
    found, todo = [], [pid]
    while todo:
        todo += (theirs := children.get(todo.pop(), []))
        found += theirs
    return found


def status(pid: int) -> tuple[str, int]:
    """State and parent of a process; that of one that is gone is X."""
    try:
        state, parent, *_ = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return "X", 0
    return state, int(parent)


# What a cell shows


def test_a_cell_shows_what_a_notebook_shows(box: Box) -> None:
    assert output(box, "print('a')\n'b'") == "a\n'b'"
    assert output(box, "x = 3") == ""
    assert output(box, "None") == ""
    assert output(box, "x + 1") == "4"
    assert output(box, "import sys; print('warned', file=sys.stderr)") == "warned"
    assert output(box, "import warnings; warnings.warn('old')") == "UserWarning: old"
    assert output(box, "print('a\\x1b[31mb\\rc\\x00')") == "a�[31mb�c�"
    assert output(box, "print('\\ud800')") == "?"


def test_an_error_comes_with_the_agents_own_lines(box: Box) -> None:
    shown = box.run("print('before')\ndef f(frame):\n    return frame['none']\nf(pd.DataFrame({'a': [1]}))", query)
    assert shown.error is not None
    assert shown.error.startswith('before\nTraceback (most recent call last):\n  File "<cell ')
    assert "return frame['none']" in shown.error
    assert shown.error.endswith("KeyError: 'none'")
    assert "site-packages" not in shown.error
    assert "frame.py" not in shown.error
    assert "SyntaxError" in (box.run("1 +", query).error or "")
    assert "SystemExit" in (box.run("raise SystemExit(3)", query).error or "")
    assert "KeyboardInterrupt" in (box.run("raise KeyboardInterrupt", query).error or "")
    assert "MemoryError" in (box.run("bytearray(3 << 30)", query).error or "")
    assert "cannot import name 'none'" in (box.run("from numpy import none", query).error or "")
    assert str(links()) not in (box.run("from numpy import none", query).error or "")


def test_long_output_is_cut_and_says_so(box: Box) -> None:
    shown = box.run("print('x' * 20_000)", query)
    assert shown.rows == (("x" * 16_000,),)
    assert shown.notice == "Only the first 16,000 characters are shown; 4,001 more were cut. Print less."
    shown = box.run("print('x' * 20_000); 1 / 0", query)
    assert len(shown.error or "") < 17_000
    assert "more were cut" in (shown.error or "")
    assert "was not run" in (box.run("x" * 100_001, query).error or "")
    assert output(box, "for _ in range(300_000): print('x' * 100)\n").count("x") > 15_000


def test_query_gives_frames(box: Box) -> None:
    statement = "SELECT *, sum(subject_id) OVER () AS total, 1.50 AS half FROM patients ORDER BY 1"
    assert output(box, f"frame = query({statement!r}); frame.dtypes.astype(str).tolist()") == (
        "['Int64', 'Int64', 'str', 'Int64', 'float64']"
    )
    assert output(box, "frame.anchor_age.tolist(), frame.total.sum()") == "([50, <NA>, 70], np.int64(99))"
    assert output(box, "query('SELECT subject_id FROM patients', frame='polars').to_dicts()[0]") == "{'subject_id': 10}"
    assert output(box, "len(query('SELECT * FROM patients WHERE false')), len(query('large'))") == "(0, 20000)"
    product = "(query('SELECT 20000000::INTEGER AS hadm_id').hadm_id * 1000).tolist()"
    assert output(box, product) == "[20000000000]"
    assert output(box, "query('SELECT 100000000000000000000::HUGEINT AS n').n.tolist()") == "[1e+20]"
    times = "query(\"SELECT TIMESTAMP '2150-01-02 03:04:05' AS t, DATE '2150-01-02' AS d, [1, 2] AS l, true AS b\")"
    assert output(box, f"[str(v) for v in {times}.iloc[0]]") == (
        "['2150-01-02 03:04:05', '2150-01-02 00:00:00', '[1 2]', 'True']"
    )


def test_query_says_what_is_wrong_and_when_it_is_enough(box: Box, hasty: Stock) -> None:
    assert "QueryError: Catalog Error: Table with name labs" in (box.run("query('FROM labs')", query).error or "")
    assert 'must be "pandas" or "polars"' in (box.run("query('SELECT 1', 'arrow')", query).error or "")
    handled = "try: query('FROM labs')\nexcept QueryError as error: print('handled')"
    assert output(box, handled) == "handled"
    with hasty.take() as other:
        shown = other.run("for i in range(9): print(i); query('SELECT 1')", query)
        assert (shown.error or "").startswith("0\n1\n2\n3\n4\n5\nTraceback")
        assert "A cell may run 5 statements" in (shown.error or "")


def test_queries_of_a_cell_may_take_so_long_together(stock: Stock) -> None:
    def slow(sql: str) -> pa.Table | str:
        time.sleep(0.3)
        return PATIENTS

    limits = replace(stock.limits, seconds=20, querying=0.5)
    process = Process(stock.isolation.launch(limits), limits)
    try:
        shown = process.run("for i in range(9): print(i); query('SELECT 1')", slow)
    finally:
        process.close()
    assert shown.text == "0\n1\n2\n"
    assert "The statements of this cell took 0.5 seconds." in (shown.error or "")


def test_a_cell_can_be_run_again_and_shows_the_same(stock: Stock) -> None:
    cells = [
        "import random\n{'lactate', 'sodium', 'glucose', 'troponin'}, random.random(), np.random.rand()",
        "object(), hash('lactate')",
        "query('SELECT * FROM patients').groupby('gender', dropna=False).anchor_age.sum()",
        "query('SELECT * FROM patients', 'polars').group_by('gender', maintain_order=True).agg(pl.sum('anchor_age'))",
    ]
    runs = []
    for _ in range(2):
        with stock.take() as box:
            runs.append([box.run(cell, query) for cell in cells])
    assert runs[0] == runs[1]
    assert all(shown.ok for shown in runs[0])


# The stock


def test_episodes_side_by_side_keep_apart(hasty: Stock) -> None:
    def episode(number: int) -> str:
        with hasty.take() as box:
            output(box, f"mine = {number}")
            return output(box, "mine, len(query('large'))")

    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(episode, range(2))) == [f"({number}, 20000)" for number in range(2)]


def test_no_isolation_is_off_and_says_why() -> None:
    with Stock(Isolation(Kind.OFF, "bwrap is not installed; the kernel has no Landlock")) as stock:
        assert stock.take().run("1", query).error == (
            "The Python tool is off (bwrap is not installed; the kernel has no Landlock). Use SQL."
        )
        assert stock._starter is None


def test_an_isolation_that_does_not_hold_is_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its own test finds that out: here system calls are not refused."""
    kind = next((kind for kind in KINDS if held(kind).on), None)
    if kind is None:
        pytest.skip("no isolation is to be had")
    from robustgym.sandbox import isolation

    start = isolation._STARTS[kind]

    def open_door(limits: Limits) -> object:
        launch = start(limits)
        return replace(launch, setting=launch.setting | {"refuse": False})

    monkeypatch.setitem(isolation._STARTS, kind, open_door)
    found = held.__wrapped__(kind)
    assert not found.on
    assert "does not hold here: " in found.detail
    assert "there are sockets" in found.detail


def test_an_interpreter_that_does_not_start_is_the_users_matter() -> None:
    starved = Stock(Isolation(Kind.UNSAFE), warm=1, limits=Limits(memory=1 << 26))
    with starved, starved.take() as box, pytest.raises(InputError, match="no interpreter could be started"):
        box.run("1", query)


def test_which_isolation_is_used_is_text_for_the_manifest() -> None:
    assert str(Isolation(Kind.BUBBLEWRAP, "0.8.0")) == "bubblewrap: 0.8.0"
    assert available(unsafe=True).kind is Kind.UNSAFE


def test_nothing_of_the_gyms_environment_is_passed_on() -> None:
    for launch in (bubblewrap("bwrap", Limits()), closed(Limits())):
        assert set(launch.environment) <= {
            "LANG", "TZ", "PYTHONHASHSEED", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS",
        }  # fmt: skip
        assert not any(str(ROOT / name) in launch.command for name in ("noise_ops", "assets", "schemas", "robustgym"))
