"""What is seen of the victim while it is attacked: its answers, its memory, and a client of its events."""

import json
import os
import re
import socket
import subprocess
import threading
import time

_PAUSE_S, _PAUSE_MAX_S = 0.02, 0.3
# After an answer the witness waits this many times as long as the answer took. The status of 63 peers takes tens of
# milliseconds of a processor, and the questions must burden the victim less than the attack does.
_PAUSE_RATIO = 4
_REPLY_LIMIT_S = 60
_HEARD_DBFS = -60


def resident_mb(pid):
    """Resident memory of a process, in MB; 0 where it has ended."""
    try:
        with open(f"/proc/{pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE") / 1e6
    except (OSError, IndexError):
        return 0.0


def ask_status(path, limit=_REPLY_LIMIT_S):
    """The document of `partyline status --json`; None where nobody answers."""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(limit)
            connection.connect(path)
            return _ask(connection)
    except (OSError, ValueError):
        return None


def _ask(connection):
    connection.sendall(b'{"jsonrpc":"2.0","id":1,"method":"status"}\n')
    answer = b""
    while not answer.endswith(b"\n"):
        piece = connection.recv(1 << 16)
        if not piece:
            raise OSError("closed")
        answer += piece
    return json.loads(answer).get("result")


def voice_sent(talker, listener):
    """How a node sends its voice to another, and why, in words."""
    for peer in (ask_status(talker.socket_path, limit=2) or {"peers": []})["peers"]:
        if peer["name"] == listener and "voice_out" in peer:
            return peer["voice_out"]["why"]
    return "unknown"


class Witness:
    """Asks the victim again and again, and looks at the memory of who is attacked, until it is told to stop.

    Voice that was made up counts only where no processor of the machine stood still.
    """

    # Control characters but for tab and line feed, and what turns or hides text.
    UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|[\u0300-\u036f]{3}")
    _TEXT_BYTES_MAX = 96
    _HONEST = {"friend", "known", "during", "after"}

    def __init__(self, node, friend, stalled, attacked):
        self._node = node
        self._attacked = attacked
        self._stalled = stalled
        self._friend = friend
        self._is_over = False
        self._asked_at = None
        self._friend_before = None
        self._concealments = []  # (begin, end, ms)
        self._looked_at = time.monotonic()
        self.longest_wait_s = 0.0
        self.most_mb = 0.0
        self.concealed_ms = None  # known at the end
        self.friend_losses = 0
        self.friend_loss_pct = 0.0
        self.friend_delays_ms = []
        self.answers = 0
        self.hostile_heard = 0
        self.not_listened = 0
        self.hostile_links = 0
        self.texts_shown = 0
        self.unsafe_texts = 0
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._question, self._watch)]
        for thread in self._threads:
            thread.start()

    def _watch(self):
        while not self._is_over:
            self.most_mb = max(self.most_mb, resident_mb(self._attacked.process.pid))
            time.sleep(_PAUSE_S)

    def _question(self):
        while not self._is_over:
            try:
                with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
                    connection.settimeout(_REPLY_LIMIT_S)
                    self._asked_at = self._asked_at or time.monotonic()
                    connection.connect(self._node.socket_path)
                    self._converse(connection)
            except (OSError, ValueError):
                time.sleep(_PAUSE_S)

    def _converse(self, connection):
        while not self._is_over:
            self._asked_at = self._asked_at or time.monotonic()
            status = _ask(connection)
            waited_s = time.monotonic() - self._asked_at
            self.longest_wait_s = max(self.longest_wait_s, waited_s)
            self._asked_at = None
            self._note(status)
            time.sleep(min(max(_PAUSE_S, _PAUSE_RATIO * waited_s), _PAUSE_MAX_S))

    def _note(self, status):
        self.answers += 1
        self.not_listened = status["mesh"]["counters"].get("voice_not_listened", 0)
        is_heard, links = False, 0
        concealed = None
        for peer in status["peers"]:
            self._note_texts(peer)
            if peer["name"] == self._friend and peer["state"] in ("up", "verifying"):
                voice = peer.get("voice_in", {})
                concealed = voice.get("concealed_ms", 0.0)
                self.friend_loss_pct = max(self.friend_loss_pct, voice.get("loss_pct", 0.0))
                if "delay_ms" in voice:
                    self.friend_delays_ms.append(voice["delay_ms"])
            if peer["name"] not in self._HONEST:
                is_heard = is_heard or _HEARD_DBFS < (peer.get("level_dbfs") or -100)
                links += peer["state"] in ("up", "verifying")
        self.hostile_heard += is_heard
        self.hostile_links = max(self.hostile_links, links)
        before, begin = self._friend_before, self._looked_at
        self._looked_at = time.monotonic()
        if concealed is None:
            self.friend_losses += before is not None
        elif before is not None:
            # A link that came back counts from zero.
            growth = concealed - before if before <= concealed else concealed
            if growth:
                self._concealments.append((begin, self._looked_at, growth))
        self._friend_before = concealed

    def _note_texts(self, peer):
        profile = peer.get("profile") or {}
        # The honest nodes have no role.
        self.texts_shown += bool(profile.get("role"))
        for text in (peer["name"], profile.get("nick") or "", profile.get("role") or ""):
            is_long = self._TEXT_BYTES_MAX < len(text.encode())
            self.unsafe_texts += is_long or bool(self.UNSAFE.search(text))

    def stop(self):
        """The last question may stay without an answer: it counts as far as it has waited."""
        self._is_over = True
        asked = self._asked_at
        if asked:
            self.longest_wait_s = max(self.longest_wait_s, time.monotonic() - asked)
        for thread in self._threads:
            thread.join(0.5)
        self.concealed_ms = sum(growth for _, _, growth in self._stalled.undisturbed(self._concealments))


class EventClient:
    """`partyline events --json`, as a panel would run it."""

    def __init__(self, partyline, node):
        self._began = time.monotonic()
        self.gone_after_s = None
        self.process = subprocess.Popen(
            [partyline, "events", "--json", "--control", node.socket_path],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip

    def attack_begins(self):
        """From now on the time is counted."""
        self._began = time.monotonic()

    def look(self):
        """Notes when it has ended."""
        if self.gone_after_s is None and self.process.poll() is not None:
            self.gone_after_s = time.monotonic() - self._began

    def stop(self):
        """Ends it."""
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait()
