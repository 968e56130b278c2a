"""Use of resources in the ICU: who worked on a stay, what was done and placed, by name and by category."""

from __future__ import annotations

from assets.questions.grammar import Kind, Phrases, Stream
from assets.questions.kinds._kind import kind
from assets.questions.kinds._labels import CAREGIVERS, ITEMS, SAME_ITEM
from assets.questions.sql import listed
from schemas.concepts import ChartedDate, Device, Pool, Term, load
from schemas.questions import Intent, Role, Selection

PROCEDURE_ONLY = "the question names the ICU's procedure record; billed procedures have neither a time nor these names"
IMAGING = (
    *(221214, 221216, 221217, 221219, 221255, 223253, 225427, 225432, 225457, 225459, 225460, 225461, 225462, 225463),
    *(228715, 229575, 229581, 229582),
)
"""Items of `d_items` with category '5-Imaging'. The order's own category files echos, ultrasound and MRI under
'Procedures' (61 of 323 studies of the demo)."""

INSERTIONS = tuple(date.itemid for date in load().of(Pool.LINE).values() if isinstance(date, ChartedDate))


def _staff(name: str, table: str, time: str, what: str, record: str) -> Kind:
    """Who charted one sort of record: the caregivers of a stay."""

    def stream() -> Stream:
        return Stream(
            target=Selection(
                name="",
                role=Role.TARGET,
                table=table,
                support=f"caregiver_id IS NOT NULL AND {time} IS NOT NULL",
                label=f"{record} with its caregiver",
                time=(time,),
                names=("caregiver_id",),
            ),
            label=CAREGIVERS,
            named="l.caregiver_id = x.caregiver_id",
            words=Phrases(
                event=record,
                events=f"{record}s",
                entries=f"caregivers who charted {what}",
                listed=f"caregivers charted {what}",
                tally="caregivers",
                counts=f"{record}s whose caregiver_id is in the caregiver table",
            ),
            time=f"x.{time}",
            text="CAST(l.caregiver_id AS VARCHAR)",
            no_route="the question names the record; others are charted by others",
        )

    return Kind(name=name, intent=Intent.COST, pool=None, stream=stream)


input_charter = _staff("input_charter", "inputevents", "starttime", "infusions and other inputs", "input record")


def _procedures(support: str, label: str, concept: str = "TRUE", time: tuple[str, ...] = ("starttime",)) -> Selection:
    """Rows of the ICU's procedure record."""
    return Selection(
        name="", role=Role.TARGET, table="procedureevents", concept=concept, support=support, label=label, time=time
    )


@kind(Intent.COST, Pool.ICU_SERVICE)
def icu_service(concept: Term) -> Stream:
    """ICU procedures of one category, among all: imaging, cultures, lines."""
    return Stream(
        target=_procedures("starttime IS NOT NULL", "ICU procedure"),
        label=ITEMS,
        named=SAME_ITEM,
        words=Phrases(
            happened=f"was any entry of {concept.lay_name} made on the ICU's procedure record",
            counted=f"entries of {concept.lay_name} were made on the ICU's procedure record",
            events=f"entries of {concept.lay_name} on the ICU's procedure record",
            whole="entries of the ICU's procedure record",
            part=f"of {concept.lay_name}",
            tally="entries",
            counts="ICU procedure records by start time, under their category in d_items",
            own={
                "first_of": (
                    f"when was an entry of {concept.lay_name} first made on the ICU's procedure record {{when}}",
                    f"time at which an entry of {concept.lay_name} was first made on the ICU's procedure record",
                ),
                "share_of": (
                    f"what percentage of the entries of the ICU's procedure record {{when}} were of {concept.lay_name}",
                    f"percentage of the ICU's procedure entries that were of {concept.lay_name}",
                ),
            },
        ),
        time="x.starttime",
        hit=f"l.category IN {listed(concept.values)}",
        definition=f"the items of d_items with {concept.definition}",
        no_route=PROCEDURE_ONLY,
    )


@kind(
    Intent.COST,
    Pool.DEVICE,
    least=5,
    only=[
        "chest_xray",
        "ct_scan",
        "mri",
        "ultrasound",
        "echocardiography",
        "electrocardiogram",
        "eeg",
        "bronchoscopy",
        "blood_culture_icu",
        "intubation",
        "extubation",
    ],
)
def icu_procedure(concept: Device) -> Stream:
    """Procedures of one sort in the ICU that are done in a moment: imaging, scopes, cultures."""
    return Stream(
        target=_procedures("starttime IS NOT NULL", concept.lay_name, f"itemid IN {listed(concept.itemids)}"),
        words=Phrases(
            event=f"{concept.lay_name} on the ICU's procedure record",
            events=f"records of {concept.lay_name} among the ICU's procedures",
            counts="ICU procedure records by start time",
        ),
        time="x.starttime",
        definition=concept.definition,
        no_route=PROCEDURE_ONLY,
    )


@kind(Intent.COST)
def imaging() -> Stream:
    """Which imaging was done in the ICU, by its name."""
    return Stream(
        target=_procedures("starttime IS NOT NULL", "imaging in the ICU", f"itemid IN {listed(IMAGING)}"),
        label=ITEMS,
        named=SAME_ITEM,
        words=Phrases(
            event="imaging on the ICU's procedure record",
            events="imaging studies on the ICU's procedure record",
            entries="imaging studies on the ICU's procedure record",
            listed="imaging studies are on the ICU's procedure record",
            tally="kinds of study",
            counts="ICU procedure records of the items that d_items has under category '5-Imaging', by start time, "
            "named by their label there",
        ),
        time="x.starttime",
        text="l.label",
        no_route=PROCEDURE_ONLY,
    )


@kind(Intent.COST)
def line_in_place() -> Stream:
    """Which invasive lines a patient had, and for how long any."""
    return Stream(
        target=_procedures(
            "starttime < endtime",
            "invasive line",
            "ordercategoryname = 'Invasive Lines'",
            ("starttime", "endtime"),
        ),
        label=ITEMS,
        named=SAME_ITEM,
        words=Phrases(
            event="start of an invasive line",
            events="starts of invasive lines",
            running="any invasive line in place",
            entries="invasive lines placed",
            listed="invasive lines were placed",
            tally="kinds of line",
            counts="ICU procedure records with ordercategoryname 'Invasive Lines' that end after they start, named by "
            "their label in d_items; a line is placed at its start time, and in place from then until its end time",
            own={
                "first_names": ("which invasive lines were placed first {when}", "invasive lines placed first"),
                "last_names": ("which invasive lines were placed last {when}", "invasive lines placed last"),
                "names": ("which invasive lines were in place {when}", "invasive lines in place"),
                "number_of_names": (
                    "how many different invasive lines, by their names, were in place {when}",
                    "number of different invasive lines, by their names, in place",
                ),
                "covered": (
                    "for how many hours was any invasive line in place {when}",
                    "number of hours with any invasive line in place",
                ),
            },
        ),
        time="x.starttime",
        end="x.endtime",
        text="l.label",
        lasting=True,
        no_route=PROCEDURE_ONLY,
    )


@kind(Intent.COST, Pool.LINE, least=10)
def line_days(concept: ChartedDate) -> Stream:
    """How long a line had been in when a nurse charted its date of insertion: line days, for infection control."""
    return Stream(
        target=Selection(
            name="",
            role=Role.TARGET,
            table="datetimeevents",
            concept=f"itemid = {concept.itemid}",
            support="value <= charttime",
            label=f"charted insertion date of the {concept.lay_name}",
            time=("value", "charttime"),
        ),
        words=Phrases(
            value=f"charted time in place of the {concept.lay_name}",
            event=f"charted insertion date of the {concept.lay_name}",
            events=f"charted insertion dates of the {concept.lay_name}",
            counts="charted insertion dates (value) that are not after the time of charting; the number is that of "
            "calendar days from the one to the other",
            own={
                "highest": (
                    f"what was the longest charted time in place of the {concept.lay_name} {{when}}",
                    f"longest charted time in place of the {concept.lay_name}",
                )
            },
        ),
        time="x.charttime",
        value="date_diff('day', CAST(x.value AS DATE), CAST(x.charttime AS DATE))",
        unit="days",
        threshold=7.0,
        definition=concept.definition,
        no_route="the question asks for the charted date of insertion; the procedure record starts with the stay",
    )


@kind(Intent.COST)
def line_dated() -> Stream:
    """For which lines and tubes an insertion date was charted: who carries what."""
    return Stream(
        target=Selection(
            name="",
            role=Role.TARGET,
            table="datetimeevents",
            concept=f"itemid IN {listed(INSERTIONS)}",
            support="charttime IS NOT NULL",
            label="charted insertion date",
            time=("charttime",),
        ),
        label=ITEMS,
        named=SAME_ITEM,
        words=Phrases(
            event="charted insertion date",
            events="charted insertion dates",
            entries="lines and tubes with a charted insertion date",
            listed="lines and tubes had an insertion date charted",
            tally="lines and tubes",
            counts=f"entries of the date items {', '.join(map(str, INSERTIONS))}, named by their label in d_items",
        ),
        time="x.charttime",
        text="l.label",
        no_route="the question asks for charted dates of insertion",
    )
