"""Noise operator: the same code stands there under the other edition of ICD."""

from __future__ import annotations

from random import Random

from noise_ops import NotApplicable, noise_op
from noise_ops._edits import doubled, overlay
from noise_ops._ids import fresh_ids
from noise_ops._worlds import siblings
from schemas.noise import Noise
from schemas.questions import Question, Selection
from schemas.tables import TABLES


@noise_op(level="record", promise="unchanged", severities={"all": {}}, realism=(50, 51))
def version_twin(question: Question, rng: Random) -> Noise:
    """Repeat a code under the other edition of ICD, where the same characters mean something else or nothing.

    MIMIC-IV mixes ICD-9 and ICD-10, in one table and often in one patient. E8881 is a fall in the one and metabolic
    syndrome in the other. Whoever reads `icd_version` with the code reaches the answer, and whoever matches characters
    alone finds diagnoses nobody has.

    Limits: a question for every code, or for how many there are, changes with the twin; such a pair is dropped when its
    promise is checked.

    Args:
        question: The clean question.
        rng: The only source of randomness.

    Raises:
        NotApplicable: No associated record is an ICD code.

    Examples:
        >>> from schemas.examples import discharge_destination, first_lactate
        >>> [twin] = version_twin(discharge_destination(), Random(0)).overlay.edits
        >>> twin.kind, twin.after["icd_code"], twin.after["icd_version"]
        ('insert', 'I5023', 9)

        >>> version_twin(first_lactate(), Random(0))
        Traceback (most recent call last):
        noise_ops.registry.NotApplicable: no associated record is an ICD code
    """
    coded = [selection for selection in question.selections if _coded(selection)]
    other = "CASE WHEN icd_version = 9 THEN 10 ELSE 9 END"
    ids = {selection.table: fresh_ids(question, selection.table) for selection in coded}
    twins = [
        doubled(
            question,
            selection,
            1.0,
            rng,
            lambda record: {"icd_version": 10 if record["icd_version"] == 9 else 9},
            {"icd_version": other},
            ids[selection.table],
        )
        for selection in coded
    ]
    if not any(twins):
        raise NotApplicable("no associated record is an ICD code")
    return Noise(overlay=overlay(*twins), worlds=siblings(question, rng))


def _coded(selection: Selection) -> bool:
    return "icd_version" in TABLES[selection.table] and "icd_code" in (*selection.names, *selection.value)
