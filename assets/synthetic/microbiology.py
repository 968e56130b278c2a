"""microbiologyevents: cultures, what grew, and what the germ is sensitive to."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import pyarrow as pa

from assets.synthetic import faults
from assets.synthetic.admissions import HOUR
from assets.synthetic.block import Block
from assets.synthetic.columns import DAY, moments, pick, real, table, whole, words
from assets.synthetic.draws import AnyArray, Choice, Draws, Floats, GroupedChoice, Ints, within
from assets.synthetic.identifiers import in_block, running
from assets.synthetic.word_lists import GROUP, rows

_BLOOD, _URINE, _MRSA, _STOOL, _SPUTUM, _SWAB = 70012, 70079, 70091, 70064, 70062, 70070
_CANCELLED = ("90760", "CANCELLED")


@dataclass(frozen=True)
class _Cultures:
    """The kinds of culture, and for each the germs that grow in it."""

    data: tuple[dict[str, str], ...]
    specimen: Ints
    share_grown: Floats
    hours: Floats
    any: Choice
    germ_of: GroupedChoice
    germs: tuple[tuple[str, str], ...]
    drugs: tuple[tuple[str, str], ...]
    tested: tuple[tuple[int, ...], ...]
    """Drugs tested against each germ."""
    resistant: Floats
    """[germ, drug]"""
    dilution: dict[tuple[int, int, str], str]


@cache
def _cultures() -> _Cultures:
    data = rows("cultures")
    pairs = {(row["spec_itemid"], row["test_itemid"]): i for i, row in enumerate(data)}
    germs = tuple(dict.fromkeys((row["org_itemid"], row["org_name"]) for row in rows("organisms")))
    if _CANCELLED not in germs:
        germs = (*germs, _CANCELLED)
    choices: list[list[tuple[int, float]]] = [[] for _ in data]
    for row in rows("organisms"):
        germ = (row["org_itemid"], row["org_name"])
        if germ != _CANCELLED:
            choices[pairs[row["spec_itemid"], row["test_itemid"]]].append((germs.index(germ), float(row["isolates"])))
    drugs = tuple(dict.fromkeys((row["ab_itemid"], row["ab_name"]) for row in rows("antibiograms")))
    ids = [germ[0] for germ in germs]
    counts = np.zeros((len(germs), len(drugs), 3))
    dilution: dict[tuple[int, int, str], str] = {}
    for row in rows("antibiograms"):
        g, d = ids.index(row["org_itemid"]), drugs.index((row["ab_itemid"], row["ab_name"]))
        letter = row["interpretation"] if row["interpretation"] in ("S", "I", "R") else "S"
        counts[g, d, "SIR".index(letter)] += float(row["isolates"])
        if row["dilution_text"]:
            dilution[g, d, letter] = row["dilution_text"]
    total = counts.sum(axis=2)
    return _Cultures(
        data=data,
        specimen=np.array([int(row["spec_itemid"]) for row in data]),
        share_grown=np.array(
            [float(row["grown"]) / float(row["specimens"]) if choices[i] else 0.0 for i, row in enumerate(data)]
        ),
        hours=np.array([float(row["hours"] or 48) for row in data]),
        any=Choice([float(row["specimens"]) for row in data]),
        germ_of=GroupedChoice(choices),
        germs=germs,
        drugs=drugs,
        tested=tuple(tuple(np.flatnonzero(total[g] > 0).tolist()) for g in range(len(germs))),
        # One prior success and a tenth of a failure: a germ never seen resistant in the demo rarely is.
        resistant=(counts[:, :, 2] + 0.1) / (total + 1.1),
        dilution=dilution,
    )


def _taken(block: Block, rng: Draws) -> tuple[Ints, Ints, Ints, Ints, AnyArray]:
    """Cultures taken: patient, admission (−1 if none), time, kind, and how likely it is to grow (times the usual)."""
    adm, icu, visits = block.adm, block.icu, block.visits
    known = _cultures()
    n = len(adm.patient)
    where: list[AnyArray] = []
    when: list[AnyArray] = []
    kind: list[AnyArray] = []
    grows: list[AnyArray] = []

    def kinds(specimen: int) -> Ints:
        return np.flatnonzero(known.specimen == specimen)

    def take(admission: AnyArray, hours: AnyArray, specimen: int, times: AnyArray) -> None:
        at = adm.admit[admission] + np.floor(hours * HOUR).astype(np.int64)
        inside = (at < adm.discharge[admission]) & (at >= np.where(adm.edreg > 0, adm.edreg, adm.admit)[admission])
        choice = kinds(specimen)
        weights = [float(known.data[i]["specimens"]) for i in choice.tolist()]
        drawn = choice[Choice(weights).draw(rng, int(inside.sum()))]
        where.append(admission[inside])
        when.append(at[inside])
        kind.append(drawn)
        grows.append(times[inside])

    def ill(*names: str) -> AnyArray:
        return np.asarray(adm.has[:, [GROUP[name] for name in names]].any(axis=1))

    septic, wet = ill("sepsis", "septic_shock"), ill("urinary_tract_infection", "sepsis")
    lung = ill("pneumonia", "aspiration_pneumonitis")
    feverish = ill("sepsis", "pneumonia", "cellulitis", "neutropenia", "urinary_tract_infection")
    blood = np.floor((0.45 + 1.8 * feverish + 1.7 * septic) * (0.3 + rng.exponential(n))).astype(np.int64)
    again, nth = within(np.minimum(blood, 12))
    take(again, -2 + nth * 14 * rng.uniform(len(again)), _BLOOD, np.where(septic[again], 2.6, 0.6))
    urine = np.flatnonzero(rng.chance(n, 0.3 + 0.6 * wet + 0.2 * ill("delirium")))
    tract = ill("urinary_tract_infection")[urine]
    take(urine, -1 + 20 * rng.uniform(len(urine)) ** 2, _URINE, np.where(tract, 3.0, 0.5))
    sputum = np.flatnonzero(rng.chance(n, 0.02 + 0.35 * lung))
    take(sputum, 2 + 40 * rng.uniform(len(sputum)), _SPUTUM, np.full(len(sputum), 1.2))
    screened = icu.admission[rng.chance(len(icu.admission), 0.62)]
    take(screened, 1 + 8 * rng.uniform(len(screened)), _MRSA, np.full(len(screened), 1.5))
    stool = np.flatnonzero(rng.chance(n, 0.05 + 0.75 * ill("clostridium_difficile")))
    colitis = ill("clostridium_difficile")[stool]
    take(stool, 3 + 60 * rng.uniform(len(stool)), _STOOL, np.where(colitis, 2.8, 0.3))
    wound = np.flatnonzero(rng.chance(n, 0.02 + 0.3 * ill("cellulitis", "pressure_ulcer")))
    take(wound, 2 + 40 * rng.uniform(len(wound)), _SWAB, np.full(len(wound), 1.2))
    # All the rest as often as the demo has it, and from the clinic mostly urine and blood for serology.
    other = np.flatnonzero(rng.chance(n, np.clip(0.3 + adm.hours / 300, 0, 0.8)))
    at = adm.admit[other] + np.floor(rng.uniform(len(other)) * (adm.discharge - adm.admit)[other]).astype(np.int64)
    clinic = np.flatnonzero(rng.chance(len(visits.patient), 0.2))
    patient = np.concatenate([adm.patient[np.concatenate([*where, other])], visits.patient[clinic]])
    admission = np.concatenate([*where, other, np.full(len(clinic), -1)])
    time = np.concatenate([*when, at, visits.time[clinic] + 900]) // 60 * 60
    what = np.concatenate([*kind, known.any.draw(rng, len(other) + len(clinic))])
    times = np.concatenate([*grows, np.ones(len(other) + len(clinic))])
    order = np.lexsort((what, time, patient))
    return patient[order], admission[order], time[order], what[order].astype(np.int64), times[order]


def microbiologyevents(block: Block) -> pa.Table:
    """The table microbiologyevents: one row per culture, per germ, or per germ and drug tested."""
    rng = block.draws("microbiologyevents")
    known = _cultures()
    patient, admission, time, kind, times = _taken(block, rng)
    n = len(patient)
    grown = rng.chance(n, known.share_grown[kind] * times)
    germ = np.where(grown, known.germ_of.draw(rng, kind), -1)
    cancelled = ~grown & rng.chance(n, faults.MICRO_CANCELLED)
    germ = np.where(cancelled, known.germs.index(_CANCELLED), germ)
    tested = np.array([len(drugs) for drugs in known.tested])
    panel = (germ >= 0) & rng.chance(n, 0.72)
    count = np.where(panel, np.maximum(np.where(germ >= 0, tested[germ], 0), 1), 1)
    row, nth = within(count)
    listed = np.concatenate([np.array(drugs, np.int64) for drugs in known.tested])
    begin = np.cumsum(tested) - tested
    has_drug = panel[row] & (tested[germ[row]] > 0)
    drug = np.where(has_drug, listed[np.minimum(begin[germ[row]] + nth, len(listed) - 1)], -1)
    resistant = rng.uniform(len(row)) < known.resistant[germ[row], drug]
    between = rng.chance(len(row), 0.03)
    letter = np.where(between, 1, np.where(resistant, 2, 0))
    texts, dilution = _dilutions(known, germ[row], drug, letter)
    compared = [text[:2] if text[:2] in ("<=", "=>") else "=" for text in texts]
    amount = np.array([float(text.lstrip("<=>").split("/")[0]) for text in texts]) if texts else np.zeros(0)

    missing = rng.chance(n, np.where(admission >= 0, faults.MICRO_HADM_ABSENT * 0.45, 1.0))
    hadm = np.where(missing, 0, np.concatenate([block.adm.hadm_id, [0]])[admission])
    timeless = rng.chance(n, faults.MICRO_TIME_ABSENT)
    known_hours = known.hours[kind]
    stored = time + np.floor(known_hours * (0.6 + 0.7 * rng.uniform(n)) * 60).astype(np.int64) * 60
    comments = [row_["comment"] for row_ in known.data]
    masked = rng.chance(n, faults.MICRO_COMMENT_MASKED)
    comment_words = words([*comments, "___"])
    nothing = (germ < 0) | masked
    comment = np.where(masked, len(comments), np.where(nothing & np.array([bool(c) for c in comments])[kind], kind, -1))
    specimen = in_block(block.block, np.arange(n), block.seed + 7)
    column = {name: words([line[name] for line in known.data]) for name in ("spec_type_desc", "test_name")}
    test_id = np.array([int(line["test_itemid"]) for line in known.data])
    organism = np.array([int(germ_id) for germ_id, _ in known.germs])
    antibiotic = np.array([int(drug_id) for drug_id, _ in known.drugs])
    return table(
        "microbiologyevents",
        {
            "microevent_id": whole(running(block.block, np.arange(len(row)), 200_000)),
            "subject_id": whole(block.who.subject_id[patient][row]),
            "hadm_id": whole(hadm[row], hadm[row] == 0),
            "micro_specimen_id": whole(specimen[row]),
            "order_provider_id": pick(rng.below(n, block.providers)[row], block.provider_ids, (specimen % 5 > 1)[row]),
            "chartdate": moments((time // DAY * DAY)[row]),
            "charttime": moments(time[row], timeless[row]),
            "spec_itemid": whole(known.specimen[kind][row]),
            "spec_type_desc": pick(kind[row], column["spec_type_desc"]),
            "test_seq": whole(np.ones(len(row), np.int64)),
            "storedate": moments((stored // DAY * DAY)[row]),
            "storetime": moments(stored[row], (specimen % 181 == 0)[row]),
            "test_itemid": whole(test_id[kind][row]),
            "test_name": pick(kind[row], column["test_name"]),
            "org_itemid": whole(organism[germ[row]], germ[row] < 0),
            "org_name": pick(germ[row], words([name for _, name in known.germs])),
            "isolate_num": whole(np.ones(len(row), np.int64), (germ[row] < 0) | cancelled[row]),
            "ab_itemid": whole(antibiotic[drug], drug < 0),
            "ab_name": pick(drug, words([name for _, name in known.drugs])),
            "dilution_text": pick(dilution, words(texts)),
            "dilution_comparison": pick(dilution, words([f"{sign:<10}" for sign in compared])),
            "dilution_value": real(amount[dilution] if texts else dilution, dilution < 0),
            "interpretation": pick(np.where(drug >= 0, letter, -1), words(["S", "I", "R"])),
            "comments": pick(comment[row], comment_words),
        },
    )


def _dilutions(known: _Cultures, germ: AnyArray, drug: AnyArray, letter: AnyArray) -> tuple[list[str], Ints]:
    """The printed dilutions as a list, and each row's place in it; −1 where none is printed."""
    texts = sorted(set(known.dilution.values()))
    where = np.full((len(known.germs), len(known.drugs), 3), -1, dtype=np.int64)
    for (g, d, sign), text in known.dilution.items():
        where[g, d, "SIR".index(sign)] = texts.index(text)
    return texts, np.where(drug >= 0, where[germ, drug, letter], -1)
