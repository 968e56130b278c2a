"""The agent's Python: one interpreter an episode, kept from everything but a guarded `query`.

    with Stock() as stock, stock.take() as box:
        shown = box.run("query('SELECT count(*) AS n FROM patients')", session.arrow)

Where no isolation holds the tool is off and says so: `available()`. See docs/isolation.md.
"""

from robustgym.sandbox.isolation import Isolation, available, held
from robustgym.sandbox.launch import Kind
from robustgym.sandbox.limits import Limits
from robustgym.sandbox.process import Query
from robustgym.sandbox.stock import Box, Stock

__all__ = ["Box", "Isolation", "Kind", "Limits", "Query", "Stock", "available", "held"]
