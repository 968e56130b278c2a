"""Agents' SQL in worker processes: as in this process, but that nothing it does is done to anything else."""

from __future__ import annotations

import json
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from robustgym import frames
from robustgym.guard import Refused
from robustgym.hospital import Hospital
from robustgym.sandbox import Kind, held
from robustgym.shown import TOO_LONG
from robustgym.workers import Pool, inside
from robustgym.workers import pool as pools
from robustgym.workers.process import _Line
from schemas.errors import InputError
from schemas.overlays import Delete, DeleteWhere, Insert, Overlay, Update, UpdateWhere
from schemas.tables import TABLES
from tests.shared_cases import cases
from tests.statements import ANSWERED, REFUSED, STOPPED
from tests.tiny_hospital import build, rows

LABS = [dict(zip(TABLES["labevents"].names, row, strict=True)) for row in rows()["labevents"]]
SUBJECT = LABS[0]["subject_id"]
OVERLAYS = {
    "none": Overlay(),
    "rows": Overlay(
        edits=(
            Delete(table="labevents", row=0, subject_id=SUBJECT, before={}),
            Insert(table="labevents", subject_id=SUBJECT, after={"subject_id": SUBJECT, "itemid": 1, "valuenum": 0.1}),
        )
    ),
    "predicate": Overlay(edits=(DeleteWhere(table="labevents", where="itemid = 50912"),)),
    "masked": Overlay(edits=(UpdateWhere(table="labevents", where="itemid = 50912", put={"hadm_id": "NULL"}),)),
}


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="module")
def here(warehouse: Path) -> Iterator[Hospital]:
    with Hospital.open(warehouse) as found:
        yield found


@pytest.fixture(scope="module")
def there(here: Hospital) -> Iterator[Pool]:
    with Pool.open(here.warehouse, workers=1) as found:
        yield found


@pytest.fixture(scope="module")
def hasty(here: Hospital) -> Iterator[Pool]:
    """A pool whose statements have half a second."""
    with Pool.open(here.warehouse, workers=1, memory=256, seconds=0.5) as found:
        yield found


@pytest.fixture(scope="module")
def demo_pool(demo_warehouse: Path) -> Iterator[Pool]:
    with Pool.open(demo_warehouse, workers=1, seconds=20.0) as found:
        yield found


def pid(pool: Pool) -> int:
    process = pool._workers[0]._process
    assert process is not None
    return process.pid


# -- as in this process --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", OVERLAYS)
@pytest.mark.parametrize("placebo", [False, True])
def test_a_worker_shows_what_this_process_shows(here: Hospital, there: Pool, form: str, placebo: bool) -> None:
    statements = (
        *ANSWERED[:12],
        "SELECT x FROM labevents",
        "SELECT * FROM labevents",
        "SHOW TABLES",
        "DROP VIEW patients",
    )
    overlay = OVERLAYS[form]
    with here.session(overlay, placebo=placebo) as near, there.session(overlay, placebo=placebo) as far:
        for statement in statements:
            assert far.show(statement) == near.show(statement), statement
            one, other = far.arrow(statement), near.arrow(statement)
            assert one.equals(other) if isinstance(other, pa.Table) else one == other, statement


def test_it_cuts_tables_down_and_numbers_rows_as_this_process_does(here: Hospital, there: Pool) -> None:
    only = {"labevents": "row_id < 5 OR row_id IN (SELECT rowid FROM w.labevents WHERE itemid = 50813)"}
    overlay = OVERLAYS["rows"]
    with here.session(overlay, only=only, row_ids=True) as near, there.session(overlay, only=only, row_ids=True) as far:
        assert far.show("FROM labevents") == near.show("FROM labevents")
        assert len(far.show("SELECT row_id FROM labevents", 3).rows) == 3


def test_sessions_of_one_worker_do_not_see_each_other(there: Pool) -> None:
    counts = {}
    sessions = {form: there.session(overlay) for form, overlay in OVERLAYS.items()}
    for _ in range(2):
        for form, session in sessions.items():
            counts[form] = session.show("SELECT count(*), count(hadm_id) FROM labevents").rows[0]
    for session in sessions.values():
        session.close()
    assert len(set(counts.values())) == len(OVERLAYS)


def test_an_overlay_that_does_not_fit_is_an_input_error(there: Pool) -> None:
    with pytest.raises(InputError, match="no such table"):
        there.session(Overlay(edits=(DeleteWhere(table="chartevents", where="TRUE"),)))
    wrong = Update(table="labevents", row=0, subject_id=SUBJECT, before={"itemid": -1}, after={"itemid": 2})
    with there.session(Overlay(edits=(wrong,))) as session, pytest.raises(InputError, match="it was -1, and is"):
        session.show("FROM labevents")


def test_the_guard_is_in_the_worker_too(here: Hospital, there: Pool) -> None:
    for statement in ("DESCRIBE labevents", "SHOW TABLES", ANSWERED[0]):
        assert there.guard.read(statement) == here.guard.read(statement)
    with pytest.raises(Refused, match="COPY inside WITH"):
        there.guard.read("WITH x AS (COPY patients TO 'p.csv') SELECT * FROM x")


def test_a_data_frame_is_whole_or_an_error(here: Hospital, monkeypatch: pytest.MonkeyPatch) -> None:
    with here.session() as session:
        table = session.arrow("SELECT sum(itemid) AS n, count(*) AS n, max(charttime) AS t FROM labevents")
        assert isinstance(table, pa.Table)
        assert table.schema.names == ["n", "n_1", "t"]
        assert [str(kind) for kind in table.schema.types] == ["int64", "int64", "timestamp[us]"]
        assert session.arrow("SELECT i FROM range(100000) AS r(i)").num_rows == 100_000  # type: ignore[union-attr]
        assert "larger than 100,000 rows" in str(session.arrow("SELECT i FROM range(100001) AS r(i)"))
        assert "larger than 64 MB" in str(session.arrow("SELECT repeat('x', 9000) FROM range(20000)"))
        assert "cast it to VARCHAR" in str(session.arrow("SELECT union_value(k := 1) AS u"))
        assert "Binder Error" in str(session.arrow("SELECT x FROM labevents"))
        assert "Conversion Error" in str(session.arrow("SELECT comments::INTEGER FROM labevents"))
        assert session.show("SELECT 1").ok
    assert frames.ROWS == 100_000


def test_what_python_does_not_know_is_the_statement_s_own_fault(there: Pool) -> None:
    """The engine has values that Python and Arrow cannot take; no statement may pass for a fault of the gym's."""
    deep = "SELECT 1 AS x" + "".join(f") SELECT [x] AS x FROM a{i}" for i in range(70))
    deep = "".join(f"WITH a{i} AS (" for i in reversed(range(70))) + deep
    with there.session() as session:
        assert "cast it to VARCHAR" in str(session.show("SELECT INTERVAL 1000000000 DAY").error)
        assert "cast it to VARCHAR" in str(session.show("SELECT INTERVAL 100000000 YEAR").error)
        assert session.show("SELECT (INTERVAL 1000000000 DAY)::VARCHAR").ok
        assert session.show(deep).ok
        assert "cast it to VARCHAR" in str(session.arrow(deep))
        assert session.show("SELECT 1").ok


def test_an_engine_that_has_met_its_own_fault_is_replaced(warehouse: Path) -> None:
    with Hospital.open(warehouse) as hospital, hospital.session() as session:
        assert "internal error" in session._said(duckdb.FatalException("database has been invalidated"))
        gym, worker = multiprocessing.Pipe()
        gym.send_bytes(json.dumps({"do": "read", "sql": "SELECT 1", "close": []}).encode())
        inside._serve(worker, hospital)  # comes back, with a reply; it would wait for the next request else
        assert "reading" in json.loads(gym.recv_bytes())


# -- what a worker does not survive --------------------------------------------------------------------------------


def test_a_worker_that_outlives_its_time_is_killed_and_its_sessions_go_on(
    hasty: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pools, "GRACE", 0.2)
    count = "SELECT count(*) FROM labevents"
    noisy, clean = hasty.session(OVERLAYS["predicate"]), hasty.session()
    before = noisy.show(count), clean.show(count)
    first = pid(hasty)
    os.kill(first, signal.SIGSTOP)
    assert noisy.show(count).error == TOO_LONG
    assert not Path(f"/proc/{first}").exists()
    assert (noisy.show(count), clean.show(count)) == before
    assert pid(hasty) != first


def test_a_worker_that_died_while_nobody_asked_is_replaced_unnoticed(hasty: Pool) -> None:
    with hasty.session(OVERLAYS["predicate"]) as session:
        before = session.show("SELECT count(*) FROM labevents")
        process = hasty._workers[0]._process
        assert process is not None
        process.kill()
        process.wait()
        assert session.show("SELECT count(*) FROM labevents") == before


def test_a_bomb_takes_its_worker_at_most(hasty: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "GRACE", 0.5)
    with hasty.session() as session:
        for statement in STOPPED:
            shown = session.show(statement)
            assert re.search("too long|more memory", str(shown.error)), (statement, shown)
        assert "too long" in str(session.arrow(STOPPED[0]))
        assert session.show("SELECT count(*) FROM patients").rows == ((12,),)


def test_closed_sessions_are_forgotten(there: Pool) -> None:
    worker = there._workers[0]
    held = worker.sessions
    with there.session() as session:
        session.show("SELECT 1")
        assert worker.sessions == held + 1
    session.close()
    assert worker.sessions == held


def test_first_come_first_served() -> None:
    line, order = _Line(), []

    def wait(number: int) -> None:
        with line:
            order.append(number)

    with line:
        threads = [threading.Thread(target=wait, args=(number,)) for number in range(20)]
        for number, thread in enumerate(threads, start=1):
            thread.start()
            while len(line._waiting) < number:
                time.sleep(0.001)
    for thread in threads:
        thread.join()
    assert order == list(range(20))


def test_many_threads_share_a_pool(there: Pool) -> None:
    wrong: list[object] = []

    def work(number: int) -> None:
        with there.session(OVERLAYS["rows"] if number % 2 else OVERLAYS["none"]) as session:
            for _ in range(5):
                found = session.show(f"SELECT count(*), {number} FROM labevents").rows
                if found != ((len(LABS), number),):
                    wrong.append(found)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(30)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


# -- what a worker has given up ------------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
def test_a_worker_has_no_key_no_privilege_and_ends_with_the_gym(warehouse: Path, tmp_path: Path) -> None:
    script = (
        "import sys, time\n"
        "from robustgym.workers import Pool\n"
        "pool = Pool.open(__import__('pathlib').Path(sys.argv[1]), workers=1)\n"
        "print(pool._workers[0]._process.pid, pool.isolation, flush=True)\n"
        "time.sleep(60)\n"
    )
    environment = {**os.environ, "OPENAI_API_KEY": "sk-planted", "PYTHONPATH": os.pathsep.join(sys.path)}
    gym = subprocess.Popen(
        [sys.executable, "-c", script, str(warehouse)], stdout=subprocess.PIPE, text=True, env=environment
    )
    assert gym.stdout is not None
    worker, _, isolation = gym.stdout.readline().partition(" ")
    try:
        assert b"planted" not in Path(f"/proc/{worker}/environ").read_bytes()
        status = Path(f"/proc/{worker}/status").read_text()
        if "seccomp" in isolation:
            assert re.search(r"CapEff:\s+0+\n", status)
            assert re.search(r"NoNewPrivs:\s+1\n", status)
            assert re.search(r"Seccomp:\s+2\n", status)
        opened = {os.path.realpath(link) for link in Path(f"/proc/{worker}/fd").iterdir()}
        assert [path for path in opened if path.startswith(str(warehouse))] == [
            path for path in opened if path.endswith(".duckdb")
        ]
    finally:
        gym.kill()
        gym.wait()
    deadline = time.monotonic() + 20
    while Path(f"/proc/{worker}").exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not Path(f"/proc/{worker}").exists()


def test_what_a_worker_could_reach_if_the_engine_were_broken(warehouse: Path) -> None:
    """The worker's own steps, then attempts from within its process. They only open, and write nothing."""
    script = (
        "import json, os, socket, sys\n"
        "from pathlib import Path\n"
        "from robustgym.workers import inside\n"
        "file = sys.argv[1]\n"
        "given = inside._give_up(file)\n"
        "opening = {'file': file, 'warehouse': '/', 'tables': ['patients'], 'memory': 64, 'seconds': 1.0}\n"
        "hospital = inside._open(opening)\n"
        "given += inside._give_up_files()\n"
        "attempts = {\n"
        "    'release': lambda: open(sys.argv[2]), 'passwd': lambda: open('/etc/passwd'),\n"
        "    'list': lambda: os.listdir('/'), 'environ': lambda: open('/proc/1/environ'),\n"
        "    'again': lambda: open(file), 'code': lambda: open(inside.__file__),\n"
        "    'socket': lambda: socket.socket(), 'fork': lambda: os.fork() or os._exit(0),\n"
        "    'exec': lambda: os.execv('/bin/true', ['true']), 'kill': lambda: os.kill(1, 0),\n"
        "}\n"
        "done = []\n"
        "for name, attempt in attempts.items():\n"
        "    try:\n"
        "        attempt()\n"
        "        done.append(name)\n"
        "    except OSError:\n"
        "        pass\n"
        "with hospital.session() as session:\n"
        "    done += [] if session.show('SELECT count(*) FROM patients').rows == ((12,),) else ['broken']\n"
        "print(json.dumps([given, done]))\n"
    )
    file = next((warehouse / ".native").glob("*.duckdb"))
    environment = {"PYTHONPATH": os.pathsep.join(sys.path), "PATH": os.environ.get("PATH", "")}
    ran = subprocess.run(
        [sys.executable, "-c", script, str(file), __file__],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
        timeout=120,
    )
    given, done = json.loads(ran.stdout)
    if not (known := held(Kind.LANDLOCK)).on:
        pytest.skip(f"Landlock and seccomp are not to be had here ({known})")
    assert {"landlock", "seccomp", "no files"} <= set(given)
    assert done == []


# -- statements ----------------------------------------------------------------------------------------------------


def test_attacks_are_refused(there: Pool) -> None:
    statements = [(kind, statement) for kind, found in REFUSED.items() for statement in found]
    assert len(statements) >= 200
    for kind, statement in statements:
        try:
            there.guard.read(statement)
        except Refused:
            continue
        pytest.fail(f"{kind}: {statement[:100]}")


def test_analysts_are_answered(there: Pool) -> None:
    with there.session() as session:
        wrong = {sql[:80]: shown.error for sql in ANSWERED if not (shown := session.show(sql)).ok}
    assert wrong == {}


def test_shared_attacks_are_refused_and_shared_analysts_answered(demo_pool: Pool) -> None:
    attacks, legit = cases("attacks.jsonl"), cases("legit.jsonl")
    assert (len(attacks) >= 200, len(legit) >= 60) == (True, True)
    with demo_pool.session() as session:
        denied = [case["sql"] for case in attacks if case["verdict"] == "deny"]
        assert [sql for sql in denied if session.show(sql).ok] == []
        wrong = []
        for case in legit:
            shown = session.show(case["sql"])
            if not shown.ok or (len(shown.rows) != case["rows"] and not shown.notice):
                wrong.append((case["sql"][:80], shown.error, len(shown.rows)))
    assert wrong == []


TRACES = re.compile(r"/|\.duckdb|\bw\.|patch_|memory\.|temp\.", re.IGNORECASE)


def test_harmless_statements_run_and_tell_nothing(demo_pool: Pool, demo_warehouse: Path) -> None:
    """Errors name no path, schema or patch; results are cut; what takes too long, or too much, is stopped."""
    harmless = [case for case in cases("attacks.jsonl") if case["verdict"] == "allow"]
    stopped = [case for case in harmless if case["why"].startswith("must be stopped")]
    hasty = Pool.open(demo_warehouse, workers=1, memory=512, seconds=1.0)
    with hasty, hasty.session() as short, demo_pool.session() as session:
        for case in harmless:
            shown = (short if case in stopped else session).show(case["sql"])
            match case["then"]:
                case "ok":
                    assert shown.ok, case["sql"]
                case "limit":
                    assert shown.notice or shown.error, case["sql"]
            if shown.error:
                said = "\n".join(line for line in shown.error.splitlines() if not line.startswith("LINE"))
                assert not TRACES.search(said), shown.error
