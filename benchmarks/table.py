"""One benchmark figure, and how figures are printed."""

import argparse
import json
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Row:
    """A measured figure beside its baseline from the same run; `ratio` = value / baseline. `target` in words."""

    name: str
    value: float
    unit: str
    baseline: str
    ratio: float
    target: str = ""


def percentile(samples: Sequence[float], share: float) -> float:
    """The smallest sample that at least `share` of all samples do not exceed."""
    ordered = sorted(samples)
    return ordered[min(len(ordered) - 1, max(0, round(share * len(ordered) + 0.5) - 1))]


def latency_rows(name: str, samples: Sequence[float], baseline: str, floor: Sequence[float], target: str) -> list[Row]:
    """Median and 95th percentile in ms, each against the baseline's."""
    return [
        Row(f"{name}, median", statistics.median(samples), "ms", baseline,
            statistics.median(samples) / statistics.median(floor)),
        Row(f"{name}, p95", percentile(samples, 0.95), "ms", baseline,
            percentile(samples, 0.95) / percentile(floor, 0.95), target),
    ]  # fmt: skip


def as_table(rows: Iterable[Row]) -> str:
    cells = [("figure", "value", "", "ratio", "baseline", "target")]
    cells += [(row.name, f"{row.value:,.4g}", row.unit, f"{row.ratio:.2f}", row.baseline, row.target) for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells)]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in cells)


def as_json(rows: Iterable[Row]) -> str:
    return json.dumps([asdict(row) for row in rows], indent=1, ensure_ascii=False)


Measure = Callable[[], list[Row]]


def report(description: str, *measures: Measure, instead: Mapping[str, Measure] | None = None) -> None:
    """The command of a benchmark: measure, and print a table, JSON with --json, or one after the other with --both.

    What takes very long is measured `instead`, each where its name is an option: --soak.
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--json", action="store_true", help="JSON instead of the table")
    parser.add_argument("--both", action="store_true", help="the table, then JSON")
    long = instead or {}
    for name in long:
        parser.add_argument(f"--{name}", action="store_true", help="measure this instead")
    options = parser.parse_args()
    asked = [measure for name, measure in long.items() if getattr(options, name)]
    rows = [row for measure in asked or measures for row in measure()]
    if not options.json:
        print(as_table(rows))
    if options.json or options.both:
        print(as_json(rows))
