"""chartevents: the ICU's flow sheet, hour by hour."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from assets.synthetic import faults
from assets.synthetic.admissions import HOUR
from assets.synthetic.block import Block
from assets.synthetic.chart_panels import (
    CODE_STATUS,
    EYES,
    GCS_EYE,
    GCS_MOTOR,
    GCS_VERBAL,
    MOTOR,
    RASS,
    RASS_ITEM,
    RHYTHM,
    SIGNAL,
    SIGNALS,
    TUBED,
    VERBAL,
    alarm_limits,
    chart,
    lab_copies,
)
from assets.synthetic.columns import ArrowColumn, moments, pick, table, whole
from assets.synthetic.course import Drift
from assets.synthetic.draws import AnyArray, Bools, Draws, Floats, Ints, exp, mix, spread, within
from assets.synthetic.lab_panels import tests
from assets.synthetic.laboratory import Results, lab_values
from assets.synthetic.sampling import Samples
from assets.synthetic.word_lists import GROUP

_WATCH = 6 * HOUR


@dataclass(frozen=True)
class Rounds:
    """Moments at which a nurse writes into the flow sheet, by stay and time."""

    stay: Ints
    time: Ints
    hour: Ints
    """Hours since the first round."""
    tubed: Bools
    """On the ventilator."""


def rounds(block: Block, rng: Draws) -> Rounds:
    """Every hour of every stay, now and then with a second look in between."""
    icu = block.icu
    looks = np.minimum(icu.hours, 1800)
    stay, hour = within(looks)
    time = (icu.intime[stay] // HOUR + 1 + hour) * HOUR
    between = rng.chance(len(stay), 0.1)
    time = np.where(between, time + 60 * rng.below(len(stay), 60), time)
    inside = (time <= icu.outtime[stay]) & (rng.chance(len(stay), 0.97) | (hour % 4 == 0))
    stay, hour, time = stay[inside], hour[inside], time[inside]
    tubed = (icu.ventilated[stay] > 0) & (time >= icu.ventilated[stay]) & (time < icu.extubated[stay])
    return Rounds(stay, time, hour, tubed)


def signals(block: Block, seen: Rounds, rng: Draws) -> tuple[Floats, Floats]:
    """[signal, round]: what the monitors show; and how deep each patient's coma is (0 awake to 3)."""
    icu, adm, who = block.icu, block.adm, block.who
    stay, time, n = seen.stay, seen.time, len(seen.stay)
    a = icu.admission[stay]
    patient = adm.patient[a]
    state = {
        name: block.course.factor(name, a, time).astype(np.float64)
        for name in ("shock", "inflammation", "bleeding", "breathing", "brain", "kidney")
    }
    shock, fever, lung = state["shock"], state["inflammation"], state["breathing"]
    key = icu.stay_id[stay] * 8192 + (time - icu.intime[stay]) // _WATCH
    share = ((time - icu.intime[stay]) % _WATCH) / _WATCH

    curves = Drift(key, share)

    def wave(salt: int) -> Floats:
        return curves.wave(salt).astype(np.float64)

    own = mix(who.number[patient] * 3 + 1, 77).astype(np.float64)
    rapid = adm.has[a][:, GROUP["atrial_fibrillation"]]
    treated = np.clip(shock - 0.9, 0, 4)
    out = np.zeros((len(SIGNALS), n))

    def put(name: str, values: AnyArray) -> None:
        out[SIGNAL[name]] = values

    tubed = seen.tubed
    heart = 79 + 8 * own + 9.5 * shock + 7.5 * fever + 7 * state["bleeding"] + 3 * lung + 4 * rapid + 7 * wave(1)
    heart = np.clip(heart - 0.14 * (who.age[patient] - 60), 42, 172)
    # Pressors hold the mean pressure near its target: deep shock shows in the drip before it shows here.
    mean = 84 + 5 * own + 0.06 * (who.age[patient] - 60) - 10.5 * shock + 4.2 * treated - 2.5 * state["bleeding"]
    mean = np.clip(mean + 7 * wave(2) - 1.5 * fever, 37, 135)
    pulse = np.clip(52 + 6 * own - 4 * shock + 0.25 * (who.age[patient] - 60) + 6 * wave(3), 18, 105)
    put("hr", heart)
    put("map", mean)
    put("sbp", mean + pulse * 0.62)
    put("dbp", mean - pulse * 0.32)
    put("art_map", mean + 1)
    put("art_sbp", mean + pulse * 0.68)
    put("art_dbp", mean - pulse * 0.33)
    put("rr", np.clip(17.5 + 2.6 * lung * ~tubed + 1.2 * shock + 1.1 * fever + 2.2 * wave(4), 8, 46))
    put("spo2", np.clip(97.3 - 1.2 * lung - 0.5 * shock + 1.0 * tubed + 1.1 * wave(5), 76, 100))
    celsius = np.clip(36.8 + 0.42 * np.minimum(fever, 2.6) - 0.12 * shock + 0.32 * wave(6), 33.2, 40.8)
    put("temp_c", celsius)
    put("temp_f", celsius * 9 / 5 + 32)
    put("temp_core", celsius + 0.25)
    full = adm.has[a][:, GROUP["heart_failure"]] | adm.has[a][:, GROUP["end_stage_renal_disease"]]
    central = np.clip(8 + 3.5 * full + 1.2 * shock + 1.5 * lung + 2 * wave(7), 0, 26)
    put("cvp", central)
    put("pap_s", np.clip(29 + 9 * full + 3 * lung + 4 * wave(8), 12, 85))
    put("pap_d", np.clip(14 + 5 * full + 2 * lung + 2 * wave(8), 4, 45))
    put("pap_m", np.clip(20 + 7 * full + 2.5 * lung + 2.5 * wave(8), 8, 58))
    put("pcwp", np.clip(12 + 7 * full + 2 * wave(9), 3, 38))
    failing = adm.has[a][:, GROUP["cardiogenic_shock"]]
    output = np.clip(5.2 - 1.8 * failing + 0.3 * fever + 0.5 * wave(10), 1.6, 11)
    put("co", output)
    put("cco", output)
    pressure = np.clip(8 + 4 * state["brain"] + 3 * wave(11), 0, 42)
    put("icp", pressure)
    put("cpp", mean - pressure)
    oxygen = np.where(tubed, np.clip(32 + 13 * lung + 5 * wave(12), 30, 100), 28)
    put("fio2", np.rint(oxygen / 10) * 10)
    peep = np.clip(5 + 2.1 * np.maximum(lung - 1, 0) + 0.8 * wave(13), 5, 18)
    put("peep", np.where(peep < 6.5, 5, np.where(peep < 9, 8, np.where(peep < 11.5, 10, np.rint(peep)))))
    ideal = np.where(who.female, 45.5, 50.0)[patient] + 0.91 * (who.height_cm[patient] - 152.4)
    per_kg = np.clip(8.0 - 0.5 * np.maximum(lung - 1, 0), 6, 9)
    volume = np.rint(ideal * per_kg / 50) * 50
    put("vt_set", volume)
    put("vt_seen", volume + 12)
    set_rate = np.rint(np.clip(14 + 2.2 * np.maximum(lung - 0.8, 0) + 2 * shock + 1.2 * wave(14), 10, 32))
    put("rate_set", set_rate)
    spontaneous = np.clip(6 + 4 * wave(15), 0, 28)
    put("rate_spont", spontaneous)
    total = set_rate + 0.4 * spontaneous
    put("rate_total", total)
    out[SIGNAL["rr"]] = np.where(tubed, total, out[SIGNAL["rr"]])
    put("minute_volume", volume * total / 1000)
    stiff = np.clip(17 + 3.2 * lung + 1.8 * wave(16), 10, 46)
    put("peak", stiff + out[SIGNAL["peep"]] * 0.5)
    put("plateau", stiff * 0.82 + out[SIGNAL["peep"]] * 0.35)
    put("airway", 4 + out[SIGNAL["peep"]] * 0.75 + 0.12 * stiff)
    put("psv", np.where(lung > 1.2, 10, 5))
    put("ratio", np.ones(n))
    put("flow", np.clip(np.rint(2 + 1.6 * lung + 1.2 * wave(17)), 1, 15))
    day = (time - icu.intime[stay]) // (24 * HOUR)
    put(
        "weight", icu.weight_kg[stay] + np.round(0.35 * np.minimum(day, 8) * np.minimum(shock, 1.5) + 0.6 * wave(18), 1)
    )
    put("weight_lb", icu.weight_kg[stay] * 2.20462)
    put("height_cm", who.height_cm[patient])
    put("height_in", np.rint(who.height_cm[patient] / 2.54))
    sugar = block.course.analytes(a, time, ("glucose",))["glucose"]
    put("fingerstick", np.clip(np.rint(112 * exp(sugar + 0.12 * rng.normal(n))), 28, 700))
    sedated = tubed & (state["brain"] < 5)
    depth = np.clip(0.62 * state["brain"] + 0.7 * sedated * (0.5 + 0.4 * lung) + 0.18 * shock + 0.35 * wave(19), 0, 3)
    return out, depth


def _written(block: Block, seen: Rounds, rng: Draws) -> tuple[Ints, Ints]:
    """Pairs of (round, panel), in order."""
    icu, known = block.icu, chart()
    stay, hour, n = seen.stay, seen.hour, len(seen.stay)
    fourth, eighth, twelfth = hour % 4 == 0, hour % 8 == 1, hour % 12 == 2
    calm = icu.catheter[stay] & (hour > 2)
    line = icu.arterial_line[stay] & (hour >= 1)
    first = hour == np.minimum(1, np.maximum(icu.hours[stay] - 2, 0))
    celsius = (icu.stay_id[stay] % 7) == 0
    wedged = icu.pa_catheter[stay]
    when: dict[str, AnyArray] = {
        "monitor": np.ones(n, bool),
        "cuff": ~line | rng.chance(n, 0.22),
        "arterial": line,
        "second arterial": line & icu.second_line[stay] & (hour < 60),
        "manual left": icu.second_line[stay] & fourth & rng.chance(n, 0.25),
        "manual right": icu.second_line[stay] & fourth & rng.chance(n, 0.2),
        "temperature F": fourth & ~celsius | (first & ~celsius),
        "temperature C": (fourth & celsius) | (fourth & rng.chance(n, 0.05)),
        "temperature core": wedged & (hour < 48),
        "central pressure": icu.central_line[stay] & (rng.chance(n, 0.5) | wedged),
        "pulmonary artery": wedged & (hour < 60),
        "wedge": wedged & fourth & (hour < 60),
        "continuous output": wedged & (hour < 48) & (icu.stay_id[stay] % 2 == 0),
        "intracranial": icu.icp[stay],
        "coma scale": fourth | (icu.first_unit[stay] >= 6),
        "sedation scale": (seen.tubed & (hour % 2 == 0)) | eighth,
        "settings": seen.tubed & (fourth | (hour % 6 == 1)),
        "spontaneous": seen.tubed & (hour % 6 == 1),
        "plateau": seen.tubed & fourth,
        "flow": ~seen.tubed & fourth & rng.chance(n, 0.55),
        "weight": (hour % 24 == 18) & rng.chance(n, 0.7),
        "arrival": first,
        "fingerstick": (fourth & rng.chance(n, 0.35)) | (hour % 6 == 3),
        "alarms": eighth,
        "arterial alarms": eighth & line,
        "ventilator alarms": eighth & seen.tubed,
        "notes: assessment": fourth | ((hour % 4 == 2) & rng.chance(n, 0.9)),
        "notes: skin": eighth | twelfth,
        "notes: shift": fourth,
        "notes: ventilator": seen.tubed & fourth,
        "notes: oxygen": fourth | seen.tubed & rng.chance(n, 0.2),
        "notes: rhythm": np.ones(n, bool),
        "notes: abdomen": fourth | (calm & twelfth) | ((hour % 4 == 2) & rng.chance(n, 0.6)),
    }
    wanted = np.stack([when[name] for name in known.panels], axis=1)
    round_, panel = np.nonzero(wanted)
    return round_, panel


def _scores(place: Ints, item: Ints, row_round: Ints, seen: Rounds, depth: Floats, rng: Draws) -> None:
    """Coma and sedation scales, which follow the depth of the coma."""
    known = chart()
    text = known.values.text

    def rows_of(code: int) -> Ints:
        return np.flatnonzero(item == known.place[code])

    def scored(code: int, worst: float, names: list[str]) -> None:
        rows = rows_of(code)
        deep = depth[row_round[rows]] + 0.15 * rng.normal(len(rows))
        step = np.clip(np.rint((len(names) - 1) * (1 - deep / worst)), 0, len(names) - 1).astype(np.int64)
        place[rows] = np.array([text[name] for name in names])[step]

    scored(GCS_EYE, 2.3, ["None (eyes)", *EYES[1:]])
    scored(GCS_MOTOR, 3.2, list(MOTOR))
    scored(GCS_VERBAL, 2.1, list(VERBAL))
    # A tube in the windpipe: MIMIC-IV stores 1, but it is no answer to the question.
    verbal = rows_of(GCS_VERBAL)
    tubed = seen.tubed[row_round[verbal]]
    place[verbal] = np.where(tubed, text[TUBED], place[verbal])
    rass = rows_of(RASS_ITEM)
    deep = depth[row_round[rass]] + 0.3 * rng.normal(len(rass))
    level = np.clip(np.rint(0.4 - 2.0 * deep), -5, 2).astype(np.int64)
    place[rass] = np.array([text[RASS[score]] for score in range(-5, 3)])[level + 5]


def _stated(block: Block, place: Ints, item: Ints, row_round: Ints, seen: Rounds) -> None:
    """Code status and heart rhythm agree with the diagnoses."""
    known = chart()
    text = known.values.text
    status = np.flatnonzero(item == known.place[CODE_STATUS])
    has = block.adm.has[block.icu.admission[seen.stay[row_round[status]]]]
    limited = np.where(has[:, GROUP["palliative_care"]], text["Comfort measures only"], text["DNR / DNI"])
    limits = has[:, GROUP["do_not_resuscitate"]] | has[:, GROUP["palliative_care"]]
    place[status] = np.where(limits, limited, text["Full code"])
    rhythm = np.flatnonzero(item == known.place[RHYTHM])
    has = block.adm.has[block.icu.admission[seen.stay[row_round[rhythm]]]]
    fibrillates = has[:, GROUP["atrial_fibrillation"]] & (seen.time[row_round[rhythm]] // HOUR % 3 > 0)
    irregular = text["AF (Atrial Fibrillation)"]
    place[rhythm] = np.where(
        fibrillates, irregular, np.where(place[rhythm] == irregular, text["SR (Sinus Rhythm)"], place[rhythm])
    )


def _spoilt(place: Ints, value: Floats, item: Ints, rng: Draws) -> None:
    """Entry errors and artefacts, at the rates of `faults`."""
    known = chart()

    def some(code: int, share: float) -> Ints:
        rows = np.flatnonzero(item == known.place[code])
        return rows[rng.chance(len(rows), share)]

    def write(rows: Ints, values: AnyArray, decimals: int = 0) -> None:
        place[rows] = known.values.of(values, np.full(len(rows), decimals))

    heart = some(220045, faults.HEART_RATE_IMPOSSIBLE)
    typed = np.rint(value[heart])
    twice = np.where(typed < 100, typed * 101, 0)
    write(heart, np.where(rng.chance(len(heart), 0.4), 0, np.where(twice < 60_000, twice, 0)))
    saturation = some(220277, faults.SATURATION_ABOVE_100)
    write(saturation, 101.0 + rng.below(len(saturation), 60))
    celsius = some(223762, faults.FAHRENHEIT_AS_CELSIUS)
    write(celsius, value[celsius] * 9 / 5 + 32, 1)
    height = some(226707, faults.HEIGHT_IMPOSSIBLE)
    write(height, value[height] * 2.54)
    for code in (224639, 226512):
        weight = some(code, faults.WEIGHT_IMPOSSIBLE)
        write(weight, np.where(rng.chance(len(weight), 0.5), value[weight] * 2.2, value[weight] * 10), 1)
    fraction = some(223835, faults.FIO2_AS_FRACTION)
    write(fraction, value[fraction] / 100, 1)


def _merge_after(follows: Ints, n: int) -> Callable[[AnyArray, AnyArray], AnyArray]:
    """How to put rows between `n` others: each after as many of them as `follows` says, which rises.

    >>> _merge_after(np.array([1, 1, 3]), 3)(np.array([1, 2, 3]), np.array([7, 8, 9])).tolist()
    [1, 7, 8, 2, 3, 9]
    """
    mine = np.ones(n + len(follows), bool)
    mine[follows + np.arange(len(follows))] = False

    def merge(ours: AnyArray, theirs: AnyArray) -> AnyArray:
        both = np.empty(len(mine), ours.dtype)
        both[mine] = ours
        both[~mine] = theirs
        return both

    return merge


def _saved(seen: Rounds, round_: Ints, rng: Draws) -> Ints:
    """When each panel of a round is stored: mostly all at once, as a nurse saves a page; now and then one later."""
    at_once = rng.exponential(len(seen.time)) * 22
    late = rng.bits16(len(round_)) < 65536 * 0.06
    minutes = np.floor(np.where(late, at_once[round_] + 40, at_once[round_])).astype(np.int64)
    return np.asarray(seen.time[round_] + 60 * minutes)


def chartevents(block: Block, rng: Draws, drawn: Samples, found: Results) -> pa.Table:
    """The table chartevents: the rounds, and the laboratory results that were copied into the flow sheet."""
    known = chart()
    icu = block.icu
    seen = rounds(block, rng)
    measured, depth = signals(block, seen, rng)
    round_, panel = _written(block, seen, rng)
    pair, listed = spread(known.lengths[panel], known.starts[panel])
    item = known.listed.astype(np.int32)[listed]
    row_round = round_.astype(np.int32)[pair]
    n = len(item)
    signal = (known.signal * len(seen.stay)).astype(np.int32)
    value = measured.astype(np.float32).ravel()[signal[item] + row_round]
    value += known.noise.astype(np.float32)[item] * rng.normal(n)
    limits = known.signal == SIGNAL["constant"]
    fixed = np.flatnonzero(limits[item])
    value[fixed] = alarm_limits().astype(np.float32)[item[fixed]]
    saturation = item == known.place[220277]
    value[saturation] = np.minimum(value[saturation], 100)
    place = known.values.of(value, known.decimals[item])
    notes = np.flatnonzero(known.textual[item])
    place[notes] = known.first_text + known.text_of.draw(rng, item[notes])
    _scores(place, item, row_round, seen, depth, rng)
    _stated(block, place, item, row_round, seen)
    _spoilt(place, value, item, rng)

    # A laboratory result is copied when it comes back, under the time of the sample.
    copy = np.where(drawn.stay[found.sample] >= 0, lab_copies()[tests().itemid[found.test]], -1)
    numbers = lab_values().number(found.place)
    copied = np.flatnonzero((copy >= 0) & ~np.isnan(numbers))
    sample = found.sample[copied]
    # Moments: the rounds, then the samples. Whatever belongs to a moment is looked up by its number.
    stay = np.concatenate([seen.stay, np.maximum(drawn.stay, 0)])
    time = np.concatenate([seen.time, drawn.time])
    caregivers = block.caregiver_ids
    shift = (time - 7 * HOUR) // (12 * HOUR)
    who = caregivers[(stay * 131 + shift * 17 + block.block * 977) % len(caregivers)]
    begin = icu.intime - 86_400
    keys = (stay << 32) + (time - begin[stay])
    rows_until = np.concatenate([[0], np.cumsum(np.bincount(row_round, minlength=len(seen.stay)))])
    before = np.searchsorted(keys[: len(seen.stay)], keys[len(seen.stay) :], side="right")[sample]
    merge = _merge_after(rows_until[before], n)
    moment = merge(row_round, (sample + len(seen.stay)).astype(np.int32))
    item = merge(item, copy[copied].astype(np.int32))
    place = merge(place, known.values.of(numbers[copied], tests().decimals[found.test[copied]]))
    u = rng.bits16(len(moment))
    stored = merge(_saved(seen, round_, rng)[pair], found.storetime[copied])
    lost = u > 65_400

    def of_moment(values: AnyArray) -> ArrowColumn:
        return whole(values.astype(np.int32)[moment])

    return table(
        "chartevents",
        {
            "subject_id": of_moment(block.subject(icu.admission)[stay]),
            "hadm_id": of_moment(block.adm.hadm_id[icu.admission][stay]),
            "stay_id": of_moment(icu.stay_id[stay]),
            "caregiver_id": whole(who.astype(np.int32)[moment], (u & 0xFF) == 3),
            "charttime": moments(time[moment]),
            "storetime": moments(stored),
            "itemid": whole(known.itemid.astype(np.int32)[item]),
            "value": known.values.texts(place, lost),
            "valuenum": known.values.doubles(place, lost),
            "valueuom": pick(known.unit.astype(np.int8)[item], known.units),
            "warning": whole((u & 0x3FF) == 5),
        },
    )
