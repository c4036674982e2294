"""A crew of real nodes, each on a host of its own, which are led by the commands that people type.

What a command prints is judged at once, and what a person hears by that node's recording: every talker has a tone of
its own.
"""

import os
import re
import statistics
import time

from . import recording
from .stage import Stage

_HEARD_DBFS, _UNHEARD_DBFS = -40, -60
_WINDOW_S = 0.05
# The first words of a talker are faded in, and its last ones are still in the buffers when the key is up.
_RAMP_S, _TAIL_S = 0.3, 0.5
_TALK_S = 2
_COMMAND_S = 20


class Crew(Stage):
    """The nodes, what they have said, and what was missed. `tones` has the frequency of each talker."""

    def __init__(self, names, tones, partyline, stalled, is_shown):
        # The machine may have other work, which must not be heard.
        super().__init__(names, partyline, is_shown, ["chrt", "-f", "20"])
        self.tones, self.stalled = tones, stalled
        self.events = []  # (instant, node, event)
        for node in self.nodes.values():
            node.on_event = lambda node, event, at: self.events.append((at, node.name, event))

    def start(self, name, settings):
        """Starts a node with a config.toml; it records what its person hears."""
        node = self.nodes[name]
        config = os.path.join(self.folder, f"{name}.toml")
        with open(config, "w", encoding="ascii") as file:
            file.write(settings)
        microphone = f"tone:{self.tones[name]}" if name in self.tones else "null"
        options = ["--mesh", self.hosts.tag, "--discovery", "beacon", "--loudness", "off", "--config", config]
        node.start([*options, "--input", microphone, "--output", f"file:{node.recording()}"])

    def stop(self, name):
        """Ends a node by its command."""
        self.verb("the node ends", name, "stop")
        node = self.nodes[name]
        self.show(node.process.wait(_COMMAND_S) == 0, f"{name} ends with", node.process.returncode)
        node.leave()

    # MARK: Commands

    def verb(self, pattern, name, *words, status=0, begun=None):
        """Runs a command, or ends one that was begun: it must print the pattern, and end with this exit code."""
        text, ended = self.answer(name, *words, begun=begun, within=_COMMAND_S)
        found = re.search(pattern, text, re.MULTILINE)
        figure = " ".join(found.group().split()) if found else f"no /{pattern}/ in\n{text}"
        figure += f", exit code {ended}" if ended != status else ""
        self.show(found and ended == status, f"{name}: {' '.join(words)}", figure)

    def listing(self, channel):
        """The nodes that show a channel which is not deleted."""
        return [name for name in self.names if not self.channels(name).get(channel, {"deleted": True})["deleted"]]

    def told(self, kind, since):
        """(node, event) of each event of a kind since an instant, in the order of the nodes."""
        found = [(name, event) for at, name, event in self.events if event["kind"] == kind and since <= at]
        return sorted(found, key=lambda one: one[0])

    # MARK: Sound

    def levels(self, listener, talker, windows):
        """The level of a tone at a listener in each of some windows, which are over."""
        path, limit = self.nodes[listener].recordings[-1], time.monotonic() + 5
        while True:
            heard = recording.Heard(path)
            if heard.origin and heard.index(windows[-1][1]) < len(heard.samples):
                return [heard.tone(self.tones[talker], begin, end - begin) for begin, end in windows]
            if limit < time.monotonic():
                raise SystemExit(f"{listener} does not record")
            self.wait(0.1)

    def steady(self, begin, end):
        """The windows in which no processor stood still; all of them if these are less than a third."""
        windows = split(begin, end)
        found = self.stalled.undisturbed(windows)
        return found if len(windows) <= 3 * len(found) else windows

    def voice(self, listener, talker, span):
        """The median level of a talker while the key is down."""
        return statistics.median(self.levels(listener, talker, self.steady(span[0] + _RAMP_S, span[1])))

    def judge(self, what, talker, span, heard_by, unheard_by=()):
        """Who hears a talker all the time of a span (begin, end), and who never does."""
        for name in heard_by:
            least = min(self.levels(name, talker, self.steady(span[0] + _RAMP_S, span[1])))
            self.show(_HEARD_DBFS < least, f"{what}: {name} hears {talker}", f"{least:.1f} dBFS at least")
        for name in unheard_by:
            most = max(self.levels(name, talker, self.steady(span[0], span[1] + _TAIL_S)))
            self.show(most < _UNHEARD_DBFS, f"{what}: {name} does not hear {talker}", f"{most:.1f} dBFS at most")

    def judge_tone(self, tone, begin, heard_by, unheard_by):
        """Who has heard a tone since an instant, and who has not. It may be as short as a stall, so no window is left
        out."""
        self.wait(1)
        windows = split(begin, time.monotonic() - _TAIL_S / 2)
        for name in [*heard_by, *unheard_by]:
            most = max(self.levels(name, tone, windows))
            if name in heard_by:
                self.show(_HEARD_DBFS < most, f"{name} hears the {tone}", f"{most:.1f} dBFS")
            else:
                self.show(most < _UNHEARD_DBFS, f"{name} does not hear the {tone}", f"{most:.1f} dBFS")

    def talk(self, name, *words, meanwhile=()):
        """Holds a key (`key NAME`, `private NAME` or `reply`), runs commands meanwhile, and gives the span (begin, end)
        in which it was surely down."""
        is_key = words[0] == "key"
        self.verb("on", name, *(["talk", "on", "--key", words[1]] if is_key else words))
        begin = time.monotonic()
        for command in meanwhile:
            self.verb(*command)
        self.wait(_TALK_S)
        end = time.monotonic()
        self.verb("off", name, *(["talk", "off", "--key", words[1]] if is_key else [*words, "--release"]))
        self.wait(_TAIL_S + 0.3)
        return begin, end

    def judge_ducking(self, what, talker, programme, words, drops):
        """A key lowers a programme by so many dB at each listener, and not for longer than it is down."""
        self.wait(2.5)
        before = time.monotonic()
        span = self.talk(talker, *words)
        self.wait(2.5)
        after = time.monotonic()
        for name, wanted in drops.items():
            spans = (before - 1.5, before), (span[0] + _RAMP_S, span[1]), (after - 1.2, after - 0.2)
            first, low, last = (statistics.median(self.levels(name, programme, self.steady(*one))) for one in spans)
            figure = f"{first:.1f} dBFS, {low:.1f}, {last:.1f}"
            is_met = abs(first - low - wanted) < 1 and abs(last - first) < 1
            self.show(is_met, f"{what}: {programme} at {name}, {wanted} dB less meanwhile", figure)
        return span


def split(begin, end):
    """The windows between two instants, each (begin, end)."""
    count = int((end - begin) / _WINDOW_S)
    return [(begin + at * _WINDOW_S, begin + (at + 1) * _WINDOW_S) for at in range(count)]
