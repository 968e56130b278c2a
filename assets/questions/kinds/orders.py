"""Provider orders: who placed them, what they say in their fields, which consults, what to do in an arrest."""

from __future__ import annotations

from assets.questions.grammar import Phrases, Stream
from assets.questions.kinds._kind import kind
from assets.questions.kinds._labels import PROVIDERS
from assets.questions.records import known
from assets.questions.sql import listed
from schemas.concepts import Pool, Term
from schemas.questions import Intent, Role, Selection

ORDER_ONLY = "the question names provider orders; what became of them is recorded by others"
SAME_ORDER = "y.subject_id = x.subject_id AND y.poe_id = x.poe_id"

LIMITED = (
    "Do not resuscitate (DNR/DNI)",
    "DNAR (DO NOT attempt resuscitation for cardiac arrest)",
)
"""What `poe_detail.field_value` says where resuscitation is not wanted; some values end in a blank."""

STATED = ("New", "Change")
"""Transactions that say which code status holds: 29 of the demo's 61 orders not to resuscitate change an older one."""

ORDERED_CODE_STATUS = "the question names orders; a code status charted in the ICU is another record"


@kind(Intent.COST)
def ordering_provider() -> Stream:
    """Who placed the orders: the size of the team."""
    return Stream(
        target=Selection(
            name="",
            role=Role.TARGET,
            table="poe",
            support="transaction_type = 'New' AND order_provider_id IS NOT NULL AND ordertime IS NOT NULL",
            label="new provider order with its provider",
            time=("ordertime",),
            names=("order_provider_id",),
        ),
        label=PROVIDERS,
        named="l.provider_id = x.order_provider_id",
        words=Phrases(
            event="provider order",
            events="provider orders",
            entries="providers who placed orders",
            listed="providers placed orders",
            tally="providers",
            counts="new provider orders (transaction_type 'New') whose order_provider_id is in the provider table",
        ),
        time="x.ordertime",
        text="l.provider_id",
        no_route="the question names provider orders; prescriptions have providers of drugs alone",
    )


@kind(Intent.COST, Pool.ORDER_DETAIL)
def order_detail(concept: Term) -> Stream:
    """What an order says in one of its fields: which tube, which team, for which indication."""
    return Stream(
        target=Selection(
            name="",
            role=Role.TARGET,
            table="poe_detail",
            concept=f"field_name IN {listed(concept.values)}",
            support=known("poe_detail", "field_value"),
            label=f"order's entry of {concept.lay_name}",
            names=("field_value",),
        ),
        partner=_orders(),
        joined=SAME_ORDER,
        clock="y",
        words=Phrases(
            event=f"order that names {concept.lay_name}",
            events=f"orders that name {concept.lay_name}",
            entries=f"{concept.lay_name} named in provider orders",
            listed=f"{concept.lay_name} did provider orders name",
            tally=concept.lay_name,
            counts="details of new provider orders (transaction_type 'New') with a value, as stored without outer "
            "blanks, by the time of the order; in what begins with the admission, orders placed earlier for it count "
            "as well",
        ),
        time="y.ordertime",
        text="trim(x.field_value)",
        early=True,
        definition=f"details of provider orders with {concept.definition}",
        no_route=ORDER_ONLY,
    )


def _orders(*transactions: str) -> Selection:
    """New provider orders at a known time, or those of other transactions."""
    kept = f"IN {listed(transactions)}" if transactions else "= 'New'"
    return Selection(
        name="",
        role=Role.TARGET,
        table="poe",
        support=f"transaction_type {kept} AND ordertime IS NOT NULL",
        label="provider order" if transactions else "new provider order",
        time=("ordertime",),
    )


@kind(Intent.COST)
def consult() -> Stream:
    """Which consults were ordered."""
    return Stream(
        target=Selection(
            name="",
            role=Role.TARGET,
            table="poe",
            concept="order_type = 'Consults'",
            support=f"transaction_type = 'New' AND {known('poe', 'order_subtype')} AND ordertime IS NOT NULL",
            label="consult order",
            time=("ordertime",),
            names=("order_subtype",),
        ),
        words=Phrases(
            event="consult order",
            events="consult orders",
            entries="consults ordered",
            listed="consults were ordered",
            tally="consults",
            counts="new provider orders (transaction_type 'New') of order_type 'Consults', by their order_subtype",
        ),
        time="x.ordertime",
        text="x.order_subtype",
        no_route=ORDER_ONLY,
    )


@kind(Intent.DEMOGRAPHICS)
def code_status() -> Stream:
    """The code status as ordered: what the patient wants in an arrest, and when that changed."""
    return Stream(
        target=Selection(
            name="",
            role=Role.TARGET,
            table="poe_detail",
            concept="field_name = 'Code status'",
            support=known("poe_detail", "field_value"),
            label="ordered code status",
            names=("field_value",),
        ),
        partner=_orders(*STATED),
        joined=SAME_ORDER,
        clock="y",
        words=Phrases(
            event="code status order",
            events="code status orders",
            entries="code statuses ordered",
            listed="code statuses were ordered",
            tally="code statuses",
            counts="details of new or changed provider orders (transaction_type 'New' or 'Change') with field_name "
            "'Code status', as stored without outer blanks, by the time of the order",
            own={
                "first_names": ("which code status was ordered first {when}", "code statuses ordered first"),
                "last_names": ("which code status was ordered last {when}", "code statuses ordered last"),
            },
        ),
        time="y.ordertime",
        text="trim(x.field_value)",
        no_route=ORDERED_CODE_STATUS,
    )


@kind(Intent.DEMOGRAPHICS)
def limited_code() -> Stream:
    """Orders not to resuscitate, among all that orders say: who has none is to be resuscitated, by default.

    In the demo 129 of 275 admissions have an order of a code status, and all 272 with orders have details of them.
    """
    return Stream(
        target=Selection(
            name="",
            role=Role.TARGET,
            table="poe_detail",
            support=f"{known('poe_detail', 'field_name')} AND {known('poe_detail', 'field_value')}",
            label="detail of an order",
            names=("field_name", "field_value"),
        ),
        partner=_orders(*STATED),
        joined=SAME_ORDER,
        clock="y",
        words=Phrases(
            happened="was a new or changed order not to resuscitate placed",
            counted="new or changed orders not to resuscitate were placed",
            events="new or changed orders not to resuscitate",
            whole="details of provider orders",
            part="new or changed orders not to resuscitate",
            tally="orders",
            own={
                "first_of": (
                    "when was a new or changed order not to resuscitate first placed {when}",
                    "time at which a new or changed order not to resuscitate was first placed",
                )
            },
            counts="details of new or changed provider orders (transaction_type 'New' or 'Change') by the time of the "
            "order; not to resuscitate are those with field_name 'Code status' and field_value "
            + " or ".join(f"'{text}'" for text in LIMITED)
            + ", and one that was placed earlier and still holds does not count",
        ),
        time="y.ordertime",
        hit=f"x.field_name = 'Code status' AND trim(x.field_value) IN {listed(LIMITED)}",
        no_route=ORDERED_CODE_STATUS,
    )
