# ruff: noqa: E501  (a query reads better on one line)
"""A clinician would find the synthetic patients plausible: values hang together, and every concept occurs."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from tests.synthetic_queries import count, value

CONCEPTS = Path(__file__).resolve().parents[1] / "data" / "concepts"
CREATININE, LACTATE, INR, HEMOGLOBIN, WHITE_CELLS, GLUCOSE, TROPONIN, BILIRUBIN = (
    50912, 50813, 51237, 51222, 51301, 50931, 51003, 50885,
)  # fmt: skip
PRINCIPAL_AND_OTHERS = "SELECT DISTINCT hadm_id FROM diagnoses_icd WHERE"
KIDNEY = "((icd_version = 9 AND icd_code LIKE '585%') OR (icd_version = 10 AND icd_code LIKE 'N18%'))"
SEPTIC_SHOCK = "icd_code IN ('78552', 'R6521')"
DIABETES = (
    "((icd_version = 9 AND icd_code LIKE '250%') OR (icd_version = 10 AND icd_code[1:3] IN ('E10', 'E11', 'E13')))"
)
BLEEDING = "((icd_version = 9 AND icd_code LIKE '2851%') OR (icd_version = 10 AND icd_code LIKE 'D62%'))"
PNEUMONIA = (
    "((icd_version = 9 AND icd_code[1:3] IN ('481', '482', '486')) OR (icd_version = 10 AND icd_code LIKE 'J18%'))"
)
CIRRHOSIS = "icd_code IN ('5712', '5715', 'K7030', 'K7031', 'K7460', 'K7469')"
INFARCTION = "((icd_version = 9 AND icd_code LIKE '410%') OR (icd_version = 10 AND icd_code LIKE 'I21%'))"


def concepts(name: str) -> list[dict[str, str]]:
    with (CONCEPTS / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def lab_of(itemid: int, what: str, coded: str, *, inside: bool) -> float:
    """Median over admissions of one measure of a lab, with or without a diagnosis."""
    return value(f"""
        SELECT median(x) FROM (
            SELECT {what} AS x FROM labevents
            WHERE itemid = {itemid} AND valuenum BETWEEN 0 AND 90000 AND hadm_id IS NOT NULL
              AND hadm_id {"IN" if inside else "NOT IN"} ({PRINCIPAL_AND_OTHERS} {coded})
            GROUP BY hadm_id
        )
    """)


@pytest.mark.parametrize(
    ("itemid", "what", "coded", "least"),
    [
        (CREATININE, "median(valuenum)", KIDNEY, 1.6),
        (LACTATE, "max(valuenum)", SEPTIC_SHOCK, 1.5),
        (GLUCOSE, "median(valuenum)", DIABETES, 1.25),
        (WHITE_CELLS, "max(valuenum)", PNEUMONIA, 1.2),
        (BILIRUBIN, "median(valuenum)", CIRRHOSIS, 2.0),
        (TROPONIN, "max(valuenum)", INFARCTION, 2.5),
    ],
)
def test_a_diagnosis_shows_in_its_lab(itemid: int, what: str, coded: str, least: float) -> None:
    assert lab_of(itemid, what, coded, inside=True) > least * lab_of(itemid, what, coded, inside=False)


def test_bleeding_lowers_hemoglobin() -> None:
    bled, others = (lab_of(HEMOGLOBIN, "min(valuenum)", BLEEDING, inside=inside) for inside in (True, False))
    assert bled < others - 1.2


def test_warfarin_prolongs_inr() -> None:
    def median(inside: bool) -> float:
        return value(f"""
            SELECT median(valuenum) FROM labevents WHERE itemid = {INR} AND hadm_id IS NOT NULL
            AND hadm_id {"IN" if inside else "NOT IN"} (SELECT hadm_id FROM prescriptions WHERE drug = 'Warfarin')
        """)

    assert median(True) > 1.35 * median(False)


@pytest.mark.parametrize(
    ("measure", "least"),
    [
        (f"SELECT hadm_id, max(valuenum) AS x FROM labevents WHERE itemid = {LACTATE} GROUP BY hadm_id", 1.3),
        (f"SELECT hadm_id, max(valuenum) AS x FROM labevents WHERE itemid = {CREATININE} GROUP BY hadm_id", 1.15),
        (
            "SELECT hadm_id, max(valuenum) AS x FROM chartevents WHERE itemid = 220045 AND valuenum < 250 GROUP BY hadm_id",
            1.05,
        ),
        ("SELECT hadm_id, count(*) AS x FROM diagnoses_icd GROUP BY hadm_id", 1.1),
        ("SELECT hadm_id, drg_mortality AS x FROM drgcodes WHERE drg_type = 'APR'", 1.4),
    ],
    ids=["lactate", "creatinine", "heart rate", "codes", "risk of mortality"],
)
def test_who_dies_is_sicker(measure: str, least: float) -> None:
    def median(died: int) -> float:
        return value(
            f"SELECT avg(x) FROM ({measure}) JOIN admissions USING (hadm_id) WHERE hospital_expire_flag = {died}"
        )

    assert median(1) > least * median(0)


def test_norepinephrine_runs_when_the_pressure_is_low() -> None:
    on_it = "EXISTS (SELECT 1 FROM inputevents AS i WHERE i.stay_id = c.stay_id AND i.itemid = 221906 AND c.charttime BETWEEN i.starttime AND i.endtime)"
    pressure = "SELECT median(valuenum) FROM chartevents AS c WHERE itemid = 220181 AND valuenum BETWEEN 20 AND 200 AND"
    assert value(f"{pressure} {on_it}") < value(f"{pressure} NOT {on_it}") - 5


def test_urine_dries_up_with_the_kidneys() -> None:
    hourly = """
        SELECT median(x) FROM (
            SELECT o.stay_id, sum(value) / any_value(date_diff('hour', intime, outtime)) AS x
            FROM outputevents AS o JOIN icustays USING (stay_id)
            WHERE itemid IN (226559, 226560) AND value < 5000 AND los > 1 AND o.hadm_id {} (
                SELECT hadm_id FROM labevents WHERE itemid = 50912 AND valuenum > 3.5 AND hadm_id IS NOT NULL
            ) GROUP BY o.stay_id
        )
    """
    assert value(hourly.format("IN")) < 0.75 * value(hourly.format("NOT IN"))


def test_the_ventilated_breathe_badly() -> None:
    """PaO2 over FiO2: lower in the ventilated with acute respiratory failure than in heart surgery."""
    assert count("SELECT 1 FROM procedureevents WHERE itemid = 225792") > 100
    tubed = "hadm_id IN (SELECT hadm_id FROM procedureevents WHERE itemid = 225792)"
    highest = (
        "SELECT avg(x) FROM (SELECT max(valuenum) AS x FROM chartevents WHERE itemid = 220339 AND {} GROUP BY stay_id)"
    )
    assert value(highest.format(tubed)) >= 5
    assert count("SELECT 1 FROM chartevents WHERE itemid = 223900 AND value = 'No Response-ETT'") > 500


def test_the_old_go_to_nursing_homes() -> None:
    share = """
        SELECT avg((discharge_location = 'SKILLED NURSING FACILITY')::INT) FROM admissions JOIN patients USING (subject_id)
        WHERE discharge_location IS NOT NULL AND anchor_age {}
    """
    assert value(share.format(">= 80")) > 3 * value(share.format("< 60"))


def test_billing_follows_the_principal_diagnosis() -> None:
    septic = "SELECT 1 FROM drgcodes JOIN diagnoses_icd USING (hadm_id) WHERE seq_num = 1 AND drg_code = '{}' AND drg_type = 'HCFA'"
    assert count(
        septic.format("871") + f" AND ({SEPTIC_SHOCK} OR icd_code[1:3] IN ('A40', 'A41', '038', '995'))"
    ) > 0.8 * count(septic.format("871"))


def test_codes_fit_the_patient() -> None:
    titled = "SELECT 1 FROM diagnoses_icd JOIN d_icd_diagnoses USING (icd_code, icd_version) JOIN patients USING (subject_id) WHERE"
    for_men = "long_title ILIKE '%prostate%' OR long_title ILIKE '%testis%'"
    assert count(f"{titled} gender = 'F' AND long_title NOT ILIKE 'Family%' AND ({for_men})") == 0
    assert count(f"{titled} gender = 'M' AND (long_title ILIKE '%ovarian%' OR long_title ILIKE '%liveborn%')") == 0
    assert count(f"{titled} anchor_age > 60 AND long_title ILIKE '%liveborn%'") == 0
    alive = "SELECT 1 FROM drgcodes JOIN admissions USING (hadm_id) WHERE hospital_expire_flag = 0"
    assert count(f"{alive} AND description LIKE '%EXPIRED%'") == 0


def test_a_dose_range_is_of_the_drug_itself() -> None:
    borrowed = "dose_val_rx IN ('25,000', '1,000', '325-650', '12.5-25')"
    assert (
        count(f"SELECT 1 FROM prescriptions WHERE trim(drug) IN ('FoLIC Acid', 'Glucagon', 'Insulin') AND {borrowed}")
        == 0
    )
    assert count("SELECT 1 FROM prescriptions WHERE dose_val_rx LIKE '%-%'") > 100


def test_mortality_and_age() -> None:
    assert 0.015 < value("SELECT avg(hospital_expire_flag) FROM admissions") < 0.035
    in_icu = "SELECT avg(hospital_expire_flag) FROM admissions WHERE hadm_id IN (SELECT hadm_id FROM icustays)"
    assert 0.06 < value(in_icu) < 0.16
    assert 45 < value("SELECT avg(anchor_age) FROM patients") < 60
    assert 0.48 < value("SELECT avg((gender = 'F')::INT) FROM patients") < 0.57


def test_results_of_one_sample_agree() -> None:
    """Hematocrit is about three times hemoglobin, and the anion gap is what its parts say."""
    wide = """
        SELECT specimen_id, max(valuenum) FILTER (itemid = {}) AS a, max(valuenum) FILTER (itemid = {}) AS b
        FROM labevents WHERE valuenum IS NOT NULL GROUP BY specimen_id HAVING a > 0 AND b > 0
    """
    ratio = f"SELECT quantile_cont(a / b, {{}}) FROM ({wide.format(51221, 51222)})"
    assert value(ratio.format(0.02)) > 2.7
    assert value(ratio.format(0.98)) < 3.4
    gap = """
        SELECT median(abs(gap - (na + k - cl - hco3))) FROM (
            SELECT specimen_id, max(valuenum) FILTER (itemid = 50868) AS gap, max(valuenum) FILTER (itemid = 50983) AS na,
                   max(valuenum) FILTER (itemid = 50971) AS k, max(valuenum) FILTER (itemid = 50902) AS cl,
                   max(valuenum) FILTER (itemid = 50882) AS hco3
            FROM labevents GROUP BY specimen_id
        )
    """
    assert value(gap) <= 1


@pytest.mark.parametrize("row", concepts("labs"), ids=lambda row: row["concept"])
def test_every_lab_occurs_in_its_unit_and_range(row: dict[str, str]) -> None:
    units = " OR ".join(f"valueuom = '{unit}'" for unit in row["unit"].split(";") if unit) or "valueuom IS NULL"
    found = f"FROM labevents WHERE itemid = {row['itemid']} AND valuenum IS NOT NULL"
    assert count(f"SELECT 1 {found} AND ({units})") >= 30
    low, high = row["plausible_low"] or "-1e9", row["plausible_high"] or "1e9"
    assert count(f"SELECT 1 {found} AND valuenum NOT BETWEEN {low} AND {high}") <= 0.02 * count(f"SELECT 1 {found}") + 2


@pytest.mark.parametrize("row", concepts("vitals"), ids=lambda row: row["concept"])
def test_every_vital_occurs(row: dict[str, str]) -> None:
    found = f"SELECT 1 FROM chartevents WHERE itemid = {row['itemid']} AND valuenum"
    assert count(f"{found} IS NOT NULL") >= 20
    outside = count(f"{found} NOT BETWEEN {row['plausible_low']} AND {row['plausible_high']}")
    # FiO2 is charted as a fraction now and then (fault 21), temperatures in the other unit (fault 17).
    assert outside <= 0.06 * count(f"{found} IS NOT NULL")


@pytest.mark.parametrize("row", concepts("infusions"), ids=lambda row: row["concept"])
def test_every_infusion_runs_at_plausible_rates(row: dict[str, str]) -> None:
    found = f"SELECT 1 FROM inputevents WHERE itemid = {row['itemid']}"
    assert count(found) >= 5
    if row["rate_unit"]:
        assert count(f"{found} AND rateuom = '{row['rate_unit']}'") >= 5
        assert count(f"{found} AND rate > {row['plausible_high_rate']}") == 0


@pytest.mark.parametrize("row", concepts("drugs"), ids=lambda row: row["ingredient"])
def test_every_drug_is_ordered(row: dict[str, str]) -> None:
    names = ", ".join("'" + name.replace("'", "''") + "'" for name in row["prescriptions_drug"].split("|"))
    assert value(f"SELECT count(DISTINCT hadm_id) FROM prescriptions WHERE drug IN ({names})") >= 5
    if row["emar_medication"]:
        names = ", ".join("'" + name.replace("'", "''") + "'" for name in row["emar_medication"].split("|"))
        assert count(f"SELECT 1 FROM emar WHERE medication IN ({names})") >= 1


def prefixes(version: int, text: str) -> str:
    tests = [f"icd_code LIKE '{prefix}%'" for prefix in text.split(";") if prefix]
    return f"(icd_version = {version} AND ({' OR '.join(tests)}))" if tests else "false"


@pytest.mark.parametrize("row", concepts("diagnoses"), ids=lambda row: row["group"])
def test_every_diagnosis_group_is_coded(row: dict[str, str]) -> None:
    where = f"{prefixes(9, row['icd9_prefixes'])} OR {prefixes(10, row['icd10_prefixes'])}"
    assert value(f"SELECT count(DISTINCT hadm_id) FROM diagnoses_icd WHERE {where}") >= 5


@pytest.mark.parametrize("row", concepts("procedures"), ids=lambda row: row["group"])
def test_every_procedure_group_is_done(row: dict[str, str]) -> None:
    where = f"{prefixes(9, row['icd9_prefixes'])} OR {prefixes(10, row['icd10_prefixes'])}"
    coded = value(f"SELECT count(DISTINCT hadm_id) FROM procedures_icd WHERE {where}")
    items = ", ".join(filter(None, row["procedureevents_itemids"].split(";")))
    charted = count(f"SELECT 1 FROM procedureevents WHERE itemid IN ({items})") if items else 0
    assert coded + charted >= 5


@pytest.mark.parametrize("row", concepts("drg_groups"), ids=lambda row: row["group"])
def test_every_billing_group_is_billed(row: dict[str, str]) -> None:
    families = re.findall(r"(\d{3})(?:-(\d{3}))?", row["msdrg_family_published"])
    codes = ", ".join(f"'{code:03d}'" for first, last in families for code in range(int(first), int(last or first) + 1))
    assert count(f"SELECT 1 FROM drgcodes WHERE drg_type = 'HCFA' AND drg_code IN ({codes})") >= 3


@pytest.mark.parametrize("row", concepts("hcpcs_groups"), ids=lambda row: row["group"])
def test_every_hcpcs_group_is_billed(row: dict[str, str]) -> None:
    codes = ", ".join(f"'{code}'" for code in row["codes"].split(";"))
    assert count(f"SELECT 1 FROM hcpcsevents WHERE hcpcs_cd IN ({codes})") >= 2


@pytest.mark.parametrize("row", concepts("outputs"), ids=lambda row: row["concept"])
def test_every_output_is_measured(row: dict[str, str]) -> None:
    items = row["itemids"].replace(";", ", ")
    assert count(f"SELECT 1 FROM outputevents WHERE itemid IN ({items})") >= 10


@pytest.mark.parametrize("row", concepts("omr"), ids=lambda row: row["concept"])
def test_every_clinic_measurement_is_taken(row: dict[str, str]) -> None:
    assert count(f"SELECT 1 FROM omr WHERE result_name = '{row['result_name']}'") >= 500


@pytest.mark.parametrize("row", concepts("careunits"), ids=lambda row: row["careunit"])
def test_every_care_unit_has_patients(row: dict[str, str]) -> None:
    assert count(f"SELECT 1 FROM transfers WHERE careunit = '{row['careunit']}'") >= 3
