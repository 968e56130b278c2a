"""The graph in words, for its page in the docs: a change of the pipeline shows there as a change of text."""

import dagster as dg


def graph_table(defs: dg.Definitions) -> str:
    """Every asset by group, with its checks, as a markdown table; a check that blocks is in bold.

    The 31 files and the 31 staged tables are alike and take one row each.
    """
    graph = defs.resolve_asset_graph()
    rows: dict[tuple[str, str], tuple[str, int]] = {}
    for key in graph.toposorted_asset_keys:
        node = graph.get(key)
        checks = ", ".join(
            f"**{check.name}**" if graph.get(check).blocking else check.name
            for check in sorted(graph.get_check_keys_for_assets({key}), key=lambda check: check.name)
        )
        name, alike = _alike(key)
        _, n = rows.get((node.group_name, name), (checks, 0))
        rows[node.group_name, name] = (checks, n + alike)
    order = list(dict.fromkeys(group for group, _ in rows))
    lines = ["| group | asset | checks |", "| --- | --- | --- |"]
    for group, name in sorted(rows, key=lambda item: order.index(item[0])):
        checks, n = rows[group, name]
        lines.append(f"| {group} | {name}{f' ({n})' if n else ''} | {checks} |")
    return "\n".join(lines)


def _alike(key: dg.AssetKey) -> tuple[str, int]:
    """The name of an asset's row, and whether it stands for several: files and tables do."""
    group, name = key.path
    if name.endswith("_file"):
        return "`source/<table>_file`", 1
    if group == "staging" and name != "warehouse":
        return "`staging/<table>`", 1
    return f"`{group}/{name}`", 0
