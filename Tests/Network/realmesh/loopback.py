"""Nodes of one mesh on ports of 127.0.0.1."""

import os
import shutil

from . import program
from .fleet import Fleet
from .node import free_ports


class Loopback(Fleet):
    """The nodes; as a context it ends them, and keeps the folder until `remove`."""

    def __init__(self, names, priority=(), folder=None):
        super().__init__(names, lambda _: list(priority), program.partyline(), folder)
        self._ports = dict(zip(names, free_ports(len(names))))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for node in self.nodes.values():
            node.leave()

    def remove(self):
        """Removes the folder."""
        shutil.rmtree(self.folder)

    def start(self, name, *options, peer=None):
        """Starts a node, which is told the address of another one."""
        known = ["--peer", f"127.0.0.1:{self._ports[peer]}"] if peer else []
        self.nodes[name].start(
            ["--mesh", os.path.basename(self.folder), "--discovery", "none"]
            + ["--listen", f"127.0.0.1:{self._ports[name]}", "--log-level", "error", *known, *options])  # fmt: skip
        return self.nodes[name]
