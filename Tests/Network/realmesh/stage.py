"""Nodes on hosts of their own, which are judged."""

import os
import shutil
import subprocess
import time

from . import hosts
from .fleet import Fleet
from .verdicts import Verdicts


class Stage(Verdicts):
    """The hosts, their nodes, and what was missed. `priority` begins the command line of each node."""

    def __init__(self, names, partyline, is_shown=False, priority=(), has_faults=True):
        super().__init__()
        self.names, self.partyline, self.is_shown = names, partyline, is_shown
        self.hosts = hosts.Hosts(names, dict.fromkeys(names, 0), has_faults)
        self.fleet = Fleet(names, lambda name: [*self.hosts.inside(name), *priority], partyline)
        self.folder, self.nodes = self.fleet.folder, self.fleet.nodes

    def close(self, keep=None):
        """Ends the nodes, and removes the hosts; logs and recordings are kept in a new folder, if one is named."""
        for node in self.nodes.values():
            node.kill()
        if keep:
            shutil.copytree(self.folder, keep, ignore=shutil.ignore_patterns("*.sock"), dirs_exist_ok=True)
        self.fleet.close(keep=False)
        self.hosts.close()

    def launch(self, name, tone=None):
        """Starts a node that talks with a tone, or records."""
        node = self.nodes[name]
        devices = ["--input", f"tone:{tone}" if tone else "null"]
        devices += ["--output", "null" if tone else f"file:{node.recording()}"]
        node.start(["--mesh", self.hosts.tag, "--discovery", "beacon", "--talk", "latch", *devices])

    def wait(self, length):
        """Lets time pass."""
        self.fleet.pump_until(time.monotonic() + length)

    def need(self, what, condition, within):
        """Waits for a condition, and says how long it took."""
        start = time.monotonic()
        is_met = self.fleet.pump_until(start + within, condition)
        took = time.monotonic() - start
        self.show(is_met, what, f"{took:.1f} s" if is_met else f"not within {within} s{self._why()}")
        return is_met

    def _why(self):
        return "; links " + ", ".join(f"{name}: {' '.join(sorted(node.links))}" for name, node in self.nodes.items())

    def ask(self, node, method, **params):
        """The answer of one node; the script ends if the node refuses, or does not answer."""
        answers = self.fleet.ask([node], method, limit=5, **params)
        if node not in answers:
            raise SystemExit(f"{node} does not answer {method} {params}")
        return answers[node]

    def begin(self, name, *words):
        """Begins a command at a host."""
        argv = [*self.hosts.inside(name), self.partyline, *words, "--control", self.nodes[name].socket_path]
        return subprocess.Popen(
            argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env=dict(os.environ, XDG_CONFIG_HOME=self.folder))  # fmt: skip

    def answer(self, name, *words, typed=None, begun=None, within=60):
        """What a command prints at a host that gets this text; with the exit code."""
        process = begun or self.begin(name, *words)
        text = process.communicate(typed, timeout=within)[0]
        if self.is_shown:
            print("".join(f"          {line}\n" for line in [f"{name}: {' '.join(words)}", *text.splitlines()]), end="")
        return text, process.returncode

    def channels(self, name):
        """What a node shows of each channel, by name."""
        return {one["name"]: one for one in self.ask(name, "channels")["channels"]}

    def are_on(self, channel, members, names=None):
        """Whether all nodes, or these, show exactly these members on a channel, without themselves."""
        shown = {name: self.channels(name).get(channel, {"members": []})["members"] for name in names or self.names}
        return all(sorted(shown[name]) == [one for one in members if one != name] for name in shown)

    def is_clique(self, names, beside=()):
        """Whether each of these nodes is linked with the others of them and those beside, and with no other."""
        present = sorted([*names, *beside])
        return all(sorted(self.nodes[name].links) == [one for one in present if one != name] for name in names)
