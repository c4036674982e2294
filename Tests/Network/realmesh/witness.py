"""Who was really disturbed, and which verdicts of the nodes were therefore false.

A verdict is what an event says of a peer: its link is down, or it is dead. About a peer that ran all
the while and could be heard all the while it is a false accusation. The bar is none.
"""

import time
from dataclasses import dataclass

# A verdict may follow a disturbance that has just ended: it takes two seconds to come about.
AFTERMATH_S = 2.5
_VERDICTS = ("peer_down", "peer_dead")


@dataclass
class Seen:
    """One event of a node."""

    at: float
    observer: str
    kind: str
    peer: str
    text: str
    details: dict
    is_false: bool = False


class Witness:
    """Keeps every event, and what was done to whom."""

    def __init__(self, names):
        self.names = names
        self.events = []
        self._nodes = {}  # (name, what) -> end, or None while it lasts
        self._pairs = {}  # (from, to) -> likewise

    def disturb(self, name, what):
        """Something has happened to a node: `off`, `paused`, `unplugged`."""
        self._nodes[name, what] = None

    def calm(self, name, what):
        """It is over."""
        if (name, what) in self._nodes:
            self._nodes[name, what] = time.monotonic()

    def set_cuts(self, cuts):
        """Exactly these ways are cut now, as (from, to)."""
        now = time.monotonic()
        for pair in [pair for pair, end in self._pairs.items() if end is None and pair not in cuts]:
            self._pairs[pair] = now
        for pair in cuts:
            self._pairs[pair] = None

    def _is_disturbed(self, name, at, kinds):
        ends = [end for (who, what), end in self._nodes.items() if who == name and what in kinds]
        return any(end is None or at - AFTERMATH_S < end for end in ends)

    def _is_cut(self, a, b, at):
        ends = [self._pairs[pair] for pair in ((a, b), (b, a)) if pair in self._pairs]
        return any(end is None or at - AFTERMATH_S < end for end in ends)

    def _can_reach(self, observer, subject, at):
        """Whether some chain of sound ways leads from one to the other."""
        reached, fresh = {observer}, [observer]
        while fresh:
            here = fresh.pop()
            for there in self.names:
                if there in reached or self._is_cut(here, there, at):
                    continue
                if there != subject and self._is_disturbed(there, at, ("off", "paused", "unplugged")):
                    continue
                reached.add(there)
                fresh.append(there)
        return subject in reached

    def is_false(self, observer, kind, subject, at):
        """Whether a verdict accuses somebody in good health.

        That the observer itself stood still excuses nothing: it has to know.
        """
        if kind not in _VERDICTS or subject not in self.names:
            return False
        if self._is_disturbed(subject, at, ("off", "paused", "unplugged")):
            return False
        if self._is_disturbed(observer, at, ("off", "unplugged")):
            return False
        if kind == "peer_down":
            return not self._is_cut(observer, subject, at)
        return self._can_reach(observer, subject, at)

    def note(self, node, event, at):
        """Takes an event of a node."""
        peer = event.get("name") or ""
        seen = Seen(at, node.name, event["kind"], peer, event["text"], event.get("details") or {})
        seen.is_false = self.is_false(seen.observer, seen.kind, peer, at)
        self.events.append(seen)

    def roster_changes(self):
        """How many links have come and gone so far, counted at each end."""
        return sum(event.kind in ("peer_up", "peer_down") for event in self.events)

    @property
    def false_accusations(self):
        """The false verdicts."""
        return [event for event in self.events if event.is_false]
