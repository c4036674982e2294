"""Keeps the processors awake while sound is judged.

A virtual machine gives up a processor that has nothing to do, and gets it back some milliseconds after the next
interrupt: up to 20 ms late on a loaded host. A node's thread of sound then wakes up late, although the node is right.
So an endless loop runs on each processor in the idle scheduling class (sched(7), SCHED_IDLE). The kernel stops that
loop at once when any other thread becomes ready.
"""

import contextlib
import os
import subprocess
import sys

# `-S`, `-E`: the loop needs no packages and no settings. It ends when its parent is gone.
_LOOP = """
import os
parent = os.getppid()
while os.getppid() == parent:
    for _ in range(1_000_000):
        pass
"""


def _prepare(processor):
    def prepare():
        os.sched_setaffinity(0, {processor})
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))

    return prepare


@contextlib.contextmanager
def processors():
    """A context in which no processor sleeps."""
    loops = []
    try:
        for processor in sorted(os.sched_getaffinity(0)):
            argv = [sys.executable, "-S", "-E", "-c", _LOOP]
            loops.append(subprocess.Popen(argv, preexec_fn=_prepare(processor)))  # noqa: PLW1509
        yield [loop.pid for loop in loops]
    finally:
        for loop in loops:
            loop.kill()
        for loop in loops:
            loop.wait()
