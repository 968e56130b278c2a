"""A release and what it is made from: profile, source, counts, drops, manifest."""

from __future__ import annotations

import tomllib
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Literal

from annotated_types import Ge, Interval
from pydantic import Field, ValidationError

from schemas.answers import Frozen
from schemas.errors import InputError, Problem, problems_in
from schemas.noise import Level, Promise
from schemas.pairs import GoldRow, Split
from schemas.questions import Intent, Scope
from schemas.validation import VerifierValidation

PROFILES = Path(__file__).parent.parent / "data" / "profiles"
"""Where the profiles lie that come with the project: one TOML file each."""

SourceKind = Literal["synthetic", "demo", "credentialed"]
"""Which licence travels with the data. Whatever is not known to be open counts as credentialed."""

Positive = Annotated[int, Ge(1)]


Cell = tuple[Split, Intent, Scope, Level]


class Profile(Frozen):
    """How large a release is and what is in it: a TOML file a maintainer can copy."""

    name: str = Field(pattern=r"^[a-z][a-z0-9-]*$")
    summary: str
    test_pairs_per_cell: Positive
    """Pairs of the test split for each of the 36 cells (intent × scope × level)."""
    train_pairs: Annotated[int, Ge(0)]
    """Pairs of the train split, spread evenly over the cells as far as the source allows."""
    test_patients: Annotated[float, Interval(gt=0, lt=1)] = 0.3
    """Share of the patients, and of the population questions, that belong to the test split."""
    test_only: Annotated[float, Interval(ge=0, lt=1)] = 0.15
    """Share of the templates, and of the concepts, that are drawn to occur in the test split alone."""
    promises: tuple[Promise, ...] = (Promise.ABSTENTION,)
    """Which pairs are published. The paper's are abstention pairs."""
    templates_per_cell: Positive | None = None
    """Templates drawn for each intent and scope; all if not said."""
    templates: tuple[str, ...] = ()
    """Ids of templates that are asked beside those drawn."""
    questions_per_template: Positive = 12
    """Clean questions to ask of the hospital, by template."""
    test_candidates_per_operator: Positive = 4
    """Pairs an operator makes for each intent × scope of the test split, to choose from."""
    train_candidates_per_operator: Positive = 8
    """The same of the train split."""
    natural: Annotated[float, Interval(ge=0, le=1)] = 0.15
    """Share of each cell that is natural noise, found instead of made, where the source has any; at least one pair
    then. 0 for none."""
    paraphrase: bool = False
    """Whether a language model, named in the environment, rewords the sentences that ask (docs/wording.md)."""
    max_records: Positive = 200
    """A patient question with more associated records is not asked: its overlay would not be legible."""
    max_rows: Positive = 50
    """An answer with more rows is not asked for."""

    def wanted(self) -> dict[Cell, int]:
        """Pairs for each cell: of the train split an even share, the remainder going to the first cells.

        >>> cells = Profile.load("paper").wanted()
        >>> sorted({n for (split, *_), n in cells.items() if split == "train"}), sum(cells.values())
        ([124, 125], 5486)
        """
        kinds = list(product(Intent, Scope, Level))
        even, over = divmod(self.train_pairs, len(kinds))
        cells: dict[Cell, int] = {(Split.TEST, *kind): self.test_pairs_per_cell for kind in kinds}
        return cells | {(Split.TRAIN, *kind): even + (place < over) for place, kind in enumerate(kinds)}

    def abstentions_of(self, pairs: int) -> int:
        """How many of a cell's pairs may promise abstention: its even share among the promises published.

        So who abstains whatever is asked, with evidence, does no better on noise tasks than one who draws lots among
        what may have become of the answer. A single pair may be an abstention.

        >>> paper, extended = Profile.load("paper"), Profile.load("extended")
        >>> paper.abstentions_of(28), extended.abstentions_of(28), extended.abstentions_of(1)
        (28, 9, 1)
        """
        return max(1, pairs // len(self.promises)) if pairs else 0

    def natural_of(self, pairs: int) -> int:
        """How many of a cell's pairs are natural, where the source has so many.

        >>> smoke = Profile.load("smoke")
        >>> smoke.natural_of(2), smoke.natural_of(28), smoke.model_copy(update={"natural": 0.0}).natural_of(28)
        (1, 4, 0)
        """
        return max(1, round(self.natural * pairs)) if self.natural and pairs else 0

    @classmethod
    def load(cls, name_or_path: str) -> Profile:
        """A profile by name (`smoke`) or by the path of a TOML file.

        Raises:
            InputError: There is no such profile, or the file is not one.
        """
        named = PROFILES / f"{name_or_path}.toml"
        path = named if named.is_file() else Path(name_or_path)
        if not path.is_file():
            known = ", ".join(sorted(p.stem for p in PROFILES.glob("*.toml")))
            raise InputError(
                Problem(
                    f"--profile {name_or_path}", "no such profile", f"use one of {known}, or the path of a TOML file"
                )
            )
        try:
            return cls.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise InputError(
                Problem(str(path), f"not TOML: {error}", "compare it with data/profiles/smoke.toml")
            ) from None
        except ValidationError as error:
            raise InputError(problems_in(str(path), error)) from None


class SourceTable(Frozen):
    """A staged table, as the manifest names it."""

    rows: int
    fingerprint: str
    """sha256 of its content: the same for the same records, whatever the files they came in."""
    duplicates: int = 0
    """Records beyond the first that bear the same documented key."""
    orphans: dict[str, int] = Field(default_factory=dict)
    """Records whose foreign key names nothing, by foreign key."""
    extra_columns: tuple[str, ...] = ()


class SourceInfo(Frozen):
    """The hospital a release was made from."""

    kind: SourceKind
    version: str
    """`2.2`, `3.1`, or what is known; of a synthetic hospital, its generator's version."""
    fingerprint: str
    tables: dict[str, SourceTable]
    missing: tuple[str, ...] = ()
    """Tables of MIMIC-IV that this source lacks; what needs them was left out."""


class Drop(Frozen):
    """Candidates that did not become pairs, and why."""

    stage: Literal["question", "noise", "selection"]
    intent: str
    scope: str
    template: str
    operator: str = ""
    severity: str = ""
    reason: str
    n: Positive = 1


class Covered(Frozen):
    """What became of one template under one operator at one severity."""

    template: str
    intent: Intent
    scope: Scope
    level: Level
    operator: str
    severity: str
    promise: Promise
    candidates: Positive
    """Questions of the template that it was put to."""
    kept: int
    """Pairs whose promise held."""
    bites: int
    """Of those, pairs where whoever takes the record as it is goes wrong."""
    published: int
    """Of those kept, pairs in the release."""
    dropped: dict[str, int] = Field(default_factory=dict)
    """The other candidates by reason, and the kept pairs that were not needed."""


class Shortcut(Frozen):
    """How well a classifier tells noise tasks from clean ones by what an agent sees before its first query."""

    of: str
    """Which pairs: a level, or `operator <name>`."""
    auc: float | None = None
    """Chance that it holds a noise task for likelier noise than a clean one; 0.5 is guessing. None: not measured."""
    low: float | None = None
    """Lower end of the 95% interval, by bootstrap over templates."""
    high: float | None = None
    bound: float | None = None
    """Highest AUC allowed; None where the words themselves are the fault, and the figure is only told."""
    train_pairs: int
    """Pairs it learned from."""
    test_pairs: int
    """Pairs it was put to."""
    tells: tuple[str, ...] = ()
    """The words and numbers that weigh most, each with the condition it speaks for."""
    why: str = ""
    """Why it was not measured."""

    @property
    def broken(self) -> bool:
        """Whether the bound is broken beyond chance: the whole interval lies above it."""
        return self.bound is not None and self.low is not None and self.low > self.bound


class ModelCheck(Frozen):
    """What a language model said of the wording. Never the only judge."""

    status: Literal["not verified by a model", "verified by a model"] = "not verified by a model"
    model: str | None = None
    endpoint: str | None = None
    """Host of the endpoint, without credentials."""
    date: str | None = None
    prompt_sha256: str | None = None
    asked: int = 0
    natural: int = 0
    """Pairs of which both questions read as a clinician would write them."""
    differs_only_where_it_should: int = 0
    objections: tuple[tuple[str, str], ...] = ()
    """Pair and objection, where the model said no."""


class Draft(Frozen):
    """Everything a release is written from."""

    name: str
    version: str = Field(pattern=r"^[0-9]+(\.[0-9]+)+$", max_length=15)
    """Digits and dots, as PhysioNet wants it."""
    seed: int
    profile: Profile
    source: SourceInfo
    rows: tuple[GoldRow, ...]
    """Clean and noise task of every pair, sorted by pair and condition."""
    drops: tuple[Drop, ...]
    left_out: tuple[tuple[str, str], ...]
    """Templates and concepts this source cannot carry, with the reason."""
    coverage: tuple[Covered, ...]
    """One row per template × operator × severity."""
    patients: tuple[dict[str, Any], ...]
    """One row per characteristic and value: share in the source and in the release."""
    complexity: tuple[dict[str, Any], ...] = ()
    """One row per template: structural components of its reference as `compiled` and `normalised`, its `tables`."""
    yardsticks: dict[str, float]
    """Score of the oracle on clean and noise, and of silence without evidence."""
    shortcuts: tuple[Shortcut, ...] = ()
    """How far the condition can be told before the first query."""
    verifier: VerifierValidation | None = None
    """How often the verifier is wrong about submissions whose verdict is known; None if that was not measured."""
    model_check: ModelCheck = ModelCheck()


class FileEntry(Frozen):
    """One file of a release."""

    path: str
    bytes: int
    sha256: str
    rows: int | None = None


class Manifest(Frozen):
    """`manifest.json`: what a release is, exactly."""

    name: str
    version: str
    schema_version: str
    code_version: str
    code_sha256: str
    """Hash of the project's own Python files, concept tables and profiles that took part."""
    seed: int
    licence: SourceKind
    source: SourceInfo
    profile: Profile
    counts: dict[str, int]
    """Pairs by `split/intent/scope/level`, and in all."""
    drops: dict[str, int]
    """Dropped candidates by reason."""
    left_out: tuple[tuple[str, str], ...]
    yardsticks: dict[str, float]
    shortcuts: tuple[Shortcut, ...]
    """How far the condition can be told before the first query."""
    verifier: VerifierValidation | None = None
    """How often the verifier is wrong about submissions whose verdict is known; None if that was not measured."""
    model_check: ModelCheck
    canary: str
    """A string in every text file of the release: who finds it in a training corpus knows where it came from."""
    software: dict[str, str]
    """Version of every library whose version decides bytes: duckdb, polars, pyarrow, sqlglot."""
    files: tuple[FileEntry, ...]
