# ruff: noqa: E501  (a query reads better on one line)
"""Faults of the synthetic hospital occur about as often as `noise_ops.faults` counts them: within a factor of two."""

from __future__ import annotations

import pytest

from tests.synthetic_queries import count, value

# Fault, share found in MIMIC-IV or its demo, query of the share here.
FAULTS = [
    ("1 lab without admission", 0.466, "SELECT avg((hadm_id IS NULL)::INT) FROM labevents"),
    ("3 lab value NULL", 0.101, "SELECT avg((value IS NULL)::INT) FROM labevents"),
    ("4 lab number NULL", 0.136, "SELECT avg((valuenum IS NULL)::INT) FROM labevents"),
    ("5 lab value masked", 0.063, "SELECT avg((value = '___')::INT) FROM labevents WHERE value IS NOT NULL"),
    ("5 masked, number kept", 0.979, "SELECT avg((valuenum IS NOT NULL)::INT) FROM labevents WHERE value = '___'"),
    ("12 lab provider NULL", 0.719, "SELECT avg((order_provider_id IS NULL)::INT) FROM labevents"),
    ("12 lab storetime NULL", 0.0163, "SELECT avg((storetime IS NULL)::INT) FROM labevents"),
    ("36 age 91", 0.03, "SELECT avg((anchor_age = 91)::INT) FROM patients"),
    ("39 discharge location NULL", 0.153, "SELECT avg((discharge_location IS NULL)::INT) FROM admissions"),
    ("39 marital status NULL", 0.044, "SELECT avg((marital_status IS NULL)::INT) FROM admissions"),
    ("40 language unknown", 0.0727, "SELECT avg((language = '?')::INT) FROM admissions"),
    ("40 race unknown", 0.0836, "SELECT avg((race[1:3] IN ('UNK', 'UNA', 'PAT'))::INT) FROM admissions"),
    ("42 deathtime is not dischtime", 0.267, "SELECT avg((deathtime <> dischtime)::INT) FROM admissions WHERE deathtime IS NOT NULL"),
    ("46 ICU stay ends after discharge", 0.157, "SELECT avg((outtime > dischtime)::INT) FROM icustays JOIN admissions USING (hadm_id)"),
    ("47 emergency transfer without admission", 0.229, "SELECT avg((hadm_id IS NULL)::INT) FROM transfers WHERE eventtype = 'ED'"),
    ("54 procedure days that tie", 0.445, "SELECT avg((n > 1)::INT) FROM (SELECT count(*) AS n FROM procedures_icd GROUP BY hadm_id, chartdate)"),
    ("55 HCFA without severity", 1.0, "SELECT avg((drg_severity IS NULL)::INT) FROM drgcodes WHERE drg_type = 'HCFA'"),
    ("56 admission without DRG", 0.153, "SELECT avg((d.hadm_id IS NULL)::INT) FROM admissions AS a LEFT JOIN (SELECT DISTINCT hadm_id FROM drgcodes) AS d USING (hadm_id)"),
    ("56 admission with HCPCS", 0.149, "SELECT count(DISTINCT hadm_id) / (SELECT count(*) FROM admissions) FROM hcpcsevents"),
    ("57 stop before start", 0.042, "SELECT avg((stoptime < starttime)::INT) FROM prescriptions"),
    ("57 stop equals start", 0.025, "SELECT avg((stoptime = starttime)::INT) FROM prescriptions"),
    ("58 ndc is 0", 0.144, "SELECT avg((coalesce(ndc, '0') = '0')::INT) FROM prescriptions"),
    ("58 gsn NULL", 0.139, "SELECT avg((gsn IS NULL)::INT) FROM prescriptions"),
    ("59 dose is no number", 0.055, "SELECT avg((TRY_CAST(dose_val_rx AS DOUBLE) IS NULL)::INT) FROM prescriptions WHERE dose_val_rx IS NOT NULL"),
    ("60 gm beside g", 0.454, "SELECT avg((dose_unit_rx = 'g')::INT) FROM prescriptions WHERE dose_unit_rx IN ('g', 'gm')"),
    ("65 admissions with emar", 0.658, "SELECT count(DISTINCT hadm_id) / (SELECT count(*) FROM admissions) FROM emar"),
    ("67 pharmacy medication NULL", 0.066, "SELECT avg((medication IS NULL)::INT) FROM pharmacy"),
    ("69 culture without admission", 0.335, "SELECT avg((hadm_id IS NULL)::INT) FROM microbiologyevents"),
    ("70 culture without time", 0.0631, "SELECT avg((charttime IS NULL)::INT) FROM microbiologyevents"),
    ("71 germ NULL", 0.566, "SELECT avg((org_name IS NULL)::INT) FROM microbiologyevents"),
    ("71 cancelled", 0.0059, "SELECT avg((coalesce(org_name, '') = 'CANCELLED')::INT) FROM microbiologyevents"),
    ("72 culture comment masked", 0.121, "SELECT avg((coalesce(comments, '') = '___')::INT) FROM microbiologyevents"),
    ("73 clinic result is no number", 0.294, "SELECT avg((TRY_CAST(result_value AS DOUBLE) IS NULL)::INT) FROM omr"),
]  # fmt: skip


@pytest.mark.parametrize(("fault", "real", "query"), FAULTS, ids=[fault for fault, _, _ in FAULTS])
def test_rate_is_within_a_factor_of_two(fault: str, real: float, query: str) -> None:
    assert real / 2 <= value(query) <= real * 2


@pytest.mark.parametrize(
    ("fault", "query"),
    [
        ("8 unit lost", "FROM labevents WHERE itemid = 50971 AND valuenum IS NOT NULL AND valueuom IS NULL"),
        ("8 unit spelling", "FROM labevents WHERE valueuom IN ('meq/L', 'MG/DL', 'k/uL')"),
        (
            "9 analysed twice",
            "FROM (SELECT 1 FROM labevents WHERE itemid = 50971 GROUP BY subject_id, charttime HAVING count(DISTINCT specimen_id) > 1)",
        ),
        ("10 diluted sample", "FROM labevents WHERE itemid = 50983 AND valuenum < 90"),
        ("14 lab copied into the chart", "FROM chartevents WHERE itemid = 220615"),
        ("15 heart rate impossible", "FROM chartevents WHERE itemid = 220045 AND (valuenum <= 0 OR valuenum > 1000)"),
        ("17 Fahrenheit under Celsius", "FROM chartevents WHERE itemid = 223762 AND valuenum > 70"),
        ("19 height charted twice", "FROM chartevents WHERE itemid = 226730"),
        ("21 FiO2 as a fraction", "FROM chartevents WHERE itemid = 223835 AND valuenum <= 1"),
        ("22 tube instead of an answer", "FROM chartevents WHERE itemid = 223900 AND value = 'No Response-ETT'"),
        ("23 several systolic pressures", "FROM chartevents WHERE itemid = 225309"),
        ("27 rewritten infusion", "FROM inputevents WHERE statusdescription = 'Rewritten'"),
        ("30 no urine in an hour", "FROM outputevents WHERE itemid = 226559 AND value = 0"),
        ("41 race changes", "FROM (SELECT subject_id FROM admissions GROUP BY 1 HAVING count(DISTINCT race) > 1)"),
        ("44 ICU ward without ICU stay", "FROM transfers WHERE careunit LIKE '%Intensive Care%' AND hadm_id NOT IN (SELECT hadm_id FROM icustays)"),
        ("61 trailing blank", "FROM prescriptions WHERE drug LIKE '% '"),
        ("63 order repeated", "FROM (SELECT 1 FROM prescriptions GROUP BY pharmacy_id, drug, drug_type HAVING count(*) > 1)"),
        ("74 height in feet", "FROM omr WHERE result_name = 'Height (Inches)' AND result_value::DOUBLE < 8"),
        ("75 day's value repeated", "FROM (SELECT 1 FROM omr GROUP BY subject_id, chartdate, result_name HAVING count(*) > 1)"),
    ],
)  # fmt: skip
def test_rare_faults_occur(fault: str, query: str) -> None:
    assert count(f"SELECT 1 {query}") >= 1, fault


def test_one_icd_string_means_two_things() -> None:
    assert count("SELECT 1 FROM d_icd_diagnoses WHERE icd_code IN ('E8881', 'E8809')") == 4
