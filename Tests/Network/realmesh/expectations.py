"""The expectations of a scenario, held against what the nodes say of each other."""

import time

from .outcome import Judged
from .scenario import seconds

# "Within 1ms" says "already now"; a real node needs a moment to be asked.
_NOW_S = 0.05
_LIVING = ("up", "verifying")


class Expectations:
    """Waits for what is expected, and says how long it took."""

    def __init__(self, fleet, witness, hearing, outcome, say):
        self.fleet = fleet
        self.nodes = fleet.nodes
        self.witness = witness
        self.hearing = hearing
        self.outcome = outcome
        self._say = say

    def meet(self, command):
        """Judges one `expect` line."""
        judge = getattr(self, "_expect_" + command.words[0], None)
        if judge is None:
            raise RuntimeError(f"real nodes cannot be asked: {command.text}")
        judge(command, command.subjects)

    def _judge(self, command, is_met, took=None, limit=None, note=""):
        self.outcome.judged.append(Judged(command.text, is_met, took, limit, note))
        figures = "" if took is None else f" after {took:.2f} s"
        self._say(f"    {'met' if is_met else 'NOT MET'}{figures}{' (' + note + ')' if note else ''}")

    def _require(self, command, condition, complaint=lambda: ""):
        start = time.monotonic()
        is_met = self.fleet.pump_until(start + max(command.limit, _NOW_S), condition)
        took = time.monotonic() - start
        self._judge(command, is_met, took, command.limit, "" if is_met else complaint())

    def _is_up(self, observer, peer):
        return peer in self.nodes[observer].links

    def _expect_clique(self, command, names):
        def missing():
            return [f"{a}-{b}" for a in names for b in names if a != b and not self._is_up(a, b)]

        self._require(command, lambda: not missing(), lambda: "without " + ", ".join(missing()))

    def _expect_up(self, command, names):
        self._require(command, lambda: self._is_up(*names))

    def _expect_down(self, command, names):
        self._require(command, lambda: not self._is_up(*names))

    def _expect_alone(self, command, names):
        self.fleet.pump_until(time.monotonic() + _NOW_S)
        others = sorted(self.nodes[names[0]].links)
        self._judge(command, not others, note=", ".join(others))

    def _row(self, observer, peer):
        """What the observer's status tells of the peer; empty where it tells nothing."""
        status = self.fleet.ask([observer], "status").get(observer, {"peers": []})
        return next((one for one in status["peers"] if one["name"] == peer), {})

    def _expect_path(self, command, names):
        observer, peer, wanted = names
        path = self._row(observer, peer).get("path") or "none"
        self._judge(command, ("relay" if path.startswith("via ") else path) == wanted, note=path)

    def _expect_tunnel(self, command, words):
        observer, peer, _, wanted = words
        row = self._row(observer, peer)
        neighbour = row.get("carrier_via") or "nobody"
        self._judge(command, row.get("state") == "up" and neighbour == wanted, note=neighbour)

    def _expect_quiet(self, command, words):
        before = self.witness.roster_changes()
        self.fleet.pump_until(time.monotonic() + seconds(words[0]))
        changes = self.witness.roster_changes() - before
        self._judge(command, changes == 0, note=f"{changes} changes" if changes else "")

    def _expect_ghosts(self, command, words):
        names = [node.name for node in self.fleet.running()]
        found = 0
        for status in self.fleet.ask(names, "status").values():
            found += sum(count for name, count in status["mesh"]["counters"].items() if name.startswith("ghost"))
        self._judge(command, int(words[0]) <= found, note=f"{found} dropped")

    def _expect_consistent(self, command, words):
        # Statuses of several nodes are not of one instant: what is still so after a while counts.
        for _ in range(4):
            complaints = self._inconsistencies()
            if not complaints:
                break
            self.fleet.pump_until(time.monotonic() + 0.25)
        self._judge(command, not complaints, note="; ".join(complaints[:3]))

    def _inconsistencies(self):
        running = [node.name for node in self.fleet.running() if not node.is_stopped]
        statuses = self.fleet.ask(running, "status")
        complaints = [f"{name} does not answer" for name in running if name not in statuses]
        views = {name: {peer["name"]: peer for peer in status["peers"]} for name, status in statuses.items()}
        for a in statuses:
            for b in statuses:
                view, back = views[a].get(b), views[b].get(a)
                if a == b or not view or view["state"] not in _LIVING:
                    continue
                if not back or back["state"] not in _LIVING:
                    complaints.append(f"{a} has a link to {b}, {b} has none")
                elif view["leader"] == back["leader"]:
                    complaints.append(f"{a} and {b} agree not who leads")
                elif view.get("link") is None or view["link"] != back.get("link"):
                    complaints.append(f"{a} has the link {view.get('link')} to {b}, {b} has {back.get('link')}")
                if view.get("instance") != statuses[b]["node"]["instance"]:
                    complaints.append(f"{a} holds an old instance of {b}")
        return complaints

    def _expect_gap(self, command, names):
        self.hearing.ask(command, *names)
