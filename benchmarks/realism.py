"""How well injected faults are told from natural ones, by operator, on the synthetic hospital (see assets.validation).

An operator has no figure where the hospital bears too few such faults by nature.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assets.pairs.asking import build_questions
from assets.pairs.noising import build_pairs
from assets.staging import find_source, stage
from assets.synthetic import write_hospital
from assets.validation.realism import realism
from noise_ops import operators
from robustgym import parallel
from robustgym.hospital import Hospital
from schemas import concepts
from schemas.noise import Level, Promise
from schemas.pairs import Split
from schemas.questions import Intent, Scope
from schemas.release import Profile

PATIENTS = 400
SEED = 0
BAR = 0.75
"""Area under the curve above which somebody should look: a feature gives the rows away."""

PROFILE = Profile(
    name="realism",
    summary="Patient questions, for the rows that noise leaves.",
    test_pairs_per_cell=1,
    train_pairs=36,
    test_patients=0.5,
    promises=tuple(Promise),
    templates_per_cell=60,
    questions_per_template=2,
    test_candidates_per_operator=1,
    train_candidates_per_operator=1,
)
SIZES = {(intent, Scope.PATIENT, split): 14 for intent in Intent for split in Split}
"""Pairs an operator is to keep of each intent and split."""


def run() -> Iterator[dict[str, Any]]:
    """One row per operator that leaves rows."""
    parallel.use(1)
    with tempfile.TemporaryDirectory() as folder:
        source, warehouse = Path(folder) / "hospital", Path(folder) / "warehouse"
        write_hospital(source, PATIENTS, SEED, format="parquet", workers=1)
        stage(find_source(source), warehouse)
        with Hospital.open(warehouse) as hospital:
            questions = build_questions(hospital, concepts.load(), PROFILE, SEED)
            for operator in operators().values():
                if operator.level is Level.QUERY:
                    continue
                made = build_pairs(operator, questions, hospital, concepts.load(), PROFILE, SEED, sizes=SIZES)
                for told in realism([pair.noise for pair in made.pairs], hospital):
                    measured = told.auc is not None
                    yield {
                        "name": str(told),
                        "value": told.auc if measured else 0,
                        "unit": "AUC" if measured else "",
                        "bar": BAR if measured else None,
                        "ok": told.auc <= BAR if told.auc is not None else None,
                    }
