"""An episode from reset to verdict: what an agent is told, what it may use, and what it never learns."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from robustgym import environment as environments
from robustgym.environment import Action, Environment, Gym, Observation, StepResult
from robustgym.readable import readable
from robustgym.release import Release
from robustgym.shown import Shown
from robustgym.tools import NAMES, described
from robustgym.warehouse import Warehouse
from schemas.errors import InputError
from schemas.pairs import Condition, GoldRow, Split
from schemas.runs import Budget, Stop
from schemas.verdicts import Outcome
from tests.statements import ANSWERED
from tests.tiny_hospital import build
from tests.tiny_release import SUBJECT, WITNESS, publish


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> tuple[Release, Warehouse]:
    return publish(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="module")
def gym(published: tuple[Release, Warehouse]) -> Iterator[Gym]:
    with Gym.open(*published, workers=1, python=False) as opened:
        yield opened


@pytest.fixture
def seat(gym: Gym) -> Iterator[Environment]:
    with gym.environment() as environment:
        yield environment


def task(gym: Gym, condition: Condition, patient: bool = True) -> GoldRow:
    [row] = [r for r in gym.release.rows if r.condition is condition and bool(r.subject_ids) is patient]
    return row


def sql(statement: str) -> Action:
    return Action("sql", {"statement": statement})


# -- from reset to verdict -----------------------------------------------------------------------------------------


def test_an_answer(gym: Gym, seat: Environment) -> None:
    row = task(gym, Condition.CLEAN)
    told = seat.reset(row.task_id)
    assert told == Observation(row.question, row.answer, told.tools, gym.budget)
    first = seat.step(sql(row.reference_sql))
    assert (first.shown.rows, first.over, first.left.turns) == (((row.gold,),), False, gym.budget.turns - 1)
    last = seat.step({"tool": "submit", "arguments": {"answer": json.dumps(row.gold)}})
    assert (last.over, last.stop) == (True, Stop.SUBMITTED)
    assert seat.verdict().outcome is Outcome.CORRECT
    assert [call.tool for call in seat.transcript.calls] == ["sql", "submit"]


def test_an_abstention_needs_its_evidence_and_hears_nothing_of_it(gym: Gym, seat: Environment) -> None:
    row = task(gym, Condition.NOISE)
    seat.reset(row.task_id)
    silent = seat.step(Action("submit", {"answer": None}))
    assert seat.verdict().outcome is Outcome.ABSTAINED_WITHOUT_EVIDENCE
    seat.reset(row.task_id)
    seat.step(sql(WITNESS))
    seen = seat.step(Action("submit", {"answer": "null"}))
    assert (seen.text, seen.shown) == (silent.text, silent.shown)
    assert seat.verdict().outcome is Outcome.ABSTAINED_RIGHTLY


def test_right_and_wrong_answers_are_taken_alike(gym: Gym, seat: Environment) -> None:
    row = task(gym, Condition.CLEAN)
    said = set()
    for answer in (json.dumps(row.gold), "777.7", "null"):
        seat.reset(row.task_id)
        said.add(seat.step(Action("submit", {"answer": answer})).text)
    assert len(said) == 1


def test_an_answer_of_another_form_is_handed_back(gym: Gym, seat: Environment) -> None:
    seat.reset(task(gym, Condition.CLEAN).task_id)
    malformed = seat.step(Action("submit", {"answer": "unknown"}))
    assert malformed.text.startswith("Error: The answer was not taken: the answer is not JSON")
    assert not malformed.over
    assert seat.step(Action("submit", {"answer": 1.5})).over
    assert seat.transcript.submitted == "1.5"


@pytest.mark.parametrize(
    ("action", "said"),
    [
        (Action("bash", {"command": "ls"}), "There is no tool 'bash'. The tools are: schema(table), sql(statement), "),
        (Action("sql", {"query": "SELECT 1"}), "it has no argument 'query'; 'statement' is missing"),
        (Action("sql", {"statement": 1}), "'statement' must be a text"),
        (Action("schema", {"table": "labs"}), "There is no table 'labs'. Did you mean labevents?"),
        (Action("python", {"code": "1"}), "The python tool is off here; work with sql."),
        (Action("submit"), "'answer' is missing"),
        ({"tool": "sql", "arguments": "SELECT 1"}, "'statement' is missing"),
        ({}, "There is no tool ''"),
        (sql("SELECT now()"), "the question states its own anchor"),
    ],
)
def test_a_wrong_call_is_told_what_to_do_and_counts(gym: Gym, seat: Environment, action: object, said: str) -> None:
    seat.reset(task(gym, Condition.CLEAN).task_id)
    result = seat.step(action)  # type: ignore[arg-type]
    assert result.text.startswith("Error: ")
    assert said in result.text
    assert (result.over, result.left.turns) == (False, gym.budget.turns - 1)


# -- budgets -------------------------------------------------------------------------------------------------------


def test_turns_run_out(gym: Gym) -> None:
    with gym.environment(Budget(turns=2)) as seat:
        seat.reset(task(gym, Condition.CLEAN).task_id)
        assert not seat.step(sql("SELECT 1")).over
        assert seat.step(sql("SELECT 2")).stop is Stop.TURNS
        late = seat.step(Action("submit", {"answer": "1.0"}))
        assert (late.text, late.over) == ("Error: The episode is over: all turns are used.", True)
        assert (len(seat.transcript.calls), seat.transcript.submitted) == (2, None)
        assert seat.verdict().outcome is Outcome.NO_ANSWER


def test_an_answer_on_the_last_turn_counts(gym: Gym) -> None:
    with gym.environment(Budget(turns=1)) as seat:
        seat.reset(task(gym, Condition.CLEAN).task_id)
        assert seat.step(Action("submit", {"answer": "1.0"})).stop is Stop.SUBMITTED


def test_time_runs_from_the_first_step(gym: Gym) -> None:
    now = 0.0
    with Environment(gym, budget=Budget(seconds=60), clock=lambda: now) as seat:
        seat.reset(task(gym, Condition.CLEAN).task_id)
        now = 1000.0
        assert seat.step(sql("SELECT 1")).left.seconds == 60
        now = 1059.0
        assert not seat.step(sql("SELECT 1")).over
        now = 1061.0
        assert seat.step(sql("SELECT 1")).stop is Stop.SECONDS
        assert len(seat.transcript.calls) == 2


def test_tokens_are_counted_by_the_caller(gym: Gym) -> None:
    with gym.environment(Budget(tokens=100)) as seat:
        seat.reset(task(gym, Condition.CLEAN).task_id)
        seat.used(99)
        assert seat.step(sql("SELECT 1")).left.tokens == 1
        seat.used(1)
        assert seat.step(sql("SELECT 1")).stop is Stop.TOKENS
        seat.reset(task(gym, Condition.CLEAN).task_id)
        assert seat.left.tokens == 100


def test_an_episode_can_be_ended_from_outside(gym: Gym, seat: Environment) -> None:
    seat.reset(task(gym, Condition.CLEAN).task_id)
    seat.end(Stop.GAVE_UP)
    seat.end(Stop.FAILED)
    assert seat.step(sql("SELECT 1")).stop is Stop.GAVE_UP
    seat.reset(task(gym, Condition.CLEAN).task_id)
    assert seat.stop is None


# -- both conditions look alike ------------------------------------------------------------------------------------

_LOOKS = (
    *(Action("schema", {"table": table}) for table in (None, "labevents", "patients", "nothing")),
    sql("SHOW TABLES"),
    sql("DESCRIBE labevents"),
    sql("DESCRIBE SELECT * FROM labevents, patients"),
    sql("SELECT x FROM labevents"),
    sql("SELECT * FROM labevent"),
    sql("SELECT comments::INTEGER FROM labevents WHERE itemid = 50813 AND comments IS NOT NULL"),
    sql("SELECT * FROM patch_labevents"),
    sql("SELECT valuenum + 'a' FROM labevents WHERE itemid = 50813"),
    sql("SELECT * FROM labevents WHERE itemid = 50813"),
    sql("SELECT sum(valuenum), avg(valuenum), stddev_samp(valuenum) FROM labevents WHERE itemid = 50971"),
    sql("SELECT count(*), sum(anchor_age / 3.0) FROM patients"),
    sql("SELECT typeof(valuenum), typeof(charttime), typeof(comments) FROM labevents LIMIT 1"),
    sql("SELECT * FROM labevents LIMIT 0"),
    *(sql(statement) for statement in ANSWERED if "labevents" not in statement),
)
"""None of them reads a record that differs between the conditions."""


@pytest.mark.parametrize("patient", [True, False])
def test_conditions_look_alike_but_for_the_data(gym: Gym, patient: bool) -> None:
    seen = []
    with gym.environment(Budget(turns=len(_LOOKS) + 1)) as seat:
        for condition in Condition:
            told = seat.reset(task(gym, condition, patient).task_id)
            results = [seat.step(look) for look in _LOOKS]
            seen.append((told, [result.shown for result in results], [result.over for result in results]))
    assert seen[0] == seen[1]
    assert not any(seen[0][2])


def test_nothing_that_is_told_names_condition_pair_or_gold(gym: Gym, seat: Environment) -> None:
    row = task(gym, Condition.NOISE)
    told = seat.reset(row.task_id)
    result = seat.step(sql("SELECT 1 AS one"))
    words = json.dumps([str(told), result.text, result.shown.as_dict(), list(told.tools)])
    for secret in (row.pair_id, row.operator, "placebo", "overlay", "noise", row.witness_sql):
        assert secret not in words
    assert set(StepResult.__dataclass_fields__) == {"text", "shown", "over", "stop", "left"}
    assert set(Observation.__dataclass_fields__) == {"question", "answer", "tools", "budget"}


# -- gyms ----------------------------------------------------------------------------------------------------------


def test_many_episodes_at_once_keep_apart(gym: Gym) -> None:
    wrong: list[object] = []

    def work(row: GoldRow) -> None:
        with gym.environment() as seat:
            seat.reset(row.task_id)
            shown = seat.step(sql(row.reference_sql)).shown
            seat.step(Action("submit", {"answer": json.dumps(shown.rows[0][0])}))
            outcome = seat.verdict().outcome
            due = Outcome.CORRECT if row.condition is Condition.CLEAN else Outcome.ABSTAINED_RIGHTLY
            if row.scope == "patient" and outcome is not due:
                wrong.append((row.question, outcome))

    threads = [threading.Thread(target=work, args=(row,)) for row in gym.release.rows * 5]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_release_alone_is_enough(published: tuple[Release, Warehouse], monkeypatch: pytest.MonkeyPatch) -> None:
    release, warehouse = published
    (warehouse.path / ".staging").mkdir(exist_ok=True)
    monkeypatch.setattr(environments, "WAREHOUSES", warehouse.path.parent)
    with Environment(release.path) as seat:
        row = release.rows[0]
        seat.reset(row.task_id)
        assert seat.step(sql("SELECT count(*) FROM patients")).shown.rows == ((12,),)
        assert seat.verdict().outcome is Outcome.NO_ANSWER
    monkeypatch.setattr(environments, "WAREHOUSES", warehouse.path / "nowhere")
    with pytest.raises(InputError, match=r"no warehouse below .* holds the records it was made from"):
        Environment(release.path)


def test_what_cannot_be_opened_says_why(
    gym: Gym, seat: Environment, published: tuple[Release, Warehouse], tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="the release has no such task"):
        seat.reset("0" * 16)
    with pytest.raises(RuntimeError, match="call reset"):
        seat.step(sql("SELECT 1"))
    with pytest.raises(InputError, match="holds other records"):
        Gym.open(published[0], build(tmp_path, seed=1), workers=0)


def test_the_isolation_is_told(gym: Gym, published: tuple[Release, Warehouse]) -> None:
    assert re.match(r"worker processes \(.+\)$", gym.isolation.sql)
    assert gym.isolation.python == "off: not asked for"
    with Gym.open(*published, workers=0, python=False) as here:
        assert here.isolation.sql == "the gym's own process"
        assert here.environment().reset(here.tasks(Split.TEST)[0]).tools == described(python=False)


# -- tools ---------------------------------------------------------------------------------------------------------


def test_every_tool_says_what_a_model_must_know() -> None:
    tools = [tool["function"] for tool in described(python=True)]
    assert tuple(tool["name"] for tool in tools) == NAMES
    for tool in tools:
        parameters = tool["parameters"]
        assert parameters["additionalProperties"] is False
        assert all(len(value["description"]) > 20 for value in parameters["properties"].values())
        assert re.search("Read-only|end the task", tool["description"])
        assert "error" in tool["description"]


def test_results_are_readable() -> None:
    shown = Shown(("a", "b"), ((None, "NULL"), ("", "two\nlines"), (" x ", "plain")), notice="Cut.")
    assert readable("sql", shown, 12.0).splitlines() == [
        "a     | b",
        "------+-----------",
        "NULL  | 'NULL'",
        "''    | two\\nlines",
        "' x ' | plain",
        "Cut.",
        "[3 rows shown, in more than ten seconds]",
    ]
    assert readable("python", Shown(("output",), (("3\n",),)), 0.1) == "3\n[done, in under a second]"
    assert readable("python", Shown(("output",), (("",),))) == "(no output)\n[done]"
    assert str(SUBJECT) in readable("sql", Shown(("subject_id",), ((SUBJECT,),)))


def test_the_example_of_the_readme_runs(
    published: tuple[Release, Warehouse], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    release, warehouse = published
    text = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    [example] = [code for code in re.findall(r"(?s)```python\n(.*?)```", text) if "Gym.open" in code]
    assert len(example.splitlines()) <= 15
    (warehouse.path / ".staging").mkdir(exist_ok=True)
    monkeypatch.setattr(environments, "WAREHOUSES", warehouse.path.parent)
    exec(example.replace("data/releases/robustgym-synthetic-smoke-1.0.0", str(release.path)), {})
    said = capsys.readouterr().out
    assert "[1 row, in" in said
    assert "abstained_wrongly" in said


def test_python_reads_what_sql_shows_and_keeps_its_variables(published: tuple[Release, Warehouse]) -> None:
    with Gym.open(*published, workers=1) as gym, gym.environment() as seat:
        if gym.isolation.python.startswith("off"):
            pytest.skip(f"no sandbox is to be had here ({gym.isolation.python})")
        seen = []
        for condition in Condition:
            told = seat.reset(task(gym, condition).task_id)
            assert [tool["function"]["name"] for tool in told.tools] == list(NAMES)
            cells = (
                "labs = query('SELECT itemid, valuenum FROM labevents WHERE itemid = 50971')",
                "print(len(labs)); labs.valuenum.sum()",
                "query('SELECT x FROM labevents')",
                "query(\"COPY patients TO 'x'\")",
                "len(query('SELECT i FROM range(200000) AS r(i)'))",
            )
            results = [seat.step(Action("python", {"code": code})) for code in cells]
            seen.append([result.shown for result in results])
            seat.step(Action("submit", {"answer": "null"}))
            assert len(seat.transcript.calls) == 6
        assert seen[0] == seen[1]
        quiet, sums, unknown, refused, large = seen[0]
        assert quiet.ok
        assert str(sums.rows[0][0]).splitlines()[0].isdigit()
        assert "Binder Error" in str(unknown.error)
        assert "read-only" in str(refused.error)
        assert "larger than 100,000 rows" in str(large.error)
