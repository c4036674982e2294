"""Several nodes: reads what they say, and does at its time what was put off."""

import heapq
import selectors
import shutil
import tempfile
import time

from .node import Node

_TICK_S = 0.02


class Fleet:
    """Nodes and one clock, which is the machine's."""

    def __init__(self, names, inside, partyline, folder=None):
        """`inside(name)` begins a command line that runs on that node's host."""
        self.folder = folder or tempfile.mkdtemp(prefix="realmesh-")
        self.nodes = {name: Node(name, inside(name), self.folder, partyline) for name in names}
        self.later = []  # (time, number, call)
        self.readers = []  # sockets beside the nodes': (socket, call)
        self._count = 0

    def close(self, keep):
        """Ends what runs; the folder with logs and recordings stays if `keep`."""
        for node in self.nodes.values():
            node.kill()
        if not keep:
            shutil.rmtree(self.folder)

    def running(self):
        """The nodes that have a process."""
        return [node for node in self.nodes.values() if node.is_running]

    def do_later(self, delay, call):
        """Calls `call` in `delay` seconds."""
        self._count += 1
        heapq.heappush(self.later, (time.monotonic() + delay, self._count, call))

    def pump_until(self, end, is_done=lambda: False):
        """Listens until `is_done` or `end`; says whether it was done."""
        while True:
            while self.later and self.later[0][0] <= time.monotonic():
                heapq.heappop(self.later)[2]()
            if is_done():
                return True
            now = time.monotonic()
            if end <= now:
                return False
            self._listen(min(_TICK_S, end - now))

    def _listen(self, wait):
        # A node opens its socket when it can be asked; until then it is tried at every tick.
        for node in self.running():
            node.connect()
        with selectors.DefaultSelector() as selector:
            for node in self.running():
                if node.is_connected:
                    selector.register(node, selectors.EVENT_READ, node.read)
            for reader, call in self.readers:
                selector.register(reader, selectors.EVENT_READ, call)
            for key, _ in selector.select(wait):
                key.data()

    def ask(self, names, method, limit=2, **params):
        """The replies of several nodes to one question, by name; without those that did not answer."""
        asked = {}
        for name in names:
            node = self.nodes[name]
            if node.is_connected and not node.is_stopped:
                asked[name] = node.ask(method, **params)
        end = time.monotonic() + limit
        self.pump_until(end, lambda: all(self.nodes[name].replies.get(number) for name, number in asked.items()))
        replies = {name: self.nodes[name].replies.pop(number, None) for name, number in asked.items()}
        return {name: reply["result"] for name, reply in replies.items() if reply and "result" in reply}
