"""Ours and Serf's nodes behind one interface, for comparison: start, crash, come back, cost."""

import json
import os
import re
import selectors
import statistics
import subprocess
import time

from .fleet import Fleet
from .hosts import Hosts

_PAGE_MIB = os.sysconf("SC_PAGE_SIZE") / 2**20
# Threads that capture and play; the rest is the mesh.
_AUDIO_THREAD = re.compile("audio ")
_FIRST_VERDICT_S = 20
_SERF_EVENT = re.compile(rb"EventMember(Join|Failed|Leave|Reap): n(\d+)")


def serf_version():
    """Of the package, since Debian's program does not know its own."""
    query = ["dpkg-query", "--show", "--showformat=${Version}", "serf"]
    return subprocess.run(query, capture_output=True, text=True).stdout or "of an unknown version"


def cell(value):
    """A figure, or the median and the worst of several."""
    if value is None or value == []:
        return "–"
    if isinstance(value, list):
        if None in value:
            return f"never in {value.count(None)} of {len(value)}"
        return f"{statistics.median(value):.2f} ({max(value):.2f})"
    return f"{value:.0f}" if isinstance(value, int) or value >= 100 else f"{value:.2f}"


def _cpu(pid):
    """(CPU seconds of a process, of its audio threads)."""
    total = audio = 0
    for thread in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{thread}/schedstat") as file:
                spent = int(file.read().split()[0]) / 1e9
            with open(f"/proc/{pid}/task/{thread}/comm") as file:
                is_audio = _AUDIO_THREAD.search(file.read())
        except OSError:
            continue
        total += spent
        audio += spent if is_audio else 0
    return total, audio


class Crew:
    """Nodes 0 to count-1, each on a host; what they say of each other, as it arrives."""

    verdicts = {}  # name in the table -> kind of event

    def __init__(self, count):
        self.count = count
        self.hosts = Hosts([str(number) for number in range(count)], dict.fromkeys(map(str, range(count)), 0))
        self.alive = [set() for _ in range(count)]  # by observer
        self.up = set()
        self.events = []  # (time, observer, kind, whom)
        self.crashed = set()
        self.false_verdicts = dict.fromkeys(self.verdicts, 0)  # about the living, by name in the table

    def note(self, at, observer, kind, whom):
        """An event; `kind` is `up` or a verdict."""
        self.events.append((at, observer, kind, whom))
        if kind == "up":
            self.alive[observer].add(whom)
            return
        for name in (name for name, verdict in self.verdicts.items() if verdict == kind):
            self.alive[observer].discard(whom)
            if whom not in self.crashed and observer in self.up:
                self.false_verdicts[name] += 1

    def pump(self, seconds):
        """Listens for a while."""
        self.pump_until(time.monotonic() + seconds, lambda: False)

    def _is_whole(self):
        return all(self.alive[one] >= self.up - {one} for one in self.up)

    def start_all(self, limit):
        """The first alone, a second later all others: seconds from then until all see all, or None."""
        self.start(0)
        self.pump(1)
        began = time.monotonic()
        for number in range(1, self.count):
            self.start(number)
        whole = self.pump_until(began + limit, self._is_whole)
        return time.monotonic() - began if whole else None

    def crash(self, victim):
        """Power loss."""
        self.crashed.add(victim)
        self.mark, self.crashed_at = len(self.events), time.monotonic()
        self.hosts.power_off(str(victim))
        self.kill(victim)
        self.up.discard(victim)
        self.alive[victim] = set()

    def noticed(self, victim, limit):
        """By verdict, the delay of each observer; ends when all have given the last verdict.

        Verdicts that nobody gives within a while are not waited for.
        """
        last = list(self.verdicts.values())[-1]

        def delays(kind):
            of_victim = [event for event in self.events[self.mark :] if event[2:] == (kind, victim)]
            return [event[0] - self.crashed_at for event in of_victim if event[1] in self.up]

        self.pump_until(time.monotonic() + _FIRST_VERDICT_S, lambda: delays(last))
        if delays(last):
            self.pump_until(time.monotonic() + limit, lambda: len(delays(last)) >= len(self.up))
        found = {name: delays(kind) for name, kind in self.verdicts.items()}
        return {name: times for name, times in found.items() if len(times) >= len(self.up)}

    def bring_back(self, victim, limit):
        """Seconds from its start until everyone has it and it has everyone."""
        self.hosts.reboot(str(victim))
        for seen in self.alive:
            seen.discard(victim)
        began = time.monotonic()
        self.start(victim)
        whole = self.pump_until(began + limit, self._is_whole)
        self.crashed.discard(victim)
        return time.monotonic() - began if whole else None

    def _counters(self):
        argv = ["ip", "-n", self.hosts.hub, "-s", "-j", "link"]
        links = json.loads(subprocess.run(argv, capture_output=True, text=True, check=True).stdout)
        ports = [link["stats64"]["rx"] for link in links if link["ifname"].startswith("port")]
        return sum(port["bytes"] for port in ports), sum(port["packets"] for port in ports)

    def cost(self):
        """What has been spent so far."""
        cpu = [_cpu(pid) for pid in self.pids()]
        return time.monotonic(), self._counters(), sum(one for one, _ in cpu), sum(audio for _, audio in cpu)

    def cost_since(self, before):
        """Per node and second since `before`."""
        now = self.cost()
        share = 1 / (now[0] - before[0]) / self.count
        resident = []
        for pid in self.pids():
            with open(f"/proc/{pid}/statm") as file:
                resident.append(int(file.read().split()[1]) * _PAGE_MIB)
        cpu, audio = (now[2] - before[2]) * share * 100, (now[3] - before[3]) * share * 100
        row = {"bytes": (now[1][0] - before[1][0]) * share, "packets": (now[1][1] - before[1][1]) * share}
        return row | {"cpu": cpu, "cpu without sound": cpu - audio, "rss": statistics.median(resident)}


class OurCrew(Crew):
    """partyline."""

    verdicts = {"link down": "peer_down", "dead": "peer_dead"}

    def __init__(self, count, partyline):
        super().__init__(count)
        self.fleet = Fleet([str(number) for number in range(count)], self.hosts.inside, partyline)
        self.pump_until = self.fleet.pump_until
        for node in self.fleet.nodes.values():
            node.on_event = self._take

    def _take(self, node, event, at):
        kind = "up" if event["kind"] == "peer_up" else event["kind"]
        if kind == "up" or kind in self.verdicts.values():
            self.note(at, int(node.name), kind, int(event["name"]))

    def start(self, number):
        """A node; the first one's address is what the others are told."""
        self.up.add(number)
        options = ["--mesh", self.hosts.tag, "--discovery", "none", "--input", "null", "--output", "null"]
        if number:
            options += ["--peer", f"{self.hosts.address('0')}:7400"]
        self.fleet.nodes[str(number)].start(options)

    def kill(self, number):
        """SIGKILL."""
        self.fleet.nodes[str(number)].kill()

    def pids(self):
        """Of those that run."""
        return [node.process.pid for node in self.fleet.running()]

    def close(self):
        """Ends and removes everything."""
        self.fleet.close(keep=False)
        self.hosts.close()


class SerfCrew(Crew):
    """Serf agents; their own log lines are the events."""

    verdicts = {"dead": "failed"}

    def __init__(self, count, _):
        super().__init__(count)
        self._agents, self._rests = {}, {}
        self._selector = selectors.DefaultSelector()

    def start(self, number):
        """An agent that joins the first one."""
        self.up.add(number)
        address = self.hosts.address(str(number))
        argv = self.hosts.inside(str(number)) + ["serf", "agent", f"-node=n{number}", f"-bind={address}:7946"]
        argv += ["-rpc-addr=127.0.0.1:7373", "-profile=lan", "-log-level=INFO"]
        if number:
            argv.append(f"-join={self.hosts.address('0')}:7946")
        environment = dict(os.environ, GOMAXPROCS="1")
        agent = subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment,
            start_new_session=True,
        )  # fmt: skip
        os.set_blocking(agent.stdout.fileno(), False)
        self._agents[number], self._rests[number] = agent, b""
        self._selector.register(agent.stdout, selectors.EVENT_READ, number)

    def kill(self, number):
        """SIGKILL."""
        agent = self._agents.pop(number)
        self._selector.unregister(agent.stdout)
        agent.kill()
        agent.wait()
        agent.stdout.close()

    def pids(self):
        """Of those that run."""
        return [agent.pid for agent in self._agents.values()]

    def pump_until(self, end, is_done):
        """Reads the logs until `is_done` or `end`; says whether it was done."""
        while not is_done():
            now = time.monotonic()
            if end <= now:
                return False
            for key, _ in self._selector.select(min(0.02, end - now)):
                self._read(key.data, key.fileobj)
        return True

    def _read(self, number, stream):
        data = stream.read(1 << 16)
        if not data:
            raise RuntimeError(f"serf agent n{number} ended by itself")
        *lines, self._rests[number] = (self._rests[number] + data).split(b"\n")
        for line in lines:
            match = _SERF_EVENT.search(line)
            if match:
                kind = {b"Join": "up", b"Failed": "failed"}.get(match[1], "left")
                self.note(time.monotonic(), number, kind, int(match[2]))

    def close(self):
        """Ends and removes everything."""
        for number in list(self._agents):
            self.kill(number)
        self.hosts.close()
