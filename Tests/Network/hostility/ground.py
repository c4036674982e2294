"""Where the nodes of a case live: ports of the loopback, or hosts of their own on a bridge."""

import signal

from realmesh import hosts
from realmesh.node import free_ports

_NODE_PORT = 7400


class Loopback:
    """Everybody on 127.0.0.1, each found by the address it is given."""

    uses_beacons = False

    def __init__(self, names):
        self._ports = dict(zip(names, free_ports(len(names))))

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
