"""One case from the first node's start to the last one's end."""

import contextlib
import os
import re
import select
import shutil
import statistics
import subprocess
import tempfile
import threading
import time

from realmesh.node import Node

from . import guesses
from .carriers import Traffic
from .figures import Figure
from .ground import Bridge, Loopback
from .witness import EventClient, Witness, ask_status, resident_mb, voice_sent

GROWTH_MB = 20 * 1.048576  # 20 MiB
WAIT_S = 0.5
CONCEALED_MS = 10.0
LOSS_PCT = 0.0
DELAYED_MS = 2.0
CARRIER_KB = 4.0
NEWCOMER_S = 3.0
RESTART_S = 2.0  # of a peer that the victim knows, with the start of its process
_LINK_LIMIT_S = 15
_NEWCOMER_LIMIT_S = 40
_CALM_S = 8
_ROUTED_S = 8
# On a network an attacker has a machine of its own: here it has what the nodes leave.
_ATTACKER = ["nice", "-n", "10"]
_CODE = "kite oven lamp river"
# In a sentence of `doctor` that says that the other is refused for where it is, not only that nobody is linked.
_REASON = re.compile(r"rout|off[- ]link|own (link|network)|same (link|network)|not (on|near)|refus|too far", re.I)


class Trouble(Exception):
    """The case could not be played."""


class Play:
    """The nodes of one case."""

    def __init__(self, case, partyline, attacker, seconds, stalled, is_real_time, verbose):
        self._case = case
        self._stalled = stalled
        self._is_real_time = is_real_time
        self._partyline = partyline
        self._attacker = attacker
        self._seconds = case.seconds or seconds
        self._verbose = verbose
        self._folder = tempfile.mkdtemp(prefix="partyline-hostile-")
        self._nodes = []
        self._known = None
        self._attack = None
        self._ground = None
        self._members_linked = None
        self._shown = ""

    def run(self):
        """The figures."""
        try:
            if self._case.ground == "routed":
                return self._play_routed()
            return self._play_attack()
        finally:
            self._close()

    # MARK: Nodes

    def _mesh(self):
        return f"hostile-{os.getpid()}"

    def _start(self, name, seeds, voice=None):
        host = self._ground.inside(name) + (["chrt", "-f", "20"] if self._is_real_time else [])
        node = Node(name, host, self._folder, self._partyline)
        self._nodes.append(node)
        node.start(self._options(node, seeds, voice))
        return node

    def _options(self, node, seeds, voice=None):
        """Of `partyline run`."""
        sound = ["--input", voice or "null", "--output", "null"] + (["--talk", "open"] if voice else [])
        own = [*self._way_into_mesh(node), *self._case.options]
        return own + sound + self._ground.options(node.name, seeds)

    def _way_into_mesh(self, node):
        """Of `partyline run`. A closed mesh is made at the victim first; the others enter it as they start."""
        if not self._case.is_closed:
            return ["--mesh", self._mesh()]
        file = os.path.join(self._folder, "code")
        if node.name != "victim":
            return ["--code-file", file]
        with open(file, "w", encoding="ascii", opener=lambda path, flags: os.open(path, flags, 0o600)) as written:
            written.write(_CODE + "\n")
        state = ["--state-dir", os.path.join(self._folder, node.name), "--control", node.socket_path]
        init = ["init", "--mesh", self._mesh(), "--nick", node.name, "--code-file", file, *state]
        done = subprocess.run(
            node.host + [self._partyline, *init], stdin=subprocess.DEVNULL, capture_output=True, text=True,
            env=dict(os.environ, XDG_CONFIG_HOME=self._folder), timeout=20, check=False,
        )  # fmt: skip
        if done.returncode:
            raise Trouble(f"no closed mesh was made: {done.stderr.strip()}")
        return []

    def _linked(self, node, peer):
        status = ask_status(node.socket_path, limit=2)
        peers = status["peers"] if status else []
        return any(one["name"] == peer and one["state"] in ("up", "verifying") for one in peers)

    def _await_link(self, node, peer, limit):
        """Seconds until it is linked; None where it is not within the limit."""
        begin = time.monotonic()
        while time.monotonic() - begin < limit:
            if self._linked(node, peer):
                return time.monotonic() - begin
            if node.process.poll() is not None:
                raise Trouble(f"{node.name} has ended by itself")
            time.sleep(0.02)
        return None

    def _newcomer(self, name, into):
        """Starts an honest node and notes when it is linked, on a thread of its own."""
        return self._time_link(self._start(name, ["victim"]), into)

    def _restart_known(self, into):
        """Kills the peer that the victim knows and starts it again, and notes when it is linked, as for a newcomer."""
        self._known.kill()
        self._known.start(self._options(self._known, ["victim"]))
        return self._time_link(self._known, into)

    def _time_link(self, node, into):
        def wait():
            with contextlib.suppress(Trouble, AttributeError):
                into[node.name] = self._await_link(node, "victim", _NEWCOMER_LIMIT_S)

        thread = threading.Thread(target=wait, daemon=True)
        thread.start()
        return thread

    # MARK: Attack

    def _play_attack(self):
        names = ["victim", "friend", "during", "after", "attacker"] + ["known"] * self._case.restarts
        is_bridge = self._case.ground == "bridge"
        self._ground = Bridge(names, uses_beacons=True) if is_bridge else Loopback(names)
        victim = self._start("victim", [])
        friend = self._start("friend", ["victim"], voice="tone:440")
        if self._await_link(friend, "victim", _LINK_LIMIT_S) is None:
            raise Trouble("victim and friend were not linked within 15 s")
        if self._case.restarts:
            self._known = self._start("known", ["victim"])
            if self._await_link(self._known, "victim", _LINK_LIMIT_S) is None:
                raise Trouble("the victim was not linked with the peer that is to restart within 15 s")
        target = victim if self._case.target == "victim" else friend
        client = EventClient(self._partyline, victim)
        calm = Witness(victim, "friend", self._stalled, target)
        time.sleep(_CALM_S)
        calm.stop()
        before = resident_mb(target.process.pid)
        sent = [voice_sent(friend, "victim")]
        witness = Witness(victim, "friend", self._stalled, target)
        traffic = Traffic(*(self._process(node) for node in (victim, friend)))
        took = {}
        try:
            said = self._attack_and_meet(client, took, lambda: sent.append(voice_sent(friend, "victim")))
            traffic.stop()
            witness.stop()
        finally:
            witness.stop()
            client.stop()
        if self._verbose:
            print(f"  {said}; {witness.answers} answers, {witness.hostile_links} hostile links", flush=True)
        figures = self._figures(calm, witness, witness.most_mb - before, traffic, client, took)
        if "guesses" in self._case.name:
            figures += guesses.figures(self._case.name, said, witness.hostile_links)
        return figures + self._effects(witness, sent)

    def _process(self, node):
        return self._ground.inside(node.name), node.process.pid

    def _attack_and_meet(self, client, took, look):
        """Plays the attack; meanwhile one newcomer and the restart, right after it another newcomer. Calls `look` as it
        ends.
        """
        said = self._begin_attack()
        begin = time.monotonic()
        client.attack_begins()
        newcomers = []
        while time.monotonic() - begin < self._seconds or self._is_attacking():
            if not newcomers and self._seconds / 5 <= time.monotonic() - begin:
                newcomers.append(self._newcomer("during", took))
                if self._known:
                    newcomers.append(self._restart_known(took))
            client.look()
            time.sleep(0.05)
            if self._seconds * 3 + 10 < time.monotonic() - begin:
                raise Trouble("the attack did not end")
        look()
        said += self._rest_of_attack()
        self._shown = self._said_to_people()
        newcomers.append(self._newcomer("after", took))
        time.sleep(0.5)
        client.look()
        self._wait_for(newcomers)
        return said

    def _wait_for(self, newcomers):
        for thread in newcomers:
            thread.join(_NEWCOMER_LIMIT_S + 1)

    def _begin_attack(self):
        if self._case.attack is None:
            return "no attack"
        words = [*self._case.attack, "--victim", self._ground.address(self._case.target), "--mesh", self._mesh()]
        words += ["--seconds", str(self._seconds)]
        self._attack = subprocess.Popen(
            self._ground.inside("attacker") + _ATTACKER + [self._attacker] + words,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip
        said = ""
        while "attack\n" not in said:
            if not select.select([self._attack.stdout], [], [], _LINK_LIMIT_S)[0]:
                raise Trouble("the attacker did not begin")
            piece = os.read(self._attack.stdout.fileno(), 4096).decode()
            if not piece:
                raise Trouble("the attacker ended before it began")
            said += piece
        match = re.search(r"linked (\d+)", said)
        self._members_linked = int(match[1]) if match else None
        if self._members_linked == 0 and "leaving" not in self._case.name:
            raise Trouble("no hostile member was linked")
        return " ".join(said.split())

    def _is_attacking(self):
        return self._attack is not None and self._attack.poll() is None

    def _rest_of_attack(self):
        if self._attack is None:
            return ""
        return " " + " ".join(self._attack.stdout.read().decode().split())

    # MARK: Figures

    def _figures(self, calm, witness, growth, traffic, client, took):
        def figure(name, value, unit, bound):
            is_judged = self._case.is_judged and name not in self._case.reported
            return Figure(self._case.name, name, value, unit, bound if is_judged else None)

        gone = client.gone_after_s
        before_ms, during_ms = calm.friend_delays_ms, witness.friend_delays_ms
        delayed = statistics.median(during_ms) - statistics.median(before_ms) if before_ms and during_ms else None
        figures = [
            figure(f"growth of the {self._case.target}", growth, "MB", GROWTH_MB),
            figure("longest without an answer", witness.longest_wait_s, "s", WAIT_S),
            figure("friend's voice lost", witness.friend_loss_pct, "%", LOSS_PCT),
            figure("friend's voice concealed", witness.concealed_ms, "ms", CONCEALED_MS),
            figure("friend's voice delayed by", delayed, "ms", DELAYED_MS),
            figure("carriers with the friend", traffic.kb_per_s, "kB/s", CARRIER_KB),
            figure("links with the friend lost", witness.friend_losses, "", 0),
            figure("event client", "stays" if gone is None else f"gone after {gone:.1f} s", "", "stays"),
            figure("newcomer during it", took.get("during"), "s", NEWCOMER_S),
            figure("newcomer after it", took.get("after"), "s", NEWCOMER_S),
        ]
        if self._known:
            figures.append(figure("known peer that restarts", took.get("known"), "s", RESTART_S))
        if "wrong-channel" in self._case.name:
            share = witness.hostile_heard / max(1, witness.answers)
            figures.append(figure("heard, of all looks", 100 * share, "%", 0.0))
            figures.append(figure("datagrams counted", "yes" if 0 < witness.not_listened else "no", "", "yes"))
        return figures

    def _effects(self, witness, sent):
        """What else there is to see: of members, of text, and of what the friend sends."""
        name = self._case.name
        figures = []
        if self._members_linked is not None:
            figures.append(Figure(name, "hostile members linked", self._members_linked))
        if self._case.target == "friend":
            words = zip(("before", "at the end of"), sent)
            figures += [Figure(name, f"friend's packets {when} it", text) for when, text in words]
        if name == "names":
            bad = witness.unsafe_texts + len(witness.UNSAFE.findall(self._shown))
            figures.append(Figure(name, "text that is not safe", bad, "", 0))
            figures.append(Figure(name, "text of members shown", bool(witness.texts_shown), "", True))
        return figures

    def _said_to_people(self):
        """What the victim's person may read of others, in the case that is about it."""
        if self._case.name != "names":
            return ""
        victim = self._nodes[0]
        return "".join(
            subprocess.run(
                self._ground.inside("victim") + [self._partyline, *verb, "--control", victim.socket_path],
                stdin=subprocess.DEVNULL, capture_output=True, timeout=20, check=False,
            ).stdout.decode(errors="replace")
            for verb in (["status"], ["peers"], ["channels"], ["calls"], ["discover"])
        )  # fmt: skip

    # MARK: Routed stranger

    def _play_routed(self):
        self._ground = Bridge(["victim", "friend", "stranger"], far={"stranger"})
        self._start("victim", ["stranger"] if self._case.is_named else [])
        friend = self._start("friend", ["victim"], voice="tone:440")
        if self._await_link(friend, "victim", _LINK_LIMIT_S) is None:
            raise Trouble("victim and friend were not linked within 15 s")
        stranger = self._start("stranger", ["victim"])
        took = self._await_link(stranger, "victim", _ROUTED_S)
        if self._case.is_named:
            return [Figure(self._case.name, "a named host one routed hop away", took, "s", NEWCOMER_S)]
        doctor = subprocess.run(
            self._ground.inside("stranger") + [self._partyline, "doctor", "--control", stranger.socket_path],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=20, check=False,
        ).stdout  # fmt: skip
        reasons = [line.strip() for line in doctor.splitlines() if _REASON.search(line)]
        if self._verbose:
            print("  " + ("\n  ".join(reasons) or doctor.replace("\n", "\n  ")), flush=True)
        linked = "not linked" if took is None else f"after {took:.2f} s"
        return [
            Figure(self._case.name, "a host one routed hop away", linked, "", "not linked"),
            Figure(self._case.name, "its doctor says why", bool(reasons), "", True),
        ]

    def _close(self):
        if self._is_attacking():
            self._attack.kill()
            self._attack.wait()
        for node in reversed(self._nodes):
            with contextlib.suppress(OSError):
                node.leave()
        if self._ground:
            self._ground.close()
        shutil.rmtree(self._folder, ignore_errors=True)
