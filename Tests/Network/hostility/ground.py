"""Where the nodes of a case live: ports of the loopback, or hosts of their own on a bridge."""

import os
import signal
import socket
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

from realmesh import hosts  # noqa: E402

_NODE_PORT = 7400


class Loopback:
    """Everybody on 127.0.0.1, each found by the address it is given."""

    uses_beacons = False

    def __init__(self, names):
        servers = [socket.create_server(("127.0.0.1", 0)) for _ in names]
        self._ports = {name: server.getsockname()[1] for name, server in zip(names, servers)}
        for server in servers:
            server.close()

    def inside(self, _):
        """What comes before a command line to run it there."""
        return []

    def address(self, name):
        """Address and port of a node."""
        return f"127.0.0.1:{self._ports[name]}"

    def options(self, name, seeds):
        """Of `partyline run`."""
        peers = [word for seed in seeds for word in ("--peer", self.address(seed))]
        return ["--listen", self.address(name), "--discovery", "none"] + peers

    def close(self):
        """Nothing was made."""


class Bridge:
    """A network namespace each. `far` ones are behind a router, and have only addresses to go by."""

    def __init__(self, names, far=(), uses_beacons=False):
        self.uses_beacons = uses_beacons
        self._hosts = hosts.Hosts(names, {name: int(name in far) for name in names})
        if far:
            self._hosts.route()

    def inside(self, name):
        """What comes before a command line to run it there."""
        return self._hosts.inside(name)

    def address(self, name):
        """Address and port of a node."""
        return f"{self._hosts.address(name)}:{_NODE_PORT}"

    def options(self, name, seeds):
        """Of `partyline run`."""
        if self.uses_beacons:
            return ["--discovery", "beacon"]
        return ["--discovery", "none"] + [word for seed in seeds for word in ("--peer", self.address(seed))]

    def close(self):
        """Removes the hosts, without being interrupted."""
        before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
        self._hosts.close()
        signal.signal(signal.SIGTERM, before)
