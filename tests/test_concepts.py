"""The curated concepts hang together."""

from __future__ import annotations

import pytest

from schemas.concepts import Coded, Drug, Lab, Measured, Pool, Ratio, load, rows

CONCEPTS = load()


@pytest.mark.parametrize("pool", list(Pool))
def test_every_pool_has_concepts_with_names(pool: Pool) -> None:
    concepts = CONCEPTS.of(pool)
    assert len(concepts) >= 2
    assert all(concept.lay_name.strip() == concept.lay_name for concept in concepts.values())
    assert len({concept.lay_name for concept in concepts.values()}) == len(concepts)


def test_ranges_and_thresholds_hang_together() -> None:
    for pool in (Pool.LAB, Pool.RATIO, Pool.VITAL, Pool.CLINIC, Pool.OUTPUT):
        for concept in CONCEPTS.of(pool).values():
            assert isinstance(concept, Measured)
            assert concept.worse in ("high", "low")
            assert concept.plausible_low is not None
            assert concept.plausible_high is not None
            assert concept.plausible_low < concept.plausible_high
            if concept.threshold is not None:
                assert concept.plausible_low < concept.threshold < concept.plausible_high, concept.id


def test_other_units_have_factor_and_source() -> None:
    for pool in (Pool.LAB, Pool.VITAL, Pool.CLINIC, Pool.OUTPUT, Pool.INFUSION):
        for concept in CONCEPTS.of(pool).values():
            assert isinstance(concept, Measured)
            given = [bool(concept.alt_unit), bool(concept.alt_factor), bool(concept.alt_source)]
            assert len(set(given)) == 1, concept.id
            assert concept.alt_unit != concept.unit or not concept.alt_unit


def test_known_conversions() -> None:
    def factor(id_: str) -> tuple[tuple[str, float], ...]:
        lab = CONCEPTS.of(Pool.LAB)[id_]
        assert isinstance(lab, Lab)
        return lab.alternatives

    assert factor("glucose") == (("mmol/L", 0.0555),)
    assert factor("creatinine") == (("umol/L", 88.4),)
    assert factor("hemoglobin") == (("g/L", 10.0),)


def test_labs_keep_their_decimals() -> None:
    """A result reported to a hundredth must not be rounded to a whole number."""
    labs = CONCEPTS.of(Pool.LAB)
    assert {id_: labs[id_].decimals for id_ in ("troponin_t", "hba1c", "ph_blood")} == {  # type: ignore[attr-defined]
        "troponin_t": 2,
        "hba1c": 1,
        "ph_blood": 2,
    }


def test_codes_are_text_with_their_version() -> None:
    for pool in (Pool.DIAGNOSIS, Pool.PROCEDURE):
        for group in CONCEPTS.of(pool).values():
            assert isinstance(group, Coded)
            assert group.icd9_prefixes or group.icd10_prefixes
            assert all("." not in prefix for prefix in (*group.icd9_prefixes, *group.icd10_prefixes))


def test_affinity_names_things_that_exist() -> None:
    measured = (Pool.LAB, Pool.RATIO, Pool.VITAL, Pool.CLINIC, Pool.OUTPUT)
    pools = (*measured, Pool.ORDERED_DRUG, Pool.GIVEN_DRUG, Pool.DIAGNOSIS, Pool.INFUSION)
    names = {concept.lay_name for pool in pools for concept in CONCEPTS.of(pool).values()}
    for row in rows("affinity"):
        assert row["anchor"] in names
        missing = set(f"{row['measurements']};{row['drugs']}".split(";")) - names - {""}
        assert not missing, row["anchor"]


def test_ratios_divide_labs() -> None:
    for ratio in CONCEPTS.of(Pool.RATIO).values():
        assert isinstance(ratio, Ratio)
        assert {ratio.numerator, ratio.denominator} <= set(CONCEPTS.of(Pool.LAB))


def test_no_spelling_belongs_to_two_ingredients() -> None:
    owners: dict[str, str] = {}
    for drug in CONCEPTS.of(Pool.ORDERED_DRUG).values():
        assert isinstance(drug, Drug)
        for spelling in {text.strip().lower() for text in drug.orders}:
            assert owners.setdefault(spelling, drug.id) == drug.id
