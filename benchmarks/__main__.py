"""Every benchmark in one table: each module of this folder has a `run()` that gives rows of figures beside their bars.

    python -m benchmarks [NAME...]

Ratios are measured in one run, so that they hold on another machine. Exits with 1 if a bar is missed.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Mapping
from typing import Any

import benchmarks


def modules(wanted: list[str]) -> list[str]:
    """Names of the benchmarks to run, sorted; all of them if none is named."""
    known = sorted(module.name for module in pkgutil.iter_modules(benchmarks.__path__) if module.name != "__main__")
    if unknown := sorted(set(wanted) - set(known)):
        sys.exit(f"no benchmark {', '.join(unknown)}: choose from {', '.join(known)}")
    return [name for name in known if not wanted or name in wanted]


def line(row: Mapping[str, Any]) -> str:
    """One figure as a line of the table.

    >>> line({"name": "a", "value": 1.234, "unit": "s", "bar": 2, "ok": True}).split()
    ['a', '1.23', 's', '2', 'yes']
    """
    value, bar = row["value"], row.get("bar")
    shown = f"{value:,.3g}" if isinstance(value, float) and value < 1000 else f"{value:,}"
    limit = "" if bar is None else f"{bar:,}"
    ok = {True: "yes", False: "NO", None: ""}[row.get("ok")]
    return f"{row['name']:<78} {shown:>10} {row.get('unit') or '':<6} {limit:>8}  {ok}"


def main() -> None:
    """Run the benchmarks named on the command line, or all."""
    missed, names = 0, modules(sys.argv[1:])
    print(f"{'figure':<78} {'value':>10} {'unit':<6} {'bar':>8}  ok")
    for name in names:
        print(f"running {name} …", file=sys.stderr, flush=True)
        for row in importlib.import_module(f"benchmarks.{name}").run():
            missed += row.get("ok") is False
            print(line(row), flush=True)
    if missed:
        print(f"{missed} bars missed", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
