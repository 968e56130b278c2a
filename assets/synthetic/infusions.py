"""inputevents and ingredientevents: what ran into a patient in the ICU."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache

import numpy as np
import pyarrow as pa

from assets.synthetic import faults
from assets.synthetic.admissions import HOUR
from assets.synthetic.block import Block
from assets.synthetic.columns import ArrowColumn, moments, pick, real, table, whole, words
from assets.synthetic.course import Drift
from assets.synthetic.draws import AnyArray, Draws, Floats, Ints, exp, within
from assets.synthetic.drips import DRIP, DRIPS
from assets.synthetic.identifiers import in_block
from assets.synthetic.word_lists import GROUP, INGREDIENT, rows

_PRESSORS = ("norepinephrine", "phenylephrine", "vasopressin", "epinephrine", "dopamine")
_SEDATION = ("propofol", "dexmedetomidine", "midazolam", "fentanyl_concentrate")
_SALINE, _DEXTROSE, _RED_CELLS, _PLATELETS, _PLASMA, _ORAL = 225158, 220949, 225168, 225170, 220970, 226452
_WATER, _IV_PART, _ORAL_PART, _ENTERAL_PART, _CALORIES, _BLOOD_PART, _PROTEIN, _CALCIUM = (
    220490, 227074, 227075, 226221, 226060, 226509, 220454, 220363,
)  # fmt: skip
_BY_HAND = 4000.0
"""ml per hour beyond which no pump runs."""
_DEMO_DAYS = 505.0
"""ICU days in the open demo, to turn its counts into rates."""
_STATUS = ("FinishedRunning", "ChangeDose/Rate", "Stopped", "Paused", "Rewritten")


@dataclass(frozen=True)
class Inputs:
    """The rows of inputevents, before they become columns."""

    stay: Ints
    start: Ints
    end: Ints
    item: Ints
    """Row of `data/inputs.csv`."""
    amount: Floats
    rate: Floats
    """NaN for a bolus."""
    order: Ints
    """Number of the order within the block."""
    chain: Ints
    """Number of the first order of a chain of changes."""
    total: Floats
    """Volume of the bag, ml; NaN if there is none."""
    original_amount: Floats
    original_rate: Floats
    status: Ints
    mixture: Ints
    """0 main, 1 the fluid it is mixed in."""


@dataclass(frozen=True)
class _Items:
    itemid: Ints
    words: dict[str, ArrowColumn]
    index: dict[str, Ints]
    place: dict[int, int]


_TEXTS = ("amountuom", "rateuom", "ordercategoryname", "secondaryordercategoryname", "ordercomponenttypedescription",
          "ordercategorydescription", "totalamountuom")  # fmt: skip


@cache
def _items() -> _Items:
    data = rows("inputs")
    lists = {name: sorted({row[name] for row in data if row[name]}) for name in _TEXTS}
    return _Items(
        itemid=np.array([int(row["itemid"]) for row in data]),
        words={name: words(found) for name, found in lists.items()},
        index={
            name: np.array([found.index(row[name]) if row[name] else -1 for row in data])
            for name, found in lists.items()
        },
        place={int(row["itemid"]): i for i, row in enumerate(data)},
    )


def _windows(block: Block, rng: Draws) -> tuple[Ints, Ints, Ints, Ints]:
    """When each drip of each stay starts and stops: stay, drip, start, stop."""
    icu = block.icu
    stay, drip = np.nonzero(block.running)
    n = len(stay)
    length = (icu.outtime - icu.intime)[stay].astype(np.float64)
    late = rng.uniform(n)
    start = icu.intime[stay] + np.floor(length * 0.3 * late * late).astype(np.int64)
    stop = np.minimum(start + np.floor((6 + 40 * rng.exponential(n)) * HOUR).astype(np.int64), icu.outtime[stay])
    pressor = np.isin(drip, [DRIP[name] for name in _PRESSORS])
    start = np.where(pressor, icu.intime[stay] + 60 * rng.below(n, 100), start)
    stop = np.where(pressor, icu.outtime[stay], stop)
    tubed = np.isin(drip, [DRIP[name] for name in _SEDATION]) & (icu.ventilated[stay] > 0)
    start = np.where(tubed, icu.ventilated[stay] + 60 * rng.below(n, 50), start)
    stop = np.where(tubed, np.minimum(icu.extubated[stay] + 60 * rng.below(n, 60), icu.outtime[stay]), stop)
    start, stop = start // 60 * 60, stop // 60 * 60
    keep = stop > start + 20 * 60
    return stay[keep], drip[keep], start[keep], stop[keep]


def drips(block: Block, rng: Draws) -> Inputs:
    """Continuous infusions in pieces of constant rate, each with the fluid it is mixed in."""
    icu = block.icu
    stay, drip, start, stop = _windows(block, rng)
    step_hours = np.array([kind.segment_hours for kind in DRIPS])[drip]
    count = np.clip(np.rint((stop - start) / HOUR / (step_hours * 1.25)), 1, 160).astype(np.int64)
    window, nth = within(count)
    n = len(window)
    length = (stop - start)[window].astype(np.float64)
    jitter = np.where(nth > 0, (rng.uniform(n) - 0.5) * 0.7, 0.0)
    begin = start[window] + np.floor((nth + jitter) * length / count[window]).astype(np.int64) // 60 * 60
    last = nth == count[window] - 1
    end = np.where(last, stop[window], np.roll(begin, -1))
    here, kind = stay[window], drip[window]
    admission = icu.admission[here]
    middle = (begin + end) // 2
    shock = block.course.factor("shock", admission, middle).astype(np.float64)
    key = icu.stay_id[here] * 64 + kind
    turn = middle - icu.intime[here]
    wave = Drift(key * 4096 + turn // (6 * HOUR), turn % (6 * HOUR) / (6 * HOUR)).wave(5)
    usual = np.array([d.rate for d in DRIPS])[kind]
    most = np.array([d.most for d in DRIPS])[kind]
    pressor = np.isin(kind, [DRIP[name] for name in _PRESSORS])
    steady = kind == DRIP["vasopressin"]
    strength = np.where(pressor & ~steady, np.clip(shock - 0.35, 0, 4) / 0.9, 1.0)
    sugar = block.course.factor("sugar", admission, middle).astype(np.float64)
    strength = np.where(kind == DRIP["insulin_regular"], 0.6 + 0.8 * sugar, strength)
    rate = usual * strength * exp(0.22 * wave + 0.12 * rng.normal(n))
    rate = np.where(steady, usual, rate)
    rate = np.round(np.minimum(rate, most), np.where(True, 4, 0))
    # A pressor that the pressure no longer needs is off.
    needed = np.where(pressor, shock > np.where(steady, 1.1, 0.55), True)
    keep = needed & (rate > 0) & (end > begin)
    window, begin, end, kind, rate = window[keep], begin[keep], end[keep], kind[keep], rate[keep]
    here, last = here[keep], last[keep]
    minutes = (end - begin) / 60.0
    uom = [d.rateuom for d in DRIPS]
    by_weight = np.array(["kg" in text for text in uom])[kind]
    # mcg/kg/min and mcg/hour are given in mg; a rate per hour lasts minutes / 60.
    scale = np.array([_amount_per_minute(text) for text in uom])[kind]
    amount = rate * np.where(by_weight, icu.weight_kg[here], 1.0) * minutes * scale
    mixed = amount / np.array([d.strength for d in DRIPS])[kind]
    place = np.array([_items().place[d.itemid] for d in DRIPS])[kind]
    bag = np.where(mixed > 100, 500.0, np.where(mixed > 30, 250.0, 100.0))
    status = np.where(last, np.where(rng.chance(len(kind), 0.2), 2, 0), np.where(rng.chance(len(kind), 0.1), 3, 1))
    fluid = np.where(rng.chance(len(kind), 0.45), _items().place[_SALINE], _items().place[_DEXTROSE])
    number = np.arange(len(kind))
    first_of_window = np.unique(window, return_index=True)
    chain = first_of_window[1][np.searchsorted(first_of_window[0], window)]
    drug = Inputs(here, begin, end, place, amount, rate, number, chain, bag,
                  bag * np.array([d.strength for d in DRIPS])[kind], rate, status,
                  np.zeros(len(kind), np.int64))  # fmt: skip
    # Propofol is a ready emulsion; everything else runs in saline or dextrose.
    wet = np.flatnonzero(kind != DRIP["propofol"])
    volume_rate = mixed / minutes * 60
    carrier = Inputs(here[wet], begin[wet], end[wet], fluid[wet], mixed[wet], volume_rate[wet], number[wet], chain[wet],
                     bag[wet], bag[wet], volume_rate[wet], status[wet], np.ones(len(wet), np.int64))  # fmt: skip
    return _joined(drug, carrier)


def _amount_per_minute(rateuom: str) -> float:
    return {
        "mcg/kg/min": 1e-3, "mcg/kg/hour": 1 / 60, "mg/hour": 1 / 60, "mcg/hour": 1 / 60_000, "units/hour": 1 / 60,
    }[rateuom]  # fmt: skip


def _joined(*parts: Inputs) -> Inputs:
    return Inputs(**{f.name: np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(Inputs)})


def boluses(block: Block, rng: Draws, first_order: int) -> Inputs:
    """Fluids, blood, antibiotics, feeding and injections: as often as the demo has them, if the drug was ordered."""
    icu, adm = block.icu, block.adm
    known = _items()
    data = rows("inputs")
    running = {d.itemid for d in DRIPS}
    n = len(icu.admission)
    days = icu.hours / 24
    awake = icu.ventilated == 0
    stays: list[AnyArray] = []
    items: list[AnyArray] = []
    for i, row in enumerate(data):
        item = int(row["itemid"])
        if item in running and item != 221794:
            continue
        per_day = float(row["rows"]) / _DEMO_DAYS
        if item in (_RED_CELLS, _SALINE, _DEXTROSE):
            per_day *= {_RED_CELLS: 0.0, _SALINE: 0.32, _DEXTROSE: 0.12}[item]
        if row["ingredient"]:
            # Of the stays that had it ordered only some got it on this line.
            share = float(row["stays"]) / 140
            usual = max(float(np.mean(block.ordered[:, INGREDIENT[row["ingredient"]]])), 0.02)
            per_day = per_day * block.ordered[icu.admission, INGREDIENT[row["ingredient"]]] / max(share, usual, 0.12)
        if item == _ORAL:
            per_day = 3.2 * awake
        if item == _PLATELETS:
            per_day = 0.04 + 0.5 * adm.has[icu.admission, GROUP["thrombocytopenia"]]
        if item == _PLASMA:
            per_day = 0.02 + 0.7 * adm.has[icu.admission, GROUP["coagulopathy"]]
        many = np.floor(np.minimum(days, 25) * per_day + rng.uniform(n)).astype(np.int64)
        which, _ = within(np.minimum(many, 160))
        stays.append(which)
        items.append(np.full(len(which), i))
    # Red cells are given when the course says so.
    given = block.course.transfused[icu.admission]
    units = np.where((given >= icu.intime) & (given < icu.outtime), block.course.units[icu.admission], 0)
    units = units + rng.chance(n, 0.03)
    bags, nth_bag = within(units)
    stay = np.concatenate([*stays, bags])
    kinds = np.concatenate([*items, np.full(len(bags), known.place[_RED_CELLS])])
    m = len(stay)
    start = icu.intime[stay] + np.floor(rng.uniform(m) * (icu.outtime - icu.intime)[stay]).astype(np.int64)
    of_bag = np.where(given[bags] > 0, given[bags], start[m - len(bags) :]) + nth_bag * 2 * HOUR
    start[m - len(bags) :] = np.minimum(of_bag, icu.outtime[bags] - 60)
    start = start // 60 * 60
    minutes = np.array([max(float(row["minutes"] or 1), 1) for row in data])[kinds]
    minutes = np.where(minutes > 1, np.rint(minutes * exp(0.3 * rng.normal(m))), 1)
    end = np.minimum(
        start + np.maximum(minutes, 1).astype(np.int64) * 60, np.maximum(icu.outtime[stay] // 60 * 60, start + 60)
    )
    usual = np.array([max(float(row["amount"] or 1), 0.1) for row in data])[kinds]
    fixed = np.array([row["amountuom"] == "dose" for row in data])[kinds]
    amount = np.where(fixed, 1.0, np.maximum(np.rint(usual * exp(0.32 * rng.normal(m)) * 10) / 10, 0.1))
    large = amount > 20
    amount = np.where(large & ~fixed, np.rint(amount / 5) * 5, amount)
    flows = (known.index["rateuom"][kinds] >= 0) & (end - start > 60)
    mg_per_kg = np.array(["kg" in row["rateuom"] for row in data])[kinds]
    per_minute = np.array([row["rateuom"].endswith("/min") for row in data])[kinds]
    rate = amount / ((end - start) / np.where(per_minute, 60.0, float(HOUR)))
    rate = np.where(mg_per_kg, rate / icu.weight_kg[stay] * 1000, rate)
    # Squeezed in by hand: no rate is written down.
    rate = np.where(flows & (rate < _BY_HAND), rate, np.nan)
    listed = np.array([float(row["totalamount"]) if row["totalamount"] else np.nan for row in data])[kinds]
    number = first_order + np.arange(m)
    # Without a rate MetaVision repeats the amount.
    original_rate = np.where(np.isnan(rate), amount, rate)
    status = np.where(rng.chance(m, 0.03), 2, 0)
    main = np.zeros(m, np.int64)
    return Inputs(
        stay, start, end, kinds, amount, rate, number, number, listed, amount, original_rate, status, main
    )  # fmt: skip


def inputs(block: Block, rng: Draws) -> Inputs:
    """All rows of inputevents of a block, by stay and time."""
    running = drips(block, rng)
    everything = _joined(running, boluses(block, rng, len(running.stay)))
    again = np.flatnonzero(rng.chance(len(everything.stay), faults.INFUSION_REWRITTEN))
    rewritten = Inputs(**{f.name: getattr(everything, f.name)[again] for f in fields(Inputs)})
    everything = _joined(everything, Inputs(**(vars(rewritten) | {"status": np.full(len(again), 4)})))
    order = np.lexsort((everything.mixture, everything.order, everything.start, everything.stay))
    return Inputs(**{f.name: getattr(everything, f.name)[order] for f in fields(Inputs)})


def context(block: Block, stay: AnyArray, rng: Draws) -> dict[str, ArrowColumn]:
    """Whose row it is, and who wrote it: one caregiver per stay and shift."""
    icu = block.icu
    caregivers = block.caregiver_ids
    who = caregivers[(stay * 131 + rng.below(len(stay), 3) * 17 + block.block * 977) % len(caregivers)]
    return {
        "subject_id": whole(block.subject(icu.admission[stay])),
        "hadm_id": whole(block.adm.hadm_id[icu.admission[stay]]),
        "stay_id": whole(icu.stay_id[stay]),
        "caregiver_id": whole(who, rng.chance(len(stay), 0.01)),
    }


def inputevents(block: Block, rng: Draws, given: Inputs) -> pa.Table:
    """The table inputevents."""
    known = _items()
    n = len(given.stay)
    rate_null = np.isnan(given.rate)
    slipped = rng.chance(len(block.icu.admission), faults.INFUSION_WEIGHT_SLIP)
    weight = block.icu.weight_kg[given.stay]
    weight = np.where(slipped[given.stay] & rng.chance(n, 0.3), np.round(weight * 2.2, 1), weight)

    def word(name: str, null: AnyArray | None = None) -> ArrowColumn:
        return pick(known.index[name][given.item], known.words[name], null)

    component = known.words["ordercomponenttypedescription"].to_pylist()
    main, solution = component.index("Main order parameter"), component.index("Mixed solution")
    category = known.words["ordercategoryname"].to_pylist()
    drip = category.index("01-Drips")
    carried = given.mixture == 1
    usual = known.index["ordercategoryname"][given.item]
    described = known.words["ordercategorydescription"].to_pylist()
    kind = known.index["ordercategorydescription"][given.item]
    # Saline is a drip's carrier in one row and a bolus in the next.
    alone = ~carried & np.isin(given.item, [known.place[_SALINE], known.place[_DEXTROSE]])
    usual = np.where(carried, drip, np.where(alone, category.index("02-Fluids (Crystalloids)"), usual))
    kind = np.where(carried, described.index("Continuous Med"), np.where(alone, described.index("Continuous IV"), kind))
    secondary = np.where(alone, -1, known.index["secondaryordercategoryname"][given.item])
    part = np.where(carried, solution, np.where(alone, main, known.index["ordercomponenttypedescription"][given.item]))
    order = in_block(block.block, given.order, block.seed + 11)
    return table(
        "inputevents",
        context(block, given.stay, rng)
        | {
            "starttime": moments(given.start),
            "endtime": moments(given.end),
            "storetime": moments(given.start + 60 * rng.below(n, 90)),
            "itemid": whole(known.itemid[given.item]),
            "amount": real(given.amount),
            "amountuom": word("amountuom"),
            "rate": real(given.rate, rate_null),
            "rateuom": word("rateuom", rate_null),
            "orderid": whole(order),
            "linkorderid": whole(in_block(block.block, given.chain, block.seed + 11)),
            "ordercategoryname": pick(usual, known.words["ordercategoryname"]),
            "secondaryordercategoryname": pick(secondary, known.words["secondaryordercategoryname"]),
            "ordercomponenttypedescription": pick(part, known.words["ordercomponenttypedescription"]),
            "ordercategorydescription": pick(kind, known.words["ordercategorydescription"]),
            "patientweight": real(weight),
            "totalamount": real(np.nan_to_num(given.total), np.isnan(given.total)),
            "totalamountuom": pick(np.where(np.isnan(given.total), -1, 0), words(["ml"])),
            "isopenbag": whole(rng.chance(n, 0.0002)),
            "continueinnextdept": whole(np.zeros(n)),
            "statusdescription": pick(given.status, words(_STATUS)),
            "originalamount": real(given.original_amount),
            "originalrate": real(given.original_rate),
        },
    )


def ingredientevents(block: Block, rng: Draws, given: Inputs) -> pa.Table:
    """ingredientevents: the water, calories and protein in what ran."""
    known = _items()
    unit = known.words["amountuom"].to_pylist()
    wet = np.flatnonzero((known.index["amountuom"][given.item] == unit.index("ml")) & (given.status != 4))
    category = known.words["ordercategoryname"].to_pylist()
    kind = known.index["ordercategoryname"][given.item[wet]]

    def of(*names: str) -> AnyArray:
        return np.isin(kind, [category.index(name) for name in names if name in category])

    oral = of("14-Oral/Gastric Intake")
    fed = of("13-Enteral Nutrition", "12-Parenteral Nutrition")
    blood = of("07-Blood Products")
    sweet = known.itemid[given.item[wet]] == _DEXTROSE
    parts: list[tuple[AnyArray, int, AnyArray | float, str]] = [
        (wet, _WATER, 1.0, "ml"),
        (wet[~oral & ~fed & ~blood], _IV_PART, 1.0, "ml"),
        (wet[oral], _ORAL_PART, 1.0, "ml"),
        (wet[fed], _ENTERAL_PART, 1.0, "ml"),
        (wet[blood], _BLOOD_PART, 1.0, "ml"),
        (wet[fed], _CALORIES, 1.2, "Kcal"),
        (wet[sweet], _CALORIES, 0.17, "Kcal"),
        (wet[fed], _PROTEIN, 0.055, "grams"),
        (wet[fed], _CALCIUM, 0.9, "mg"),
    ]
    row = np.concatenate([rows_ for rows_, _, _, _ in parts])
    item = np.concatenate([np.full(len(rows_), code) for rows_, code, _, _ in parts])
    factor = np.concatenate([np.full(len(rows_), times, dtype=np.float64) for rows_, _, times, _ in parts])
    units = ["ml", "Kcal", "grams", "mg"]
    uom = np.concatenate([np.full(len(rows_), units.index(text)) for rows_, _, _, text in parts])
    order = np.lexsort((item, row))
    row, item, factor, uom = row[order], item[order], factor[order], uom[order]
    n = len(row)
    slip = (item == _CALCIUM) & rng.chance(n, faults.INGREDIENT_UNIT_SLIP * 20)
    amount = given.amount[row] * factor * np.where(slip, 0.001, 1.0)
    flows = ~np.isnan(given.rate[row]) & (uom == 0)
    return table(
        "ingredientevents",
        context(block, given.stay[row], rng)
        | {
            "starttime": moments(given.start[row]),
            "endtime": moments(given.end[row]),
            "storetime": moments(given.start[row] + 60 * rng.below(n, 90)),
            "itemid": whole(item),
            "amount": real(amount),
            "amountuom": pick(uom, words(units)),
            "rate": real(np.where(flows, given.rate[row], 0), ~flows),
            "rateuom": pick(np.where(flows, 0, -1), words(["mL/hour"])),
            "orderid": whole(in_block(block.block, given.order[row], block.seed + 11)),
            "linkorderid": whole(in_block(block.block, given.chain[row], block.seed + 11)),
            "statusdescription": pick(given.status[row], words(_STATUS)),
            "originalamount": real(np.zeros(n)),
            "originalrate": real(np.where(flows, given.rate[row], given.amount[row])),
        },
    )
