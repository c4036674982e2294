"""What is judged, and what is waited for."""

import time


class Verdicts:
    """Each clause with its figure; one that is not met decides the exit code."""

    def __init__(self):
        self.count = self.missed = 0

    def show(self, is_met, what, figure=""):
        """Prints a line, and counts it."""
        self.count += 1
        self.missed += not is_met
        print(f"  {'ok    ' if is_met else 'MISSED'}  {what}{': ' if figure != '' else ''}{figure}", flush=True)


def until(condition, within, pause=0.02):
    """Seconds until a condition holds; None if it does not in time."""
    begin = time.monotonic()
    while not condition():
        if begin + within < time.monotonic():
            return None
        time.sleep(pause)
    return time.monotonic() - begin


def must(condition, within, complaint, pause=0.02):
    """Waits until a condition holds; ends the script with a complaint if it does not in time."""
    if until(condition, within, pause) is None:
        raise SystemExit(complaint)


def elapsed(seconds):
    """A time that may be None, for a line."""
    return "never" if seconds is None else f"{seconds:.1f} s"
