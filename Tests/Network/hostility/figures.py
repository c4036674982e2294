"""A figure of a case, its bound, and the table of all."""

import dataclasses
import json


@dataclasses.dataclass
class Figure:
    """What was measured. `bound` is the most that is allowed; None where nothing is required yet."""

    case: str
    name: str
    value: float | str | bool | None
    unit: str = ""
    bound: float | str | bool | None = None

    @property
    def is_met(self):
        """None where nothing is required."""
        if self.bound is None:
            return None
        if isinstance(self.bound, (bool, str)):
            return self.value == self.bound
        return self.value is not None and self.value <= self.bound

    @property
    def verdict(self):
        """As the table says it."""
        return {True: "PASS", False: "FAIL", None: "-"}[self.is_met]

    def _words(self, value):
        if value is None:
            return "never" if self.bound is not None or self.unit == "s" else ""
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, float):
            value = f"{value:.2f}" if abs(value) < 10 else f"{value:.0f}"
        return f"{value} {self.unit}".strip()

    def row(self):
        """Cells of the table."""
        bound = "" if self.bound is None else self._words(self.bound)
        return [self.case, self.name, self._words(self.value), bound, self.verdict]


def table(figures):
    """Text, aligned."""
    rows = [["case", "figure", "value", "bound", ""]] + [figure.row() for figure in figures]
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)


def document(figures):
    """The same for programs."""
    rows = [dataclasses.asdict(figure) | {"met": figure.is_met} for figure in figures]
    return json.dumps({"schema": "partyline.hostile-members/1", "figures": rows}, indent=1)
