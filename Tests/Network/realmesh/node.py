"""A real node: the process of `partyline run`, and what it says over its control socket.

The socket carries the documents of `partyline status --json` and `partyline events --json`; it is
read directly, because a process for each question would disturb what is measured.
"""

import json
import os
import signal
import socket
import subprocess
import time

_GRACE_S = 5


def free_ports(count):
    """Ports of 127.0.0.1, all different."""
    servers = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [server.getsockname()[1] for server in servers]
    for server in servers:
        server.close()
    return ports


class Node:
    """One node through all its lives. Times are seconds of CLOCK_MONOTONIC."""

    def __init__(self, name, host, folder, partyline):
        self.name = name
        self.host = host  # argv that runs a command there
        self.folder = folder
        self.partyline = partyline
        self.life = 0
        self.process = None
        self.is_stopped = False
        self.recordings = []
        self.links = {}  # peer -> time of its peer_up
        self.replies = {}
        self.on_event = lambda node, event, at: None
        self._socket = None
        self._bytes = b""
        self._asked = 0
        self._greeting = set()
        self._is_told = False

    @property
    def is_running(self):
        """Whether there is a process."""
        return self.process is not None

    @property
    def socket_path(self):
        """The control socket of this life."""
        return os.path.join(self.folder, f"{self.name}.{self.life}.sock")

    # MARK: Process

    def start(self, options):
        """A new life. `options` are those of `partyline run` beyond what every node gets."""
        if self.process:
            return
        self.life += 1
        own = ["--name", self.name, "--nick", self.name, "--state-dir", os.path.join(self.folder, self.name)]
        own += ["--control", self.socket_path]
        environment = dict(os.environ, XDG_CONFIG_HOME=self.folder)
        with open(os.path.join(self.folder, f"{self.name}.log"), "ab") as log:
            self.process = subprocess.Popen(
                self.host + [self.partyline, "run"] + own + options,
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment, start_new_session=True,
            )  # fmt: skip

    def recording(self):
        """The path for what this node's next life hears."""
        self.recordings.append(os.path.join(self.folder, f"{self.name}.{self.life + 1}.wav"))
        return self.recordings[-1]

    def kill(self):
        """SIGKILL: the kernel ends its connections."""
        self._end(signal.SIGKILL)

    def leave(self):
        """SIGTERM: it says good-bye and ends by itself."""
        self._end(signal.SIGTERM)

    def pause(self):
        """SIGSTOP."""
        os.kill(self.process.pid, signal.SIGSTOP)
        self.is_stopped = True

    def resume(self):
        """SIGCONT."""
        if self.process:
            os.kill(self.process.pid, signal.SIGCONT)
        self.is_stopped = False

    def _end(self, number):
        if not self.process:
            return
        if self.is_stopped:
            self.resume()
        self.process.send_signal(number)
        try:
            self.process.wait(_GRACE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process = None
        self.links = {}
        self._close()

    # MARK: Control socket

    def fileno(self):
        """For selectors; only while connected."""
        return self._socket.fileno()

    @property
    def is_connected(self):
        """Whether the control socket is open."""
        return self._socket is not None

    def connect(self):
        """Tries to reach the node; asks for its events and, once, for the state they start from."""
        if self._socket or not self.process:
            return
        if self.process.poll() is not None:
            raise RuntimeError(f"{self.name} ended by itself with {self.process.returncode}: see {self.name}.log")
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.connect(self.socket_path)
        except OSError:
            connection.close()
            return
        self._socket, self._bytes, self._is_told = connection, b"", False
        self._greeting = {self.ask("events.subscribe"), self.ask("status")}

    def _close(self):
        if self._socket:
            self._socket.close()
        self._socket = None

    def ask(self, method, **params):
        """Sends a request; its reply appears in `replies` under the number returned."""
        self._asked += 1
        call = {"jsonrpc": "2.0", "id": self._asked, "method": method}
        if params:
            call["params"] = params
        self._socket.sendall(json.dumps(call).encode() + b"\n")
        return self._asked

    def reply(self, method, **params):
        """What the node answers; it is asked until it listens, and None if it refuses."""
        while True:
            if not self.is_connected:
                self.connect()
                time.sleep(0.05)
                continue
            number = self.ask(method, **params)
            while self.is_connected and number not in self.replies:
                self.read()
            if number in self.replies:
                return self.replies.pop(number).get("result")

    def concealed_ms(self, talker):
        """How many milliseconds of a peer's voice the node has made up, since their link is up."""
        peers = self.reply("status")["peers"]
        return next(peer["voice_in"]["concealed_ms"] for peer in peers if peer["name"] == talker)

    def read(self):
        """Takes what the node has said."""
        try:
            data = self._socket.recv(1 << 16)
        except OSError:
            data = b""
        if not data:
            return self._close()
        *lines, self._bytes = (self._bytes + data).split(b"\n")
        for line in lines:
            message = json.loads(line)
            if "id" in message:
                self._take_reply(message)
            else:
                event = message["params"]
                self._take_event(event, event["at_unix_s"] - (time.time() - time.monotonic()))

    def _take_reply(self, message):
        if "error" in message and message["id"] in self._greeting:
            # The node is still starting: it is connected to again at the next tick.
            return self._close()
        self.replies[message["id"]] = message
        status = message.get("result")
        if self._is_told or not isinstance(status, dict) or "peers" not in status:
            return
        # Events from before the subscription are made up for once.
        self._is_told = True
        for peer in status["peers"]:
            if peer["state"] in ("up", "verifying") and peer["name"] not in self.links:
                event = {"kind": "peer_up", "name": peer["name"], "details": {}, "text": "up"}
                self._take_event(event, time.monotonic() - peer.get("up_s", 0))

    def _take_event(self, event, at):
        peer = event.get("name")
        if event["kind"] == "peer_up":
            self.links.setdefault(peer, at)
        elif event["kind"] == "peer_down":
            self.links.pop(peer, None)
        self.on_event(self, event, at)
