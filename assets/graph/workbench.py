"""The products of one build, each made once and read back while what it was made from has not changed.

Assets are thin over this. A product is made by its own asset only; the others read it back, and refuse one that is out
of date: so a release is always made from one state of source, code and configuration, however its assets were run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn, Self, TypeVar

from assets.graph.plan import Plan
from assets.graph.progress import Progress
from assets.graph.versions import code_of, key_of
from assets.pairs.asking import Questions, build_questions
from assets.pairs.drafting import coverage
from assets.pairs.frames import Product, made
from assets.pairs.helping import second_helpings
from assets.pairs.natural import build_natural
from assets.pairs.noising import Candidates, build_pairs
from assets.pairs.proving import proven
from assets.pairs.selecting import Selection, select
from assets.questions.paraphrasing import paraphrased
from assets.staging import find_source, ledger
from assets.validation.concept_check import ConceptCheck, check_concepts
from assets.validation.contracts import check_pairs, check_profile
from assets.validation.model_check import check_wording, wordings
from assets.validation.report import Report, examine
from assets.validation.table_profile import ColumnProfile, profile_tables
from noise_ops import Operator, operators
from robustgym import parallel, timing
from robustgym.endpoint import Endpoint
from robustgym.hospital import Hospital
from robustgym.warehouse import Warehouse
from schemas.concepts import Concepts, load
from schemas.errors import InputError, Problem
from schemas.pairs import GoldRow
from schemas.release import Covered, ModelCheck, SourceInfo, SourceTable
from schemas.tables import TABLES

T = TypeVar("T")

_WORDS = ("schemas", "data/concepts")
_HOSPITAL = (
    "robustgym/guard",
    *(
        f"robustgym/{name}.py"
        for name in ("cells", "engine", "frames", "gold", "hospital", "overlay_views", "parallel", "session", "shown")
    ),
    "robustgym/warehouse.py",
    "robustgym/watchdog.py",
)
_ASKING = tuple(
    f"assets/pairs/{name}.py"
    for name in ("asking", "balancing", "holding_out", "identity", "records", "scans", "surroundings")
)
_NOISING = tuple(f"assets/pairs/{name}.py" for name in ("biting", "doubting", "noising", "promises", "witness"))

CODE: Mapping[str, tuple[str, ...]] = {
    "table_profile": ("assets/validation/table_profile.py", "robustgym/warehouse.py", "schemas/tables"),
    "tables_keep_their_rules": ("assets/validation/contracts.py", "schemas"),
    "concept_check": ("assets/validation/concept_check.py", *_HOSPITAL, *_WORDS),
    "clean_questions": ("assets/questions", *_ASKING, *_HOSPITAL, *_WORDS),
    "noise": (
        "assets/questions",
        "noise_ops/_cells.py",
        "noise_ops/registry.py",
        *_NOISING,
        *_ASKING,
        *_HOSPITAL,
        *_WORDS,
    ),
    "natural": (
        "assets/pairs/natural.py",
        "assets/pairs/evidencing.py",
        "assets/pairs/mending.py",
        "assets/questions",
        *(f"noise_ops/{name}.py" for name in ("_cells", "_ids", "registry")),
        *_NOISING,
        *_ASKING,
        # Each pair is worked by the oracle and judged, as a release is.
        "robustgym",
        *_WORDS,
    ),
    "balanced_pairs": (
        "assets/pairs/selecting.py",
        "assets/pairs/helping.py",
        "assets/pairs/proving.py",
        "assets/pairs/evidencing.py",
        "robustgym",
        "assets/validation/model_check.py",
        "assets/questions",
        *_NOISING,
        *_ASKING,
        *_HOSPITAL,
        *_WORDS,
    ),
    "pairs_keep_their_contract": ("assets/validation/contracts.py", "schemas"),
    "validation_report": (
        *(f"assets/validation/{name}.py" for name in ("report", "shortcuts", "visible")),
        "robustgym",
        *_WORDS,
    ),
}
"""Files whose text is part of a product's version. An operator's own file is part of its own candidates only."""


class Workbench:
    """The products of one build. A context: it may hold the hospital open."""

    def __init__(self, plan: Plan, progress: Progress | None = None) -> None:
        self.plan = plan
        self.warehouse = Warehouse.open(plan.warehouse)
        self._progress = progress
        self._read: dict[str, Product[Any]] = {}
        if plan.threads is not None:
            parallel.use(plan.threads)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if "hospital" in self.__dict__:
            self.hospital.close()

    @cached_property
    def hospital(self) -> Hospital:
        """The warehouse, opened for reading."""
        return Hospital.open(self.warehouse)

    @cached_property
    def fingerprint(self) -> str:
        """Names the content of the warehouse."""
        return self.warehouse.fingerprint

    @cached_property
    def source(self) -> SourceInfo:
        """The hospital as the manifest names it."""
        source = find_source(self.plan.source)
        tables = {}
        for name in self.warehouse.files:
            entry = ledger.recall(name, self.plan.warehouse)
            if entry is None:
                raise _stale(f"staging/{name}")
            tables[name] = SourceTable(
                rows=entry.rows,
                fingerprint=entry.fingerprint,
                duplicates=entry.duplicates,
                orphans={key: n for key, n in sorted(entry.orphans.items()) if n},
                extra_columns=entry.extra_columns,
            )
        return SourceInfo(
            kind=source.kind,
            version=source.version.removeprefix("demo-").removeprefix("v"),
            fingerprint=self.fingerprint,
            tables=tables,
            missing=tuple(name for name in TABLES if name not in tables),
        )

    def table_profile(self, make: bool = False) -> Product[tuple[ColumnProfile, ...]]:
        """One row per column of every staged table."""
        return self._product(
            "table_profile",
            tuple[ColumnProfile, ...],
            lambda: profile_tables(self.warehouse, threads=self.plan.threads or 2, progress=self._progress),
            make,
            {"hospital": self.fingerprint},
            shared=True,
        )

    def profile_contract(self, make: bool = False) -> Product[tuple[str, ...]]:
        """Rules of the staged tables that are broken."""
        profile = self.table_profile()
        return self._product(
            "tables_keep_their_rules",
            tuple[str, ...],
            lambda: tuple(map(str, check_profile(profile.value))),
            make,
            {"profile": profile.content},
            shared=True,
        )

    def concept_check(self, make: bool = False) -> Product[ConceptCheck]:
        """The curated concepts, held against this source."""
        return self._product(
            "concept_check",
            ConceptCheck,
            lambda: check_concepts(load(), self.hospital),
            make,
            {"hospital": self.fingerprint},
            shared=True,
        )

    @cached_property
    def concepts(self) -> Concepts:
        """The curated concepts this source has."""
        return self.concept_check().value.left(load())

    def questions(self, make: bool = False) -> Product[Questions]:
        """The clean questions, asked and answered."""
        plan = self.plan
        return self._product(
            "clean_questions",
            Questions,
            lambda: build_questions(self.hospital, self.concepts, plan.profile, plan.seed, self._progress),
            make,
            {**self._drawn, "concepts": self.concept_check().content},
        )

    def candidates(self, operator: Operator, make: bool = False) -> Product[Candidates]:
        """What one operator makes of the clean questions."""
        plan, questions = self.plan, self.questions()
        return self._product(
            f"noise/{operator.name}",
            Candidates,
            lambda: build_pairs(
                operator, questions.value, self.hospital, self.concepts, plan.profile, plan.seed, self._progress
            ),
            make,
            {**self._drawn, "questions": questions.content, "operator": operator.version},
        )

    def natural(self, make: bool = False) -> Product[tuple[Candidates, ...]]:
        """What the hospital itself holds of the operators' faults."""
        plan, questions = self.plan, self.questions()
        return self._product(
            "natural",
            tuple[Candidates, ...],
            lambda: build_natural(
                self.hospital, self.concepts, questions.value, plan.profile, plan.seed, self._progress
            ),
            make,
            {
                **self._drawn,
                "questions": questions.content,
                "operators": {name: operator.version for name, operator in operators().items() if operator.natural},
            },
        )

    def all_candidates(self) -> dict[str, Product[Candidates]]:
        """What every operator makes of them, by its name."""
        return {name: self.candidates(operator) for name, operator in operators().items()}

    def pairs(self, make: bool = False) -> Product[Selection]:
        """The balanced set of pairs."""
        found, natural = self.all_candidates(), self.natural()
        return self._product(
            "balanced_pairs",
            Selection,
            lambda: self._selected({name: product.value for name, product in found.items()}, natural.value),
            make,
            {
                **self._drawn,
                "questions": self.questions().content,
                "candidates": {name: product.content for name, product in found.items()},
                "natural": natural.content,
                "operators": {name: operator.version for name, operator in operators().items()},
                "reworded by": self._rewording().model if self.plan.profile.paraphrase else "",
            },
        )

    def coverage(self) -> tuple[Covered, ...]:
        """What became of every template under every operator, published pairs included."""
        chosen = self.pairs().value
        made = [*(product.value for product in self.all_candidates().values()), *self.natural().value, *chosen.more]
        return coverage(made, rows(chosen), [*(drop for each in made for drop in each.drops), *chosen.drops])

    def _selected(self, made: Mapping[str, Candidates], natural: tuple[Candidates, ...]) -> Selection:
        """The balanced set, after the operators were put to more questions where cells are short."""
        plan, questions = self.plan, self.questions().value
        more = second_helpings(
            made, operators(), questions, self.hospital, self.concepts, plan.profile, plan.seed, self._progress
        )
        candidates = (*made.values(), *natural)
        chosen = proven(
            lambda without: select(candidates, plan.profile, plan.seed, questions.held_out, more, without),
            self.hospital,
            self._progress,
        )
        if not plan.profile.paraphrase:
            return chosen
        said = paraphrased(
            chosen.pairs,
            self._rewording(),
            memory=plan.warehouse / "paraphrases",
            kind=self.source.kind,
            confirmed=plan.confirmed,
            progress=self._progress,
        )
        return replace(chosen, pairs=said.pairs, reworded=(("reworded", said.reworded), *said.refusals))

    def _rewording(self) -> Endpoint:
        """The model that rewords.

        Raises:
            InputError: None is named.
        """
        endpoint = Endpoint.of()
        if endpoint is None:
            do = "set ROBUSTGYM_MODEL_URL and ROBUSTGYM_MODEL, or build without it"
            raise InputError(Problem(f"profile {self.plan.profile.name}, paraphrase", "no model is named", do))
        return endpoint

    def pairs_contract(self, make: bool = False) -> Product[tuple[str, ...]]:
        """Rules of the tasks that are broken."""
        pairs = self.pairs()
        return self._product(
            "pairs_keep_their_contract",
            tuple[str, ...],
            lambda: tuple(map(str, check_pairs(rows(pairs.value)))),
            make,
            {"pairs": pairs.content},
        )

    def validation_report(self, make: bool = False) -> Product[Report]:
        """The examination of exactly these pairs."""
        pairs, contract = self.pairs(), self.pairs_contract()

        def examined() -> Report:
            taken: list[tuple[GoldRow, float]] = []
            report = examine(
                pairs.value.pairs,
                pairs.content,
                contract.value,
                self.hospital,
                self._progress,
                lambda row, seconds: taken.append((row, seconds)),
            )
            # Not in the product: what differs from run to run must not make another release of it.
            timing.write(timing.summed_up(taken), self.timings)
            return report

        return self._product(
            "validation_report",
            Report,
            examined,
            make,
            {"pairs": pairs.content, "contract": contract.content, "hospital": self.fingerprint},
        )

    @property
    def timings(self) -> Path:
        """Where the times of the latest examination lie."""
        return self.plan.work / "timings.csv"

    def model_check(self) -> ModelCheck:
        """What a language model says of the wording, if an endpoint is named. Its answers are kept one by one."""
        return check_wording(
            wordings(rows(self.pairs().value), {name: operator.summary for name, operator in operators().items()}),
            Endpoint.of(),
            answers=self.plan.model_answers,
            kind=self.source.kind,
            confirmed=self.plan.confirmed,
            progress=self._progress,
        )

    @property
    def _drawn(self) -> dict[str, object]:
        """What every draw depends on."""
        return {
            "hospital": self.fingerprint,
            "profile": self.plan.profile.model_dump(mode="json"),
            "seed": self.plan.seed,
        }

    def _product(
        self,
        name: str,
        kind: type[T],
        make: Callable[[], T],
        allowed: bool,
        parts: Mapping[str, object],
        *,
        shared: bool = False,
    ) -> Product[T]:
        """The product of that name as it stands; made, if that is allowed and it does not stand or is out of date.

        Raises:
            InputError: It is out of date, and another asset makes it.
        """
        folder = self.plan.warehouse / "checks" if shared else self.plan.work
        key = key_of(parts=parts, code=code_of(*CODE[name.partition("/")[0]]))

        def refuse() -> NoReturn:
            raise _stale(name)

        if name not in self._read:
            self._read[name] = made(folder / f"{name}.json.gz", key, kind, make if allowed else refuse)
        return self._read[name]


def rows(selection: Selection) -> list[GoldRow]:
    """Both tasks of every pair, in the order of the pairs."""
    return [row for pair in selection.pairs for row in pair]


def _stale(name: str) -> InputError:
    return InputError(Problem(name, "not made yet, or out of date", f"run {name} first, or everything"))
