"""What the coders wrote after discharge: diagnoses, procedures, billing groups, HCPCS lines."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pyarrow as pa

from assets.synthetic import faults
from assets.synthetic.admissions import ED, HOUR, OBSERVATION, SURGERY
from assets.synthetic.block import Block
from assets.synthetic.columns import DAY, ArrowColumn, dates, pick, table, whole, words
from assets.synthetic.draws import AnyArray, Bools, Choice, Draws, Floats, GroupedChoice, Ints, within
from assets.synthetic.word_lists import GROUP, GROUPS, PROCEDURE, PROCEDURES, REASON, conditions, rows, scenarios

_OTHER_CODES = 4.6
"""Mean number of codes outside the diagnosis groups."""
_MOST_CODES = 39


@cache
def _codes(kind: str) -> tuple[ArrowColumn, Ints]:
    """The codes of `d_icd_<kind>` as a word list, and the version of each."""
    data = rows(f"icd_{kind}")
    return words([row["icd_code"] for row in data]), np.array([int(row["icd_version"]) for row in data])


_NARROWER = {
    "diabetes": {"type_1_diabetes"},
    "ischemic_heart_disease": {"acute_myocardial_infarction", "old_myocardial_infarction"},
    "chronic_kidney_disease": {"end_stage_renal_disease"},
    "sepsis": {"septic_shock"},
    "ascites": {"cirrhosis"},
}
"""Groups whose codes a wider group holds too: nobody gets an infarction's code for angina."""


@cache
def _by_group(kind: str, names: tuple[str, ...]) -> tuple[GroupedChoice, GroupedChoice, Choice, Choice]:
    """Codes of each group, and codes of no group, for ICD-9 and ICD-10."""
    data = rows(f"icd_{kind}")
    grouped: dict[int, list[list[tuple[int, float]]]] = {9: [[] for _ in names], 10: [[] for _ in names]}
    loose: dict[int, list[float]] = {9: [0.0] * len(data), 10: [0.0] * len(data)}
    index = {name: i for i, name in enumerate(names)}
    for place, row in enumerate(data):
        version = int(row["icd_version"])
        found = [name for name in row["groups"].split(";") if name in index]
        for name in found:
            if _NARROWER.get(name, set()) & set(found):
                continue
            grouped[version][index[name]].append((place, float(row["weight"]) + 0.25))
        if not row["groups"]:
            loose[version][place] = float(row["weight"])
    # ICD-9 and ICD-10 do not share every group: a handful of ICD-10 groups have no ICD-9 code, and the reverse.
    return GroupedChoice(grouped[9]), GroupedChoice(grouped[10]), Choice(loose[9]), Choice(loose[10])


@cache
def _fitting() -> tuple[Bools, Bools, Bools]:
    """By their titles: diagnoses that only women have, that only men have, and that only a birth brings."""
    titles = [row["long_title"].lower() for row in rows("icd_diagnoses")]

    def named(parts: str) -> Bools:
        return np.array([re.search(parts, title) is not None for title in titles])

    family = named("family history")
    women = named(r"female|ovar|uter(us|i|ine)\b|endometri|vagin|vulv|menstr|menopaus")
    men = named(r"\bmale\b|prostat|testi[sc]|penis|scrot|erectile")
    return women & ~family, men & ~family, named(r"pregnan|deliver|liveborn|puerper|fetus|fetal")


@cache
def _named_codes() -> tuple[GroupedChoice, GroupedChoice]:
    """Principal codes of the scenarios that name codes of their own."""
    data = rows("icd_diagnoses")
    place = {(row["icd_version"], row["icd_code"]): i for i, row in enumerate(data)}
    lists: dict[str, list[list[tuple[int, float]]]] = {"9": [], "10": []}
    for row in rows("scenarios"):
        named = dict(part.split(":") for part in row["principal"].split("|")) if ":" in row["principal"] else {}
        for version, found in lists.items():
            found.append([(place[version, code], 1.0) for code in named.get(version, "").split("+") if code])
    return GroupedChoice(lists["9"]), GroupedChoice(lists["10"])


def principal_codes(block: Block, rng: Draws) -> Ints:
    """Place of each admission's principal diagnosis in the dictionary."""
    adm = block.adm
    nine, ten, _, _ = _by_group("diagnoses", GROUPS)
    named_nine, named_ten = _named_codes()
    group = scenarios().principal[adm.reason].astype(np.int64)
    grouped = np.where(adm.icd10, ten.draw(rng, np.maximum(group, 0)), nine.draw(rng, np.maximum(group, 0)))
    named = np.where(adm.icd10, named_ten.draw(rng, adm.reason), named_nine.draw(rng, adm.reason))
    return np.asarray(np.where(group >= 0, grouped, named), dtype=np.int64)


def diagnoses(block: Block) -> pa.Table:
    """diagnoses_icd: principal diagnosis first, then what complicated the stay, then what was there before."""
    rng = block.draws("diagnoses_icd")
    adm = block.adm
    n = len(adm.patient)
    nine, ten, loose_nine, loose_ten = _by_group("diagnoses", GROUPS)
    principal = principal_codes(block, rng)
    coded = adm.has & (rng.uniform(n * len(GROUPS)).reshape(n, -1) < conditions().coded)
    # A code that says less than another one is left out.
    coded[:, GROUP["ischemic_heart_disease"]] &= ~adm.has[:, GROUP["acute_myocardial_infarction"]] | rng.chance(n, 0.5)
    for wide, narrow in (("diabetes", "type_1_diabetes"), ("chronic_kidney_disease", "end_stage_renal_disease")):
        coded[:, GROUP[wide]] &= ~adm.has[:, GROUP[narrow]]
    coded[:, GROUP["acute_kidney_injury"]] |= scenarios().principal[adm.reason] == GROUP["acute_kidney_injury"]
    warfarin = block.who.warfarin[adm.patient]
    coded[:, GROUP["long_term_anticoagulant"]] |= warfarin & rng.chance(n, 0.75)
    row, group = np.nonzero(coded)
    code = np.where(adm.icd10[row], ten.draw(rng, group), nine.draw(rng, group))
    acute_first = np.where(conditions().chronic[group], 2.0, 1.0) + rng.uniform(len(row))
    count = np.floor(rng.exponential(n) * _OTHER_CODES * np.clip(adm.hours / 90, 0.35, 1.8)).astype(np.int64)
    other, _ = within(np.minimum(count, 22))
    bits = rng.bits16(len(other))
    extra = np.where(adm.icd10[other], loose_ten.of(bits), loose_nine.of(bits))
    women, men, birth = _fitting()
    unfit = np.where(block.who.female[adm.patient[other]], men[extra], women[extra])
    unfit = unfit | (birth[extra] & (adm.reason[other] != REASON["birth"]))
    extra = np.where(unfit, -1, extra)
    repeated = np.flatnonzero(rng.chance(n, faults.CODE_REPEATED))
    where = np.concatenate([np.arange(n), row, other, repeated])
    what = np.concatenate([principal, code, extra, principal[repeated]])
    rank = np.concatenate([np.zeros(n), acute_first, 1.2 + 1.8 * rng.uniform(len(other)), np.full(len(repeated), 9.0)])
    again = np.concatenate([np.zeros(n + len(row) + len(other), bool), np.ones(len(repeated), bool)])
    keep = what >= 0
    where, what, rank, again = where[keep], what[keep], rank[keep], again[keep]
    order = np.lexsort((rank, where))
    where, what, again = where[order], what[order], again[order]
    # A code is written once: the first mention stays.
    key = where * 100_000 + what
    _, first = np.unique(key, return_index=True)
    once = np.zeros(len(key), bool)
    once[first] = True
    silent = rng.chance(n, faults.CODELESS)
    keep = (once | again) & ~silent[where]
    where, what = where[keep], what[keep]
    _, sequence = within(np.bincount(where, minlength=n))
    keep = sequence < _MOST_CODES
    where, what, sequence = where[keep], what[keep], sequence[keep]
    code_words, versions = _codes("diagnoses")
    return table(
        "diagnoses_icd",
        {
            "subject_id": whole(block.subject(where)),
            "hadm_id": whole(adm.hadm_id[where]),
            "seq_num": whole(sequence + 1),
            "icd_code": pick(what, code_words),
            "icd_version": whole(versions[what]),
        },
    )


_FROM_ICU = {
    "invasive_ventilation": 0.9,
    "intubation": 0.6,
    "arterial_line": 0.3,
    "central_venous_line": 0.75,
    "hemodialysis": 0.9,
    "tube_feeding": 0.3,
    "parenteral_nutrition": 0.04,
    "bronchoscopy": 0.05,
    "chest_tube": 0.02,
    "noninvasive_ventilation": 0.7,
}


def procedures_done(block: Block, rng: Draws) -> tuple[tuple[str, ...], Bools]:
    """Names of procedure groups, and [admission, group] which were done."""
    adm, icu = block.adm, block.icu
    names = tuple(dict.fromkeys([*PROCEDURES, *_FROM_ICU]))
    n = len(adm.patient)
    done = np.zeros((n, len(names)), bool)
    done[:, : len(PROCEDURES)] = rng.uniform(n * len(PROCEDURES)).reshape(n, -1) < scenarios().procedures[adm.reason]
    happened: dict[str, AnyArray] = {
        "invasive_ventilation": icu.ventilated > 0,
        "intubation": icu.ventilated > 0,
        "arterial_line": icu.arterial_line,
        "central_venous_line": icu.central_line,
        "hemodialysis": icu.dialysis | icu.crrt,
        "tube_feeding": icu.extubated - icu.ventilated > 40 * HOUR,
        "parenteral_nutrition": icu.hours > 96,
        "bronchoscopy": icu.ventilated > 0,
        "chest_tube": icu.hours > 0,
        "noninvasive_ventilation": icu.noninvasive,
    }
    for name, share in _FROM_ICU.items():
        # What the ICU recorded decides, not the scenario: no intubation without a ventilator.
        done[:, names.index(name)] &= PROCEDURE.get(name, -1) >= 0 and name not in ("intubation", "arterial_line")
        mine = icu.admission[happened[name] & rng.chance(len(icu.admission), share)]
        done[mine, names.index(name)] = True
    done[:, names.index("hemodialysis")] |= adm.has[:, GROUP["end_stage_renal_disease"]] & rng.chance(n, 0.45)
    transfused = (block.course.transfused > 0) & rng.chance(n, 0.35)
    done[:, names.index("transfusion_red_cells")] = transfused
    return names, done


def procedures(block: Block) -> pa.Table:
    """procedures_icd: what was done, by day."""
    rng = block.draws("procedures_icd")
    adm = block.adm
    n = len(adm.patient)
    names, done = procedures_done(block, rng)
    nine, ten, loose_nine, loose_ten = _by_group("procedures", names)
    row, group = np.nonzero(done)
    code = np.where(adm.icd10[row], ten.draw(rng, group), nine.draw(rng, group))
    operated = adm.plan == SURGERY
    count = np.floor(np.where(operated, 1.2, 0.3) + np.where(operated, 0.9, 0.55) * rng.exponential(n)).astype(np.int64)
    other, _ = within(count)
    bits = rng.bits16(len(other))
    where = np.concatenate([row, other])
    what = np.concatenate([code, np.where(adm.icd10[other], loose_ten.of(bits), loose_nine.of(bits))])
    # Most is done on one day, often in one session.
    later = rng.chance(len(where), 0.42) * rng.exponential(len(where))
    late = later * 0.2 * (adm.discharge - adm.admit)[where]
    when = np.minimum(adm.admit[where] + late.astype(np.int64), adm.discharge[where])
    keep = what >= 0
    where, what, when = where[keep], what[keep], when[keep]
    order = np.lexsort((rng.bits16(len(where)), where))
    where, what, when = where[order], what[order], when[order]
    _, sequence = within(np.bincount(where, minlength=n))
    code_words, versions = _codes("procedures")
    return table(
        "procedures_icd",
        {
            "subject_id": whole(block.subject(where)),
            "hadm_id": whole(adm.hadm_id[where]),
            "seq_num": whole(sequence + 1),
            "chartdate": dates(when),
            "icd_code": pick(what, code_words),
            "icd_version": whole(versions[what]),
        },
    )


@cache
def _groups() -> tuple[list[dict[str, str]], list[list[int]], list[list[int]]]:
    """The DRG dictionary, and for each scenario its HCFA groups (most to least complicated) and its APR groups."""
    data = list(rows("drg"))
    place = {(row["drg_type"], row["drg_code"]): i for i, row in enumerate(data)}
    hcfa = [[place["HCFA", code] for code in row["hcfa"].split(";")] for row in rows("scenarios")]
    apr = [[place["APR", code] for code in row["apr"].split(";")] for row in rows("scenarios")]
    return data, hcfa, apr


def severity(block: Block) -> tuple[Floats, Ints, Ints]:
    """How complicated each admission was (0 to about 3), and its APR severity and risk of mortality, 1 to 4."""
    adm = block.adm
    grave = np.maximum(adm.course[:, :6].max(axis=1) - 0.4, 0) if len(adm.patient) else np.zeros(0)
    points = 0.55 * grave + 0.22 * block.who.burden[adm.patient] + 0.25 * adm.severity + adm.hours / 400
    in_icu = np.zeros(len(adm.patient))
    in_icu[block.icu.admission] = 0.6
    points = points + in_icu
    level = 1 + (points > 0.55).astype(np.int64) + (points > 1.3) + (points > 2.2)
    risk = points + 0.022 * (adm.age - 66) + 0.8 * adm.died - 0.25
    mortality = 1 + (risk > 0.55).astype(np.int64) + (risk > 1.25) + (risk > 2.0)
    return points, level, mortality


def drgs(block: Block) -> pa.Table:
    """drgcodes: what the stay was billed as, in two systems."""
    rng = block.draws("drgcodes")
    adm = block.adm
    n = len(adm.patient)
    data, hcfa, apr = _groups()
    points, level, mortality = severity(block)
    tier = np.where(points > 1.5, 0, np.where(points > 0.8, 1, 2))
    hcfa_of = np.array([[groups[min(step, len(groups) - 1)] for step in range(3)] for groups in hcfa])
    # Sepsis and respiratory failure are billed by hours on the ventilator.
    tubed = np.zeros(n, np.int64)
    tubed[block.icu.admission] = block.icu.extubated - block.icu.ventilated
    code = hcfa_of[adm.reason, tier]
    reason = adm.reason
    code = np.where((reason == REASON["septic_shock"]) & (tubed < 96 * HOUR), hcfa_of[reason, 1], code)
    failing = reason == REASON["respiratory_failure"]
    code = np.where(failing, hcfa_of[reason, np.where(tubed > 96 * HOUR, 0, np.where(tubed > 0, 1, 2))], code)
    several = np.array([len(groups) for groups in hcfa])[reason] > 3
    code = np.where(several & rng.chance(n, 0.5), np.array([groups[-1] for groups in hcfa])[reason], code)
    # A group for those who died is for nobody else, and it is the only one for them.
    fatal = np.array(["EXPIRED" in row["description"] for row in data])
    code = np.where(fatal[code] & ~adm.died, hcfa_of[reason, 0], code)
    [fatal_attack] = np.flatnonzero(fatal)
    code = np.where((reason == REASON["heart_attack"]) & adm.died, fatal_attack, code)
    apr_of = np.array([[groups[step % len(groups)] for step in range(3)] for groups in apr])
    apr_code = apr_of[reason, rng.below(n, 3)]
    billed = ~rng.chance(n, np.where(adm.plan == OBSERVATION, 0.5, 0.4 * faults.DRG_ABSENT))
    where = np.flatnonzero(billed)
    both = np.concatenate([where, where[rng.chance(len(where), 0.95)]])
    is_apr = np.concatenate([np.zeros(len(where), bool), np.ones(len(both) - len(where), bool)])
    order = np.lexsort((~is_apr, both))
    both, is_apr = both[order], is_apr[order]
    what = np.where(is_apr, apr_code[both], code[both])
    return table(
        "drgcodes",
        {
            "subject_id": whole(block.subject(both)),
            "hadm_id": whole(adm.hadm_id[both]),
            "drg_type": pick(is_apr.astype(np.int64), words(["HCFA", "APR"])),
            "drg_code": pick(what, words([row["drg_code"] for row in data])),
            "description": pick(what, words([row["description"] for row in data])),
            "drg_severity": whole(level[both], ~is_apr),
            "drg_mortality": whole(mortality[both], ~is_apr),
        },
    )


@cache
def _hcpcs() -> tuple[list[dict[str, str]], dict[str, list[int]], list[list[str]]]:
    data = list(rows("hcpcs"))
    groups: dict[str, list[int]] = {}
    for i, row in enumerate(data):
        groups.setdefault(row["group"], []).append(i)
    return data, groups, [[name for name in row["hcpcs"].split(";") if name] for row in rows("scenarios")]


def hcpcs(block: Block) -> pa.Table:
    """hcpcsevents: lines billed for observation and day cases."""
    rng = block.draws("hcpcsevents")
    adm = block.adm
    data, groups, of_reason = _hcpcs()
    n = len(adm.patient)
    where: list[AnyArray] = []
    what: list[AnyArray] = []
    always = {"observation_hours": 0.6, "observation_initial": 0.3, "observation_direct_admit": 0.2}
    for name, codes in groups.items():
        listed = np.array([name in wanted for wanted in of_reason])[adm.reason]
        usual = always.get(name, 0.85) * listed
        if name == "observation_hours":
            usual = np.maximum(usual, 0.45 * (adm.plan == OBSERVATION))
        elif name == "emergency_visit":
            usual = np.maximum(0.35 * usual, 0.01 * (adm.plan == ED))
        elif name == "":
            usual = np.full(n, 0.003)
        mine = np.flatnonzero(rng.chance(n, usual * np.where(adm.hours < 75, 1, 0.3)))
        where.append(mine)
        what.append(np.array(codes)[rng.below(len(mine), len(codes))])
    row, code = np.concatenate(where), np.concatenate(what)
    order = np.lexsort((code, row))
    row, code = row[order], code[order]
    _, sequence = within(np.bincount(row, minlength=n))
    day = adm.admit[row] + np.where(rng.chance(len(row), 0.2), DAY, 0)
    return table(
        "hcpcsevents",
        {
            "subject_id": whole(block.subject(row)),
            "hadm_id": whole(adm.hadm_id[row]),
            "chartdate": dates(np.minimum(day, adm.discharge[row])),
            "hcpcs_cd": pick(code, words([line["code"] for line in data])),
            "seq_num": whole(sequence + 1),
            "short_description": pick(code, words([line["short_description"] for line in data])),
        },
    )
