"""Plays one scenario with real nodes: does to them and to their network what its commands say."""

import time

from .expectations import Expectations
from .fleet import Fleet
from .frames import FrameTap
from .hearing import Hearing
from .hosts import Hosts
from .outcome import Outcome
from .scenario import seconds
from .witness import Witness


class Player:
    """Performs the commands one after the other."""

    def __init__(self, scenario, partyline, show):
        self.scenario = scenario
        self.show = show
        self.outcome = Outcome(scenario)
        self.hosts = Hosts(scenario.nodes, scenario.sites)
        self.fleet = Fleet(scenario.nodes, self.hosts.inside, partyline)
        self.nodes = self.fleet.nodes
        self.witness = Witness(scenario.nodes)
        self.discovery = "beacon"
        self.loss_permille = 0
        self.static_peers = {name: [] for name in scenario.nodes}
        self.taps = {}
        self.hearing = Hearing(scenario, self.outcome)
        self.expectations = Expectations(self.fleet, self.witness, self.hearing, self.outcome, self._say)
        for node in self.nodes.values():
            node.on_event = self._note
        if scenario.has("replay"):
            self.taps = {name: FrameTap(self.hosts, name) for name in scenario.nodes}
            self.fleet.readers = [tap.reader() for tap in self.taps.values()]

    def play(self, keep):
        """The outcome; hosts and nodes are gone afterwards."""
        self.outcome.began = time.monotonic()
        try:
            for command in self.scenario.commands:
                self._say(f"> {command.text}")
                self._perform(command)
            self._finish()
        except (RuntimeError, OSError) as error:
            self.outcome.trouble = str(error)
        finally:
            self.fleet.close(keep)
            self.hosts.close()
        self.outcome.folder = self.fleet.folder if keep else ""
        self.outcome.events = self.witness.events
        self.outcome.false = self.witness.false_accusations
        return self.outcome

    def _finish(self):
        end = time.monotonic()
        for node in self.fleet.running():
            node.leave()
        self.hearing.measure(self.nodes.values(), end)

    def _say(self, text):
        if self.show:
            print(f"{time.monotonic() - self.outcome.began:8.3f}s  {text}", flush=True)

    def _note(self, node, event, at):
        self.witness.note(node, event, at)
        self._say(f"    {node.name}: {event['kind']}: {event['text']}")

    def _differs(self, command, how):
        self.outcome.differences.append(f"{command.text}: {how}")

    # MARK: Commands

    def _perform(self, command):
        do = getattr(self, "_do_" + command.verb.replace("-", "_"), None)
        if do is None:
            raise RuntimeError(f"cannot be done to real nodes: {command.text}")
        do(command)

    def _do_expect(self, command):
        self.expectations.meet(command)

    def _do_nodes(self, command):
        pass

    def _do_discovery(self, command):
        if "directory" in command.words:
            self._differs(command, "by beacon; Tests/Network/discovery.sh is about the directory")
        self.discovery = "none" if command.words == ["none"] else "beacon"

    def _do_site(self, command):
        pass  # The hosts were made on their sites.

    def _do_static_peer(self, command):
        name, peer = command.words
        self.hosts.route()
        self.static_peers[name].append(f"{self.hosts.address(peer)}:7400")

    def _do_network(self, command):
        _, loss, _, delay = command.words
        self.loss_permille = int(loss)
        self.hosts.change(loss_permille=self.loss_permille)
        if int(delay) > 0:
            self._differs(command, "no delay: it needs netem, which many kernels lack")

    def _do_start(self, command):
        for name in command.words:
            self._start(name)

    def _start(self, name):
        node = self.nodes[name]
        if node.is_running:
            return
        if name in self.hosts.dark:
            self.hosts.reboot(name)
        options = ["--mesh", self.hosts.tag, "--discovery", self.discovery, "--talk", "latch", "--channel", "main"]
        for peer in self.static_peers[name]:
            options += ["--peer", peer]
        options += self.hearing.devices(node)
        self.witness.calm(name, "off")
        node.start(options)
        if name in self.hearing.talks:
            self.fleet.do_later(0.5, lambda: self._press(name))

    def _stop(self, name, how):
        self.witness.disturb(name, "off")
        how(self.nodes[name])
        if name in self.taps:
            self.taps[name].life_ends()

    def _do_kill(self, command):
        for name in command.words:
            self._stop(name, lambda node: node.kill())

    def _do_leave(self, command):
        for name in command.words:
            self._stop(name, lambda node: node.leave())

    def _do_vanish(self, command):
        for name in command.words:
            self.hosts.power_off(name)
            self._stop(name, lambda node: node.kill())

    def _do_restart(self, command):
        self._do_kill(command)
        self._do_start(command)

    def _do_pause(self, command):
        self._hold(command.words[0], seconds(command.words[1]), None)

    def _do_suspend(self, command):
        self._differs(command, "stopped without network; its clock runs on")
        self._hold(command.words[0], seconds(command.words[1]), self.hosts)

    def _hold(self, name, length, unplugged):
        def resume():
            if unplugged:
                unplugged.power_on(name)
            self.nodes[name].resume()
            self.witness.calm(name, "paused")

        self.witness.disturb(name, "paused")
        self.nodes[name].pause()
        if unplugged:
            unplugged.power_off(name)
        self.fleet.do_later(length, resume)

    def _do_offline(self, command):
        for name in command.words:
            self.witness.disturb(name, "unplugged")
            self.hosts.offline(name)

    def _do_online(self, command):
        for name in command.words:
            self.hosts.online(name)
            self.witness.calm(name, "unplugged")

    def _do_move(self, command):
        self.hosts.move(command.words[0])

    def _set_cuts(self, cuts):
        self.witness.set_cuts(cuts)
        self.hosts.change(cuts=cuts)

    def _do_cut(self, command):
        words = command.words
        pairs = {(words[0], words[2])} if words[1] == "->" else {tuple(words), tuple(reversed(words))}
        self._set_cuts(self.hosts.cuts | pairs)

    def _do_mend(self, command):
        self._set_cuts(self.hosts.cuts - {(command.words[0], command.words[2])})

    def _do_partition(self, command):
        one = set(command.words)
        other = [name for name in self.nodes if name not in one]
        self._set_cuts(self.hosts.cuts | {pair for a in one for b in other for pair in ((a, b), (b, a))})

    def _do_heal(self, command):
        self.witness.set_cuts(set())
        self.hosts.change(cuts=set(), blocked=set(), loss_permille=self.loss_permille)

    def _do_block_datagrams(self, command):
        a, b = command.words
        self.hosts.change(blocked=self.hosts.blocked | {(a, b), (b, a)})

    def _do_deafen(self, command):
        self.hosts.change(deaf=self.hosts.deaf | {tuple(command.words)})

    def _do_hear(self, command):
        self.hosts.change(deaf=self.hosts.deaf - {tuple(command.words)})

    def _do_replay(self, command):
        of, to = command.words
        if not self.taps[of].replay(to):
            self.outcome.impossible.append(f"{command.text}: nothing of an earlier life was seen")

    def _do_talk(self, command):
        name = command.words[0]
        self.hearing.begin(name)
        self._press(name)

    def _press(self, name):
        self.fleet.ask([name], "talk", action="on")

    def _do_advance(self, command):
        self.fleet.pump_until(time.monotonic() + seconds(command.words[0]))

    def _do_status(self, command):
        name = command.words[0]
        for status in self.fleet.ask([name], "status").values():
            for peer in status["peers"]:
                words = [peer["state"], "leads" if peer["leader"] else "follows", f"path {peer.get('path')}"]
                self._say(f"    {name} -> {peer['name']}, {', '.join(words)}")
