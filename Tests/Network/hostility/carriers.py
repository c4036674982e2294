"""The bytes that two nodes have exchanged on their carriers, as the kernel counts them."""

import re
import subprocess
import time

_PLACE = re.compile(r"^\S+\s+\d+\s+\d+\s+(\S+)\s+(\S+)")


def _sockets(inside, pid):
    """{(own address, the other's): bytes sent} of a process."""
    text = subprocess.run(
        inside + ["ss", "-tinpOH"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    ).stdout  # fmt: skip
    sent = {}
    for line in text.splitlines():
        place = _PLACE.match(line)
        if place and f"pid={pid}," in line:
            count = re.search(r"bytes_sent:(\d+)", line)
            sent[place.groups()] = int(count[1]) if count else 0
    return sent


def carrier_bytes(first, second):
    """What two nodes have sent each other on the carriers that are open between them. Each is (argv, process id)."""
    one, other = _sockets(*first), _sockets(*second)
    return {place: one[place] + other[place[::-1]] for place in one if place[::-1] in other}


class Traffic:
    """What two nodes send each other on their carriers, from now until `stop`."""

    def __init__(self, first, second):
        self._nodes = (first, second)
        self._before = carrier_bytes(first, second)
        self._began = time.monotonic()
        self.kb_per_s = None

    def stop(self):
        """A carrier that was opened meanwhile counts whole; of one that was closed nothing is known."""
        after = carrier_bytes(*self._nodes)
        count = sum(bytes_ - self._before.get(place, 0) for place, bytes_ in after.items())
        self.kb_per_s = count / 1e3 / (time.monotonic() - self._began) if after else None
