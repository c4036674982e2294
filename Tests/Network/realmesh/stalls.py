"""Notices when a processor of this machine stood still.

A virtual machine gets its processors back late at times. Sound then has a hole, although the nodes are right. So a
sentinel on each processor sleeps for half a millisecond again and again, before all programs that are measured
(SCHED_FIFO, as root). Where it wakes up late, every thread of that processor did. A figure that was taken at such a
moment speaks of the machine.
"""

import contextlib
import os
import subprocess
import sys
import tempfile

# A shorter one does not count: less than the shortest sound that a node makes up (2.5 ms).
LATE_S = 0.002
# A stall may show so long after its end: the sound that it has delayed would have been heard until then.
AFTER_STALL_S = 0.2
_PRIORITY = 90

# It writes a line for each stall: the beginning and the end, in seconds of CLOCK_MONOTONIC. It ends when its parent is
# gone.
_SENTINEL = f"""
import os, time
parent = os.getppid()
before = time.monotonic()
while os.getppid() == parent:
    time.sleep(0.0005)
    now = time.monotonic()
    if {LATE_S} < now - before:
        os.write(1, b"%.6f %.6f\\n" % (before, now))
    before = now
"""


def _prepare(processor):
    def prepare():
        os.sched_setaffinity(0, {processor})
        with contextlib.suppress(PermissionError):
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(_PRIORITY))

    return prepare


class Stalls:
    """The stalls of all processors since the beginning of the watch."""

    def __init__(self, paths, sentinels):
        self._paths = paths
        self.sentinels = sentinels  # their process ids

    def all(self):
        """(begin, end) of each stall that is over, in order."""
        found = []
        for path in self._paths:
            with open(path, encoding="ascii") as file:
                found += [tuple(map(float, line.split())) for line in file.read().split("\n")[:-1]]
        return sorted(found)

    def between(self, begin, end):
        """The stalls that fall into a window, wholly or in part."""
        return [stall for stall in self.all() if stall[0] < end and begin < stall[1]]

    def undisturbed(self, intervals):
        """Those of the intervals (begin, end, and more) in which no stall can show."""
        return [interval for interval in intervals if not self.between(interval[0] - AFTER_STALL_S, interval[1])]


@contextlib.contextmanager
def watch():
    """A context in which stalls are written down. It yields a Stalls, which answers until the end of the context."""
    with tempfile.TemporaryDirectory(prefix="partyline-stalls-") as folder:
        sentinels, paths = [], []
        try:
            for processor in sorted(os.sched_getaffinity(0)):
                paths.append(os.path.join(folder, str(processor)))
                argv = [sys.executable, "-S", "-E", "-c", _SENTINEL]
                with open(paths[-1], "wb") as file:
                    sentinels.append(subprocess.Popen(argv, stdout=file, preexec_fn=_prepare(processor)))  # noqa: PLW1509
            yield Stalls(paths, [sentinel.pid for sentinel in sentinels])
        finally:
            for sentinel in sentinels:
                sentinel.kill()
            for sentinel in sentinels:
                sentinel.wait()
