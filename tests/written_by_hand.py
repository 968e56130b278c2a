"""Twelve references as a person writes them: of each cell the template nearest its median, with the same answers.

They say what the compiler's generality costs. Whoever wrote them had the question and its contract, and no compiler:
ids are put in as they are, and a table is read where it is needed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from schemas.overlays import Value

GIVEN = """('Administered', 'Delayed Administered', 'Partial Administered', 'Administered in Other Location',
    'Administered Bolus from IV Drip')"""


@dataclass(frozen=True)
class ByHand:
    """A template, what fills it, and the statement; `{hadm_id}` and `{subject_id}` stand for the unit."""

    template: str
    filling: Mapping[str, Value]
    sql: str


BY_HAND = (
    ByHand(
        "cost-patient-ward_move-arrival_to_discharge-number_of_names",
        {},
        """
        SELECT count(DISTINCT t.careunit) AS answer
        FROM admissions a JOIN transfers t USING (hadm_id)
        WHERE a.hadm_id = {hadm_id} AND a.admittime < a.dischtime AND t.careunit NOT IN ('___', 'Unknown', 'UNKNOWN')
          AND t.eventtype <> 'discharge' AND t.intime < t.outtime
          AND t.intime >= least(a.admittime, a.edregtime) AND t.intime < a.dischtime
        HAVING count(*) > 0
        """,
    ),
    ByHand(
        "cost-population-drg_level-at_admission-only-ordered-by_sex",
        {"concept": "severity", "cohort": "docusate"},
        """
        WITH levels AS (
          SELECT subject_id, hadm_id, min(drg_severity) AS level
          FROM drgcodes JOIN admissions a USING (subject_id, hadm_id)
          WHERE drg_type = 'APR' AND drg_severity BETWEEN 1 AND 4 AND a.admittime < a.dischtime
            AND hadm_id IN (SELECT hadm_id FROM prescriptions WHERE lower(trim(drug)) IN
              ('docusate', 'docusate sodium', 'docusate sodium (liquid)'))
          GROUP BY subject_id, hadm_id HAVING count(DISTINCT drg_severity) = 1
        )
        SELECT gender AS sex, round(median(level), 1) AS median, count(*) AS admissions
        FROM levels JOIN patients USING (subject_id)
        WHERE gender <> '___' GROUP BY gender HAVING count(*) >= 5
        """,
    ),
    ByHand(
        "demographics-patient-admission_type-whole_record-nth_names",
        {"nth": 2},
        """
        SELECT DISTINCT admission_type AS answer
        FROM (
          SELECT admission_type, dense_rank() OVER (ORDER BY admittime) AS k
          FROM admissions
          WHERE subject_id = {subject_id} AND admittime < dischtime AND admission_type <> '___'
        )
        WHERE k = 2
        """,
    ),
    ByHand(
        "demographics-population-death-year_after_discharge-only-coded-by_sex",
        {"cohort": "tobacco_use"},
        """
        SELECT gender AS sex, round(median(date_diff('day', dischtime::DATE, dod))) AS median, count(*) AS admissions
        FROM admissions JOIN patients USING (subject_id)
        WHERE admittime < dischtime AND gender <> '___'
          AND dod > dischtime::DATE AND dod <= (dischtime + INTERVAL 365 DAY - INTERVAL 1 SECOND)::DATE
          AND hadm_id IN (
            SELECT hadm_id FROM diagnoses_icd
            WHERE icd_version = 9 AND icd_code LIKE '3051%' OR icd_version = 10 AND icd_code LIKE 'F172%'
          )
        GROUP BY gender HAVING count(*) >= 5
        """,
    ),
    ByHand(
        "diagnoses-patient-coded_admission-whole_record-nth_time",
        {"concept": "hyperlipidemia", "nth": 2},
        """
        SELECT min(admittime) AS answer
        FROM (
          SELECT admittime, dense_rank() OVER (ORDER BY admittime) AS k
          FROM admissions JOIN diagnoses_icd d USING (hadm_id)
          WHERE d.subject_id = {subject_id} AND admittime < dischtime
            AND (icd_version = 9 AND left(icd_code, 4) IN ('2720', '2721', '2722', '2723', '2724')
              OR icd_version = 10 AND left(icd_code, 4) IN ('E780', 'E781', 'E782', 'E783', 'E784', 'E785'))
        )
        WHERE k = 2
        """,
    ),
    ByHand(
        "diagnoses-population-codes-at_admission-number_of_names-all-by_insurance",
        {},
        """
        WITH counted AS (
          SELECT hadm_id, insurance, count(DISTINCT (icd_version, icd_code)) AS codes
          FROM admissions JOIN diagnoses_icd USING (subject_id, hadm_id)
          WHERE admittime < dischtime AND insurance NOT IN ('___', 'No charge')
            AND icd_code <> '___' AND icd_version IN (9, 10)
          GROUP BY hadm_id, insurance
        )
        SELECT insurance, round(median(codes), 1) AS median, count(*) AS admissions
        FROM counted GROUP BY insurance HAVING count(*) >= 5
        """,
    ),
    ByHand(
        "labs-patient-lab-after_dose_48h-worst",
        {"concept": "platelets", "anchor": "heparin"},
        f"""
        WITH dose AS (
          SELECT min(charttime) AS first, any_value(dischtime) AS dischtime
          FROM emar JOIN admissions USING (hadm_id)
          WHERE hadm_id = {{hadm_id}} AND lower(trim(medication)) = 'heparin' AND event_txt IN {GIVEN}
            AND charttime >= admittime AND charttime < dischtime
        )
        SELECT round(min(valuenum)) AS answer
        FROM labevents, dose
        WHERE subject_id = {{subject_id}} AND itemid = 51265 AND valuenum BETWEEN 1 AND 2200 AND valueuom = 'K/uL'
          AND charttime >= first AND charttime < least(first + INTERVAL 48 HOUR, dischtime)
        """,
    ),
    ByHand(
        "labs-population-culture_organism-admission-names-coded-top_names",
        {"concept": "urine", "cohort": "hyperlipidemia"},
        """
        SELECT org_name AS name, count(DISTINCT a.hadm_id) AS admissions
        FROM admissions a JOIN microbiologyevents m ON m.subject_id = a.subject_id
          AND m.charttime >= admittime AND m.charttime < dischtime
        WHERE spec_type_desc = 'URINE' AND org_name NOT IN ('___', 'CANCELLED') AND a.hadm_id IN (
          SELECT hadm_id FROM diagnoses_icd
          WHERE icd_version = 9 AND left(icd_code, 4) IN ('2720', '2721', '2722', '2723', '2724')
            OR icd_version = 10 AND left(icd_code, 4) IN ('E780', 'E781', 'E782', 'E783', 'E784', 'E785'))
        GROUP BY org_name HAVING count(DISTINCT a.hadm_id) >= 5
        QUALIFY rank() OVER (ORDER BY count(DISTINCT a.hadm_id) DESC) <= 3
        """,
    ),
    ByHand(
        "medications-patient-given-after_culture-hours_to_first",
        {"concept": "heparin"},
        f"""
        WITH culture AS (
          SELECT min(charttime) AS first
          FROM microbiologyevents m JOIN admissions a USING (subject_id)
          WHERE a.hadm_id = {{hadm_id}} AND org_name NOT IN ('___', 'CANCELLED')
            AND charttime >= admittime AND charttime < dischtime
        )
        SELECT round(date_diff('second', any_value(first), min(charttime)) / 3600.0, 1) AS answer
        FROM emar JOIN admissions USING (hadm_id), culture
        WHERE hadm_id = {{hadm_id}} AND lower(trim(medication)) = 'heparin' AND event_txt IN {GIVEN}
          AND charttime >= first AND charttime < dischtime
        """,
    ),
    ByHand(
        "medications-population-given_or_not-admission-any_of-coded-by_sex",
        {"concept": "heparin", "cohort": "obesity"},
        f"""
        WITH given AS (
          SELECT a.subject_id, bool_or(lower(trim(medication)) = 'heparin') AS heparin
          FROM admissions a JOIN emar e USING (hadm_id)
          WHERE event_txt IN {GIVEN} AND medication <> '___' AND charttime >= admittime AND charttime < dischtime
            AND hadm_id IN (
              SELECT hadm_id FROM diagnoses_icd
              WHERE icd_version = 9 AND icd_code LIKE '2780%' OR icd_version = 10 AND icd_code LIKE 'E66%')
          GROUP BY a.subject_id, hadm_id
        )
        SELECT gender AS sex, round(100 * avg(heparin::INT), 1) AS percentage, count(*) AS admissions
        FROM given JOIN patients USING (subject_id)
        WHERE gender <> '___' GROUP BY gender HAVING count(*) >= 5
        """,
    ),
    ByHand(
        "vitals-patient-clinic-after_discharge_90d_vs_year_before_admission-lowest",
        {"concept": "weight_lb"},
        """
        WITH weights AS (
          SELECT chartdate, admittime, dischtime, try_cast(result_value AS DOUBLE) AS lb
          FROM omr JOIN admissions USING (subject_id)
          WHERE hadm_id = {hadm_id} AND result_name = 'Weight (Lbs)'
            AND try_cast(result_value AS DOUBLE) BETWEEN 66 AND 2425
        )
        SELECT round(
          min(lb) FILTER (chartdate > dischtime::DATE
            AND chartdate <= (dischtime + INTERVAL 90 DAY - INTERVAL 1 SECOND)::DATE)
          - min(lb) FILTER (chartdate >= (admittime - INTERVAL 365 DAY)::DATE
            AND chartdate < admittime::DATE)) AS answer
        FROM weights
        """,
    ),
    ByHand(
        "vitals-population-clinic-after_discharge_90d_vs_year_before_admission-mean-ordered-median",
        {"concept": "weight_lb", "cohort": "magnesium sulfate"},
        """
        WITH weights AS (
          SELECT hadm_id, chartdate, admittime, dischtime, try_cast(result_value AS DOUBLE) AS lb
          FROM omr JOIN admissions USING (subject_id)
          WHERE result_name = 'Weight (Lbs)' AND try_cast(result_value AS DOUBLE) BETWEEN 66 AND 2425
            AND admittime < dischtime
            AND hadm_id IN (SELECT hadm_id FROM prescriptions WHERE lower(trim(drug)) = 'magnesium sulfate')
        ), changes AS (
          SELECT avg(lb) FILTER (chartdate > dischtime::DATE
              AND chartdate <= (dischtime + INTERVAL 90 DAY - INTERVAL 1 SECOND)::DATE)
            - avg(lb) FILTER (chartdate >= (admittime - INTERVAL 365 DAY)::DATE
              AND chartdate < admittime::DATE) AS lb
          FROM weights GROUP BY hadm_id
        )
        SELECT round(median(lb)) AS answer FROM changes HAVING count(lb) >= 5
        """,
    ),
)
