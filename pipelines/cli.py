"""The command line, `robustgym`: one verb per command, each a thin call of the room that does the work.

Every command imports what it needs when it runs: help is instant, and a gym without the pipeline's packages still has
the commands that need none of them. Exit codes: 0 done, 1 the check failed, 2 the call or the input was wrong.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pipelines.cli_console import Group

app = typer.Typer(
    cls=Group,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Task pairs from MIMIC-IV: does a clinical agent notice when the record does not support an answer?",
)
ops = typer.Typer(cls=Group, no_args_is_help=True, rich_markup_mode=None, help="The noise operators.")
app.add_typer(ops, name="ops")
questions = typer.Typer(cls=Group, no_args_is_help=True, rich_markup_mode=None, help="The question templates.")
app.add_typer(questions, name="questions")

Json = Annotated[bool, typer.Option("--json", help="Print JSON for a machine.")]
Release = Annotated[Path, typer.Argument(metavar="RELEASE", help="Directory of a release.")]


@app.command()
def build(
    source: Annotated[
        str,
        typer.Option(metavar="DIR|synthetic[:PATIENTS]", help="A MIMIC-IV download, or a hospital to be generated."),
    ] = "synthetic",
    profile: Annotated[
        str, typer.Option(metavar="NAME|PATH", help="smoke, paper, extended, or a TOML file of your own.")
    ] = "smoke",
    seed: Annotated[int, typer.Option(min=0, help="Decides which questions are asked and which pairs are chosen.")] = 0,
    version: Annotated[
        str | None, typer.Option(metavar="V", help="Digits and dots. Without it, the next one that is not taken.")
    ] = None,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where releases are put.")] = Path("data/releases"),
    warehouse: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Where the staged tables are kept; by default under data/warehouse."),
    ] = None,
    threads: Annotated[
        int | None,
        typer.Option(min=1, help="Threads and worker processes to use; the bytes of the release do not depend on it."),
    ] = None,
    i_have_verified_zero_retention: Annotated[
        bool,
        typer.Option(
            "--i-have-verified-zero-retention",
            help="The endpoint of the model check keeps nothing. PhysioNet asks it for credentialed data.",
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Make a release: stage the source, ask, make noise, check every pair, write it down."""
    from pipelines.cli_build import build as run

    run(
        source=source,
        profile=profile,
        seed=seed,
        version=version,
        out=out,
        warehouse=warehouse,
        threads=threads,
        confirmed=i_have_verified_zero_retention,
        json=json,
    )


@app.command()
def synth(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="Directory to write; must not exist or be empty.")],
    patients: Annotated[int, typer.Option(min=1, metavar="N", help="How many patients it has.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Another seed, another hospital.")] = 0,
    format: Annotated[str, typer.Option(metavar="csv.gz|parquet", help="How the tables are written.")] = "csv.gz",
    workers: Annotated[int | None, typer.Option(min=1, help="Processes to use; the bytes do not depend on it.")] = None,
    json: Json = False,
) -> None:
    """Generate a synthetic hospital in PhysioNet's layout."""
    from pipelines.cli_source import synth as run

    run(out, patients=patients, seed=seed, format=format, workers=workers, json=json)


@app.command("fetch-demo")
def fetch_demo(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="Directory to put it in.")] = Path(
        "data/raw/mimic-iv-demo-2.2"
    ),
    json: Json = False,
) -> None:
    """Download the open MIMIC-IV demo from PhysioNet and check its SHA256SUMS."""
    from pipelines.cli_source import fetch_demo as run

    run(out, json=json)


@app.command()
def verify(
    release: Release,
    source: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="The hospital it was made from (raw or staged): references are run again on it."
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Check a release: checksums, schemas, splits, balance; with its hospital, every reference and promise as well."""
    from pipelines.cli_release import verify as run

    run(release, source=source, json=json)


@app.command("validate-verifier")
def validate_verifier(
    release: Release,
    source: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="The hospital it was made from (raw or staged); by default under data."),
    ] = None,
    no_python: Annotated[
        bool, typer.Option("--no-python", help="Try no evidence in Python, which takes minutes.")
    ] = False,
    json: Json = False,
) -> None:
    """Judge submissions made from a release whose verdict is known, and print how often the verifier is wrong."""
    from pipelines.cli_validate import validate_verifier as run

    run(release, source=source, python=not no_python, json=json)


@app.command()
def show(
    release: Release,
    pair: Annotated[str, typer.Argument(metavar="PAIR", help="A pair's or a task's id; its beginning is enough.")],
    json: Json = False,
) -> None:
    """Show a pair as a person reads it: both questions, what was changed, the answers, the evidence."""
    from pipelines.cli_release import show as run

    run(release, pair, json=json)


@app.command()
def diff(
    old: Annotated[Path, typer.Argument(metavar="OLD")],
    new: Annotated[Path, typer.Argument(metavar="NEW")],
    json: Json = False,
) -> None:
    """Compare two releases: pairs that came, went or changed, and what that does to scores."""
    from pipelines.cli_release import diff as run

    run(old, new, json=json)


@app.command()
def eval(
    release: Release,
    agent: Annotated[str | None, typer.Option(metavar="NAME", help="A scripted agent (docs/evaluating.md).")] = None,
    model: Annotated[str | None, typer.Option(metavar="M", help="A model, as its endpoint calls it.")] = None,
    base_url: Annotated[
        str | None,
        typer.Option(
            "--base-url", metavar="URL", help="An OpenAI-compatible endpoint. Its key is taken from ROBUSTGYM_API_KEY."
        ),
    ] = None,
    split: Annotated[str, typer.Option(metavar="test|train", help="Whose tasks are asked.")] = "test",
    k: Annotated[int, typer.Option("--k", min=1, help="Independent episodes of each task.")] = 1,
    out: Annotated[
        Path | None,
        typer.Option(metavar="RUN", help="The run's directory; by default under data/runs. A run there goes on."),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Ask so many tasks: pair after pair, the cells taking turns.")
    ] = None,
    concurrency: Annotated[
        int | None, typer.Option(min=1, help="Episodes at a time: 8 with a model, 2 scripted, unless said.")
    ] = None,
    source: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The hospital the release was made from, raw or staged.")
    ] = None,
    warehouse: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Its staged tables; by default those below data/warehouse.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Seeds scripted agents. Sent to a model, trial added, only if given.")
    ] = None,
    temperature: Annotated[
        float | None, typer.Option(min=0, max=100, help="Left to the endpoint, unless said.")
    ] = None,
    top_p: Annotated[float | None, typer.Option("--top-p", min=0, max=1, help="Left to the endpoint.")] = None,
    max_tokens: Annotated[int | None, typer.Option("--max-tokens", min=1, help="Of one reply.")] = None,
    reasoning_effort: Annotated[
        str | None, typer.Option("--reasoning-effort", metavar="E", help="As the endpoint names it: low, high …")
    ] = None,
    protocol: Annotated[
        str, typer.Option(metavar="tools|text", help="The endpoint's tool calling, or plain text where it has none.")
    ] = "tools",
    turns: Annotated[int, typer.Option(min=1, help="Tool calls of one episode.")] = 30,
    seconds: Annotated[
        float, typer.Option(min=1, max=1e6, help="Time of one episode, waits for a busy endpoint apart.")
    ] = 600,
    tokens: Annotated[int, typer.Option(min=1, help="Tokens of one episode, prompts of every request.")] = 200_000,
    price_in: Annotated[
        float | None, typer.Option("--price-in", min=0, max=1e6, help="$ a million prompt tokens.")
    ] = None,
    price_out: Annotated[
        float | None, typer.Option("--price-out", min=0, max=1e6, help="$ a million completion tokens.")
    ] = None,
    requests_per_minute: Annotated[
        float | None,
        typer.Option("--requests-per-minute", min=0.1, max=1e6, help="No more than so many leave in a minute."),
    ] = None,
    retries: Annotated[int, typer.Option(min=0, help="A failed request is sent again so often.")] = 5,
    timeout: Annotated[float, typer.Option(min=1, max=1e6, help="Seconds that one request may take.")] = 300,
    i_have_verified_zero_retention: Annotated[
        bool,
        typer.Option(
            "--i-have-verified-zero-retention",
            help="The endpoint keeps nothing. PhysioNet asks it for credentialed data; recorded with the run.",
        ),
    ] = False,
    python: Annotated[
        bool, typer.Option("--python/--no-python", help="Whether a model has the Python tool, if a sandbox holds.")
    ] = True,
    unsafe_python: Annotated[
        bool,
        typer.Option("--unsafe-python", help="Run agents' Python bare where no sandbox is to be had; recorded."),
    ] = False,
    json: Json = False,
) -> None:
    """Evaluate an agent or a model on a release; called again, a run that was killed goes on."""
    from pipelines.cli_eval import asked
    from pipelines.cli_eval import eval as run

    run(
        asked(
            release,
            out,
            agent=agent,
            model=model,
            base_url=base_url,
            split=split,
            k=k,
            limit=limit,
            seed=seed,
            concurrency=concurrency,
            budget={"turns": turns, "seconds": seconds, "tokens": tokens},
            decoding={
                "temperature": temperature,
                "top_p": top_p,
                "max_tokens": max_tokens,
                "reasoning_effort": reasoning_effort,
            },
            protocol=protocol,
            price_in=price_in,
            price_out=price_out,
            requests_per_minute=requests_per_minute,
            tries=retries + 1,
            timeout=timeout,
            confirmed=i_have_verified_zero_retention,
            python=python,
            unsafe_python=unsafe_python,
        ),
        source=source,
        warehouse=warehouse,
        json=json,
    )


@app.command()
def report(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN", help="Directories that robustgym eval wrote to.")],
    release: Annotated[
        Path | None, typer.Option(metavar="RELEASE", help="Their release: says more exactly why episodes failed.")
    ] = None,
    source: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Its hospital, raw or staged: tells who took it as it is.")
    ] = None,
    warehouse: Annotated[Path | None, typer.Option(metavar="DIR", help="The same, staged.")] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where it is written; by default under data/reports.")
    ] = None,
    published: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Published figures to stand beside them, TOML or JSON.")
    ] = None,
    aggregate_only: Annotated[
        bool | None,
        typer.Option(
            "--aggregate-only/--whole",
            help="Leave out all that derives from single patients. Without either: so for credentialed data alone.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Report runs: leaderboard, intervals, slices, paired tests, why episodes fail."""
    from pipelines.cli_report import report as run

    run(
        runs,
        release=release,
        source=source,
        warehouse=warehouse,
        out=out,
        published=published,
        aggregate_only=aggregate_only,
        json=json,
    )


@app.command()
def play(
    release: Release,
    task: Annotated[str | None, typer.Option(metavar="ID", help="A task; without it, any of the split.")] = None,
    split: Annotated[str, typer.Option(metavar="test|train", help="Where a task is taken from.")] = "train",
    source: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The hospital the release was made from, raw or staged.")
    ] = None,
    warehouse: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Its staged tables; by default those below data/warehouse.")
    ] = None,
    turns: Annotated[int, typer.Option(min=1, help="Tool calls of the episode.")] = 30,
    seconds: Annotated[float, typer.Option(min=1, max=1e6, help="Time of the episode, from the first call.")] = 3600,
    python: Annotated[
        bool, typer.Option("--python/--no-python", help="Whether there is the Python tool, if a sandbox holds.")
    ] = True,
) -> None:
    """Take the agent's seat: work a task in the terminal, and hear the verdict."""
    from pipelines.cli_people import play as run

    run(
        release,
        task=task,
        split=split,
        source=source,
        warehouse=warehouse,
        budget={"turns": turns, "seconds": seconds},
        python=python,
    )


@app.command()
def replay(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Directory of a run.")],
    episode: Annotated[
        str, typer.Argument(metavar="EPISODE", help="TASK or TASK/TRIAL; the beginning of the task's id is enough.")
    ],
    release: Annotated[
        Path | None, typer.Option(metavar="RELEASE", help="Its release; by default the one below data/releases.")
    ] = None,
    source: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The hospital the release was made from, raw or staged.")
    ] = None,
    warehouse: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Its staged tables; by default those below data/warehouse.")
    ] = None,
    json: Json = False,
) -> None:
    """Show an episode step by step: every call, what the evidence rule saw in it, the verdict and why."""
    from pipelines.cli_people import replay as look

    look(run, episode, release=release, source=source, warehouse=warehouse, json=json)


@app.command()
def serve(
    release: Release,
    task: Annotated[str | None, typer.Option(metavar="ID", help="One task: over stdio there can be no more.")] = None,
    split: Annotated[str | None, typer.Option(metavar="test|train", help="Every task of a split, over HTTP.")] = None,
    http: Annotated[
        str | None, typer.Option(metavar="HOST:PORT", help="Listen there, each task at /ID/mcp, instead of on stdio.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="RUN", help="Keep what was done, judged, as a run. Clients see none of it.")
    ] = None,
    source: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The hospital the release was made from, raw or staged.")
    ] = None,
    warehouse: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Its staged tables; by default those below data/warehouse.")
    ] = None,
    turns: Annotated[int, typer.Option(min=1, help="Tool calls of one episode.")] = 30,
    seconds: Annotated[float, typer.Option(min=1, max=1e6, help="Time of one episode.")] = 600,
    python: Annotated[
        bool, typer.Option("--python/--no-python", help="Whether there is the Python tool, if a sandbox holds.")
    ] = True,
    i_have_verified_zero_retention: Annotated[
        bool,
        typer.Option(
            "--i-have-verified-zero-retention",
            help="Whoever reaches another address than this machine's keeps nothing. Asked for credentialed data.",
        ),
    ] = False,
) -> None:
    """Offer the tools of episodes to any MCP client, over stdio or HTTP."""
    from pipelines.cli_serve import serve as run

    run(
        release,
        task=task,
        split=split,
        http=http,
        out=out,
        source=source,
        warehouse=warehouse,
        budget={"turns": turns, "seconds": seconds},
        python=python,
        confirmed=i_have_verified_zero_retention,
    )


@ops.command("list")
def list_operators(json: Json = False) -> None:
    """List every operator: its level, its promise, what it does to the record."""
    from pipelines.cli_ops import list_operators as run

    run(json=json)


@ops.command("show")
def show_operator(name: Annotated[str, typer.Argument(metavar="NAME")], json: Json = False) -> None:
    """Show one operator: what it does, why it happens in a hospital, its severities."""
    from pipelines.cli_ops import show_operator as run

    run(name, json=json)


@ops.command("new")
def new_operator(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Lower-case words joined by `_`, as in value_null.")],
    level: Annotated[str, typer.Option(metavar="record|value|query", help="Where the fault lies.")],
    json: Json = False,
) -> None:
    """Write the file of a new operator: it runs, and says what is left to say."""
    from pipelines.cli_ops import new_operator as run

    run(name, level, json=json)


@questions.command("list")
def list_templates(
    intent: Annotated[str | None, typer.Option(metavar="INTENT", help="Only of this intent: labs, cost, …")] = None,
    scope: Annotated[str | None, typer.Option(metavar="patient|population", help="Only of this scope.")] = None,
    kind: Annotated[
        str | None, typer.Option(metavar="KIND", help="Only about this sort of record: lab, given, …")
    ] = None,
    table: Annotated[str | None, typer.Option(metavar="TABLE", help="Only those that read this table.")] = None,
    json: Json = False,
) -> None:
    """List the released templates: answer, tables, structural components."""
    from pipelines.cli_questions import list_templates as run

    run(intent=intent, scope=scope, kind=kind, table=table, json=json)


@questions.command("show")
def show_template(id_: Annotated[str, typer.Argument(metavar="ID")], json: Json = False) -> None:
    """Show one template: its words in every register, an example, records, routes, reference."""
    from pipelines.cli_questions import show_template as run

    run(id_, json=json)


def main() -> None:
    """Entry point of the `robustgym` command."""
    app(prog_name="robustgym")


if __name__ == "__main__":
    main()
