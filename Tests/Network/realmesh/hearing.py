"""Who talks, and what the others have heard of it: asked during a scenario, measured at its end."""

import time

from . import recording
from .outcome import Judged


class Hearing:
    """The talkers' tones, and the questions about holes."""

    def __init__(self, scenario, outcome):
        self._talkers = scenario.talkers
        self._outcome = outcome
        self.talks = {}  # talker -> when its voice began
        self._questions = []  # (Judged, listener, talker, begin, end)
        self._asked = {}  # (listener, talker) -> when

    def devices(self, node):
        """The sound devices of a node's next life."""
        if not self._talkers:
            return ["--input", "null", "--output", "null"]
        is_talker = node.name in self._talkers
        voice = f"tone:{self._tone(node.name)}" if is_talker else "null"
        return ["--input", voice, "--output", f"file:{node.recording()}"]

    def begin(self, talker):
        """The talk key goes down for good."""
        self.talks[talker] = time.monotonic()

    def _tone(self, talker):
        return recording.TONES[self._talkers.index(talker)]

    def ask(self, command, listener, talker):
        """`expect gap`: since it was asked last, or since the talk began."""
        now = time.monotonic()
        begin = self._asked.get((listener, talker), self.talks[talker])
        self._asked[listener, talker] = now
        judged = Judged(command.text, False, None, command.limit)
        self._outcome.judged.append(judged)
        self._questions.append((judged, listener, talker, begin, now))

    def measure(self, nodes, end):
        """Reads the recordings. Questions are about all lives of a listener, the summary about its last."""
        for talker, began in self.talks.items():
            for node in nodes:
                if node.name == talker or not node.recordings:
                    continue
                lives = [recording.heard(path, self._tone(talker)) for path in node.recordings]
                gap = recording.longest_gap(lives[-1], began, end)
                self._outcome.gaps.append((node.name, talker, began, gap))
                for judged, listener, of, first, last in self._questions:
                    if (listener, of) == (node.name, talker):
                        self._judge(judged, recording.longest_gap(sum(lives, []), first, last))

    def _judge(self, judged, gap):
        judged.note = "" if gap else "never heard"
        judged.took = gap.length if gap else None
        judged.is_met = gap is not None and gap.length <= judged.limit
