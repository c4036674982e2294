"""What a scenario has shown."""

from dataclasses import dataclass, field


@dataclass
class Judged:
    """An expectation and what became of it."""

    text: str
    is_met: bool
    took: float | None = None
    limit: float | None = None
    note: str = ""


@dataclass
class Outcome:
    """All of one scenario. Times are seconds of CLOCK_MONOTONIC."""

    scenario: object
    judged: list = field(default_factory=list)
    differences: list = field(default_factory=list)  # commands done otherwise than the simulator does
    impossible: list = field(default_factory=list)  # commands that were not done at all
    false: list = field(default_factory=list)
    events: list = field(default_factory=list)
    gaps: list = field(default_factory=list)  # (listener, talker, when the talk began, Gap or None)
    began: float = 0
    trouble: str = ""
    folder: str = ""

    @property
    def is_passed(self):
        """All expectations met, nobody accused, nothing left out."""
        return not (self.trouble or self.impossible or self.false) and all(one.is_met for one in self.judged)
