"""outputevents, procedureevents, datetimeevents: what drained, what was done, and the dates of lines and dressings."""

from __future__ import annotations

from functools import cache

import numpy as np
import pyarrow as pa

from assets.synthetic import faults
from assets.synthetic.admissions import HOUR, SURGERY
from assets.synthetic.block import Block
from assets.synthetic.columns import DAY, ArrowColumn, moments, pick, real, table, whole, words
from assets.synthetic.draws import AnyArray, Bools, GroupedChoice, Ints, exp, within
from assets.synthetic.identifiers import in_block
from assets.synthetic.infusions import context
from assets.synthetic.word_lists import GROUP, INGREDIENT, REASON, counted_words, rows

_FOLEY, _VOID, _CHEST, _CHEST_2, _JP, _NASOGASTRIC, _ORAL_GASTRIC, _STOOL, _FECAL, _OSTOMY, _EMESIS, _EBL, _OR_URINE = (
    226559, 226560, 226588, 226589, 226599, 226575, 226576, 226579, 226580, 226582, 226571, 226626, 226627,
)  # fmt: skip
_VENTRICLE, _IRRIGANT_IN, _IRRIGANT_OUT, _STRAIGHT, _CONDOM, _RESIDUAL, _JP_2 = (
    226606, 227488, 227489, 226567, 226561, 227510, 226600,
)  # fmt: skip
_RARE_URINE = (226563, 226564, 226565, 226584, 226557, 226558)


def heart_surgery(block: Block) -> Bools:
    """Whether each stay follows heart surgery."""
    return np.isin(block.adm.reason[block.icu.admission], [REASON["bypass"], REASON["valve_surgery"]])


def outputevents(block: Block) -> pa.Table:
    """outputevents: urine above all; it dries up with the kidneys and the circulation."""
    rng = block.draws("outputevents")
    icu, adm = block.icu, block.adm
    n = len(icu.admission)
    has = adm.has[icu.admission]
    stays: list[AnyArray] = []
    times: list[AnyArray] = []
    items: list[AnyArray] = []
    values: list[AnyArray] = []

    def add(stay: AnyArray, time: AnyArray, item: AnyArray | int, value: AnyArray) -> None:
        inside = (time >= icu.intime[stay]) & (time <= icu.outtime[stay])
        stays.append(stay[inside])
        times.append(time[inside])
        items.append(np.broadcast_to(np.asarray(item), stay.shape)[inside])
        values.append(value[inside])

    # A catheter is read every hour or two, a bottle when it is full.
    every = np.where(icu.catheter, np.where(rng.chance(n, 0.55), 1, 2), 5)
    stay, nth = within(np.minimum(icu.hours // every + 1, 700))
    kept = rng.chance(len(stay), 0.88)
    stay, nth = stay[kept], nth[kept]
    time = (icu.intime[stay] // HOUR + 1 + nth * every[stay]) * HOUR
    time += np.where(rng.chance(len(stay), 0.13), 60 * rng.below(len(stay), 60), 0)
    admission = icu.admission[stay]
    kidney = block.course.factor("kidney", admission, time).astype(np.float64)
    shock = block.course.factor("shock", admission, time).astype(np.float64)
    per_hour = 0.95 * icu.weight_kg[stay] * np.clip(1 - 0.42 * kidney, 0.06, 1) * np.clip(1 - 0.16 * shock, 0.25, 1)
    diuretic = block.ordered[admission, INGREDIENT["furosemide"]]
    per_hour *= np.where(diuretic, 1.35, 1.0) * np.where(has[stay, GROUP["end_stage_renal_disease"]], 0.1, 1.0)
    volume = per_hour * every[stay] * exp(0.45 * rng.normal(len(stay)))
    volume = np.where(volume > 60, np.rint(volume / 25) * 25, np.rint(volume / 5) * 5)
    volume = np.where(rng.chance(len(stay), faults.OUTPUT_ZERO * np.where(kidney > 1, 3, 0.6)), 0, volume)
    volume = np.where(rng.chance(len(stay), faults.OUTPUT_IMPLAUSIBLE), 8000, np.minimum(volume, 1800))
    condom = rng.chance(n, 0.08) & ~block.who.female[adm.patient[icu.admission]]
    straight = rng.chance(len(stay), 0.03)
    item = np.where(icu.catheter[stay], _FOLEY, np.where(condom[stay], _CONDOM, np.where(straight, _STRAIGHT, _VOID)))
    odd = rng.chance(n, 0.02)
    item = np.where(odd[stay], np.array(_RARE_URINE)[stay % len(_RARE_URINE)], item)
    add(stay, time, item, volume)

    def drain(who: Bools, item: int, hours: float, ml: float, fading: float) -> None:
        """A drain read every so many hours, that dries up over `fading` hours."""
        chosen = np.flatnonzero(who)
        which, turn = within(np.minimum((icu.hours[chosen] / hours).astype(np.int64) + 1, 300))
        owner = chosen[which]
        elapsed = (turn + 0.7) * hours
        at = (icu.intime[owner] // HOUR) * HOUR + np.floor(elapsed).astype(np.int64) * HOUR
        flow = ml * hours / (1 + elapsed / fading) * exp(0.55 * rng.normal(len(owner)))
        add(owner, at, item, np.where(flow > 50, np.rint(flow / 10) * 10, np.rint(flow)))

    surgery = heart_surgery(block)
    injured = has[:, GROUP["pneumothorax"]] | has[:, GROUP["pleural_effusion"]]
    drain((surgery & rng.chance(n, 0.95)) | (injured & rng.chance(n, 0.35)), _CHEST, 1.5, 42, 14)
    drain(surgery & rng.chance(n, 0.15), _CHEST_2, 3, 22, 14)
    operated = (adm.plan[icu.admission] == SURGERY) & ~surgery
    drain(operated & rng.chance(n, 0.3), _JP, 6, 12, 40)
    drain(operated & rng.chance(n, 0.1), _JP_2, 6, 8, 40)
    tubed = icu.ventilated > 0
    drain(
        (tubed & rng.chance(n, 0.3)) | (has[:, GROUP["bowel_obstruction"]] & rng.chance(n, 0.5)),
        _ORAL_GASTRIC,
        6,
        18,
        60,
    )
    drain(rng.chance(n, 0.04) | (has[:, GROUP["bowel_obstruction"]] & rng.chance(n, 0.4)), _NASOGASTRIC, 6, 25, 60)
    drain(tubed & rng.chance(n, 0.3), _RESIDUAL, 6, 9, 400)
    loose = has[:, GROUP["clostridium_difficile"]] | block.ordered[icu.admission, INGREDIENT["lactulose"]]
    drain(rng.chance(n, 0.08), _STOOL, 14, 16, 400)
    drain((loose & rng.chance(n, 0.5)) | (tubed & rng.chance(n, 0.06)), _FECAL, 10, 25, 400)
    drain(rng.chance(n, 0.02), _OSTOMY, 8, 34, 400)
    drain(rng.chance(n, 0.05), _EMESIS, 30, 7, 400)
    drain(icu.icp, _VENTRICLE, 1, 8, 400)
    rinsed = has[:, GROUP["hematuria"]] & rng.chance(n, 0.3)
    drain(rinsed, _IRRIGANT_IN, 6, 380, 60)
    drain(rinsed, _IRRIGANT_OUT, 6, 430, 60)
    theatre = np.flatnonzero(operated | surgery)
    for code, ml, share in ((_EBL, 260, 0.5), (_OR_URINE, 620, 0.75)):
        chosen = theatre[rng.chance(len(theatre), share)]
        lost = np.rint(ml * exp(0.6 * rng.normal(len(chosen))) / 50) * 50
        add(chosen, icu.intime[chosen] // 60 * 60 + 60 * 10, code, lost)
    stay, time = np.concatenate(stays), np.concatenate(times)
    order = np.lexsort((time, stay))
    stay, time = stay[order], time[order]
    return table(
        "outputevents",
        context(block, stay, rng)
        | {
            "charttime": moments(time),
            "storetime": moments(time + 60 * (rng.below(len(stay), 95) - 20)),
            "itemid": whole(np.concatenate(items)[order]),
            "value": real(np.maximum(np.concatenate(values)[order], 0)),
            "valueuom": pick(np.zeros(len(stay), np.int8), words(["ml"])),
        },
    )


_VENT, _NIV, _INTUBATION, _EXTUBATION, _ART, _MULTI, _PA, _FOLEY_DEVICE, _HD, _CRRT, _DIALYSIS_LINE, _ICP_LINE = (
    225792, 225794, 224385, 227194, 225752, 224263, 224560, 229351, 225441, 225802, 224270, 224271,
)  # fmt: skip
_CHEST_PLACED, _CHEST_REMOVED, _PORTABLE, _PICC, _GAUGE_20 = 225433, 227712, 229581, 224264, 224275
_BY_COURSE = (_VENT, _NIV, _INTUBATION, _EXTUBATION, _ART, _MULTI, _PA, _FOLEY_DEVICE, _HD, _CRRT, _DIALYSIS_LINE,
              _CHEST_PLACED, _CHEST_REMOVED)  # fmt: skip


@cache
def _devices() -> tuple[dict[int, int], dict[str, ArrowColumn], dict[str, Ints], Ints]:
    data = rows("devices")
    texts = ("ordercategoryname", "ordercategorydescription", "valueuom", "locationcategory")
    lists = {name: sorted({row[name] for row in data if row[name]}) for name in texts}
    index = {
        name: np.array([found.index(row[name]) if row[name] else -1 for row in data]) for name, found in lists.items()
    }
    place = {int(row["itemid"]): i for i, row in enumerate(data)}
    return place, {name: words(found) for name, found in lists.items()}, index, np.array(list(place))


@cache
def _locations() -> tuple[ArrowColumn, GroupedChoice, list[str]]:
    counted = counted_words()["line_location"]
    categories = sorted({str(category) for category, _, _ in counted})
    choices: list[list[tuple[int, float]]] = [[] for _ in categories]
    for i, (category, _, n) in enumerate(counted):
        choices[categories.index(str(category))].append((i, float(n)))
    return words([str(name) for _, name, _ in counted]), GroupedChoice(choices), categories


def procedureevents(block: Block) -> pa.Table:
    """procedureevents: ventilation, lines, dialysis, imaging, and the tasks of an ICU day."""
    rng = block.draws("procedureevents")
    icu, adm = block.icu, block.adm
    place, lists, index, itemids = _devices()
    n = len(icu.admission)
    rows_: list[tuple[AnyArray, AnyArray, AnyArray, int]] = []

    def lasting(who: Bools, item: int, start: AnyArray, end: AnyArray) -> None:
        chosen = np.flatnonzero(who)
        rows_.append((chosen, start[chosen], end[chosen], item))

    tubed = icu.ventilated > 0
    lasting(tubed, _VENT, icu.ventilated, icu.extubated)
    shortly = icu.intime + 60 * rng.below(n, 240)
    later = icu.intime + np.floor(rng.uniform(n) * 0.3 * (icu.outtime - icu.intime)).astype(np.int64)
    lasting(
        icu.noninvasive,
        _NIV,
        later,
        np.minimum(later + np.floor((3 + 10 * rng.exponential(n)) * HOUR).astype(np.int64), icu.outtime),
    )
    away = tubed & (icu.ventilated > icu.intime + 2 * HOUR) | (tubed & rng.chance(n, 0.15))
    lasting(away, _INTUBATION, icu.ventilated - 600, icu.ventilated - 540)
    freed = tubed & (icu.extubated < icu.outtime - HOUR) & ~(adm.died[icu.admission] & rng.chance(n, 0.7))
    lasting(freed, _EXTUBATION, icu.extubated, icu.extubated + 60)
    out = icu.outtime - 60 * rng.below(n, 400)
    middle = np.maximum(
        out - np.floor(rng.uniform(n) ** 2 * 0.5 * (out - icu.intime)).astype(np.int64), icu.intime + HOUR
    )
    lasting(icu.arterial_line, _ART, shortly, np.maximum(middle, shortly + HOUR))
    lasting(icu.central_line, _MULTI, shortly, np.maximum(out, shortly + HOUR))
    lasting(icu.pa_catheter, _PA, shortly, np.maximum(middle, shortly + HOUR))
    lasting(icu.catheter, _FOLEY_DEVICE, shortly, np.maximum(out, shortly + HOUR))
    lasting(rng.chance(n, 0.17), _PICC, shortly, np.maximum(out, shortly + HOUR))
    lasting(icu.dialysis | icu.crrt, _DIALYSIS_LINE, shortly, np.maximum(out, shortly + HOUR))
    sessions, nth = within(np.where(icu.dialysis, 1 + icu.hours // 48, 0))
    session = icu.intime[sessions] + (4 + nth * 46) * HOUR
    rows_.append((sessions, session, session + 60 * (170 + rng.below(len(sessions), 70)), _HD))
    filters, nth = within(np.where(icu.crrt, 1 + icu.hours // 60, 0))
    running = icu.intime[filters] + (8 + nth * 58) * HOUR
    rows_.append((filters, running, np.minimum(running + 50 * HOUR, icu.outtime[filters]), _CRRT))
    chest = (heart_surgery(block) & rng.chance(n, 0.6)) | (
        adm.has[icu.admission, GROUP["pneumothorax"]] & rng.chance(n, 0.5)
    )
    lasting(chest & ~heart_surgery(block), _CHEST_PLACED, shortly, shortly + 60)
    pulled = icu.intime + np.floor(0.7 * (icu.outtime - icu.intime)).astype(np.int64)
    lasting(chest, _CHEST_REMOVED, pulled, pulled + 60)
    # Everything else as often as the demo has it.
    for row in rows("devices"):
        item = int(row["itemid"])
        if item in _BY_COURSE or item == _PICC:
            continue
        per_day = float(row["rows"]) / 505.0 + 0.002
        many = np.floor(np.minimum(icu.hours / 24, 20) * per_day + rng.uniform(n)).astype(np.int64)
        which, _ = within(many)
        at = icu.intime[which] + np.floor(rng.uniform(len(which)) * (icu.outtime - icu.intime)[which]).astype(np.int64)
        if row["ordercategorydescription"] == "Task":
            end = at + 60
        else:
            minutes = 60 * np.floor(float(row["value"]) * exp(0.5 * rng.normal(len(which)))).astype(np.int64)
            end = np.minimum(at + np.maximum(minutes, 600), np.maximum(icu.outtime[which], at + 600))
        rows_.append((which, at, end, item))
    stay = np.concatenate([r[0] for r in rows_])
    start = np.concatenate([r[1] for r in rows_]) // 60 * 60
    end = np.maximum(np.concatenate([r[2] for r in rows_]) // 60 * 60, start + 60)
    kinds = np.concatenate([np.full(len(r[0]), place[r[3]]) for r in rows_])
    keep = (start >= icu.intime[stay] - HOUR) & (start <= icu.outtime[stay])
    stay, start, end, kinds = stay[keep], start[keep], end[keep], kinds[keep]
    order = np.lexsort((kinds, start, stay))
    stay, start, end, kinds = stay[order], start[order], end[order], kinds[order]
    m = len(stay)
    task = index["ordercategorydescription"][kinds] == lists["ordercategorydescription"].to_pylist().index("Task")
    minutes = (end - start) / 60
    u = rng.uniform(m)
    in_days, in_hours = ~task & (minutes > 2880) & (u < 0.12), ~task & (u > 0.996)
    value = np.where(
        task,
        1.0,
        np.where(in_days, np.round(minutes / 1440, 4), np.where(in_hours, np.round(minutes / 60, 4), minutes)),
    )
    unit = np.where(task, 3, np.where(in_days, 1, np.where(in_hours, 2, 0)))
    names, where, categories = _locations()
    category_words = lists["locationcategory"].to_pylist()
    kind = index["locationcategory"][kinds]
    to_choice = np.array([categories.index(word) if word in categories else 0 for word in category_words] or [0])
    location = np.where(kind >= 0, where.draw(rng, to_choice[np.maximum(kind, 0)]), -1)
    status = np.where(rng.chance(m, 0.018), 1, 0)
    orderid = in_block(block.block, np.arange(m), block.seed + 13)
    return table(
        "procedureevents",
        context(block, stay, rng)
        | {
            "starttime": moments(start),
            "endtime": moments(end),
            "storetime": moments(np.where(task, start, end) + 60 * rng.below(m, 120)),
            "itemid": whole(itemids[kinds]),
            "value": real(value),
            "valueuom": pick(unit, words(["min", "day", "hour", "None"])),
            "location": pick(location, names),
            "locationcategory": pick(np.where(location >= 0, kind, -1), lists["locationcategory"]),
            "orderid": whole(orderid),
            "linkorderid": whole(orderid),
            "ordercategoryname": pick(index["ordercategoryname"][kinds], lists["ordercategoryname"]),
            "ordercategorydescription": pick(
                index["ordercategorydescription"][kinds], lists["ordercategorydescription"]
            ),
            "patientweight": real(icu.weight_kg[stay]),
            "isopenbag": whole(~task),
            "continueinnextdept": whole(np.zeros(m)),
            "statusdescription": pick(status, words(["FinishedRunning", "Stopped"])),
            "ORIGINALAMOUNT": real(np.where(task, 1.0, minutes)),
            "ORIGINALRATE": real(np.where(task, 0.0, 1.0)),
        },
    )


# Insertion date, dressing, cap and tubing of each device: what is written down again each shift.
_LINES: dict[str, tuple[int, ...]] = {
    "arterial": (224288, 224290, 224287, 224284),
    "central": (224280, 224282, 224279, 224261),
    "picc": (224184, 224187, 224186, 224183),
    "foley": (229352,),
    "dialysis": (225322, 225324, 225321, 225318),
    "pa": (225354, 225356, 225353, 225351),
    "gauge20": (225754,),
    "gauge18": (225755,),
    "skin": (227790,),
    "ulcer": (228793,),
    "port": (225378, 227126, 227361, 225375),
    "icp": (226128, 226132, 226126),
}


def datetimeevents(block: Block) -> pa.Table:
    """datetimeevents: when a line was put in, when its dressing was last changed."""
    rng = block.draws("datetimeevents")
    icu, adm = block.icu, block.adm
    n = len(icu.admission)
    with_both = {row["itemid"] for row in rows("dated") if row["valueuom"] == "Date and Time"}
    there: dict[str, Bools] = {
        "arterial": icu.arterial_line, "central": icu.central_line, "picc": rng.chance(n, 0.17),
        "foley": icu.catheter & rng.chance(n, 0.6), "dialysis": icu.dialysis | icu.crrt, "pa": icu.pa_catheter,
        "gauge20": rng.chance(n, 0.75), "gauge18": rng.chance(n, 0.55), "skin": rng.chance(n, 0.2),
        "ulcer": adm.has[icu.admission, GROUP["pressure_ulcer"]], "port": adm.has[icu.admission, GROUP["leukemia"]],
        "icp": icu.icp,
    }  # fmt: skip
    stays: list[AnyArray] = []
    times: list[AnyArray] = []
    items: list[AnyArray] = []
    values: list[AnyArray] = []
    shifts = np.minimum(icu.hours // 4 + 1, 300)
    for name, codes in _LINES.items():
        chosen = np.flatnonzero(there[name])
        which, nth = within(shifts[chosen])
        stay = chosen[which]
        at = (icu.intime[stay] // HOUR + 1 + nth * 4) * HOUR + 60 * rng.below(len(stay), 20)
        put_in = icu.intime[stay] // DAY * DAY
        for step, code in enumerate(codes):
            kept = rng.chance(len(stay), 0.74) & (at <= icu.outtime[stay])
            days = 0 if step == 0 else (1, 4, 4)[min(step - 1, 2)]
            changed = (
                put_in
                if step == 0
                else np.maximum(at // DAY * DAY - rng.below(len(stay), days + 1) * DAY, put_in - DAY)
            )
            shown = np.where(str(code) in with_both, changed + 15 * HOUR, changed)
            stays.append(stay[kept])
            times.append(at[kept])
            items.append(np.full(int(kept.sum()), code))
            values.append(shown[kept])
    stay, time = np.concatenate(stays), np.concatenate(times)
    item, value = np.concatenate(items), np.concatenate(values)
    order = np.lexsort((item, time, stay))
    stay, time, item, value = stay[order], time[order], item[order], value[order]
    both = np.isin(item, [int(code) for code in with_both])
    return table(
        "datetimeevents",
        context(block, stay, rng)
        | {
            "charttime": moments(time),
            "storetime": moments(time + 60 * rng.below(len(stay), 45)),
            "itemid": whole(item),
            "value": moments(value),
            "valueuom": pick(both.astype(np.int64), words(["Date", "Date and Time"])),
            "warning": whole(np.zeros(len(stay))),
        },
    )
