"""How long a listener heard nothing of a talker, from what it recorded.

The talker speaks a tone of its own, so that several can be told apart. A recording says in its
header to which instant of CLOCK_MONOTONIC its first sample belongs (WaveWriter.swift).
"""

import array
import math
import operator
import os
import struct
from dataclasses import dataclass

_RATE = 48_000
# One sample in three is enough for tones below 4 kHz.
_STEP = 3
_FRAME_S = 0.01
_FRAME = int(_RATE // _STEP * _FRAME_S)
# Tones that fill whole periods of a frame, so that each is deaf to the others.
TONES = [400 + 200 * number for number in range(16)]
# A tone arrives at about 4,000 on the scale of `_levels`; less than this is not it.
_HEARD_MIN = 800
# Where another tone begins or ends, it is in every filter for a moment.
_HEARD_FRAMES_MIN = 3
# A sample louder than this is sound: -40 dBFS.
_SOUND = 0.01


def _header(data):
    """(instant of sample 0 in seconds, where the samples begin, how many channels they have)."""
    at, origin, channels = 12, None, 1
    while at + 8 <= len(data):
        kind, size = data[at : at + 4], struct.unpack_from("<I", data, at + 4)[0]
        if kind == b"pltm":
            origin = struct.unpack_from("<q", data, at + 8)[0] / 1e9
        if kind == b"fmt ":
            channels = struct.unpack_from("<H", data, at + 10)[0]
        if kind == b"data":
            return origin, at + 8, channels
        at += 8 + size
    return None, 0, 1


def samples(path):
    """(instant of sample 0 in seconds, the samples of the first channel); the instant is None where nothing was
    recorded."""
    if not os.path.exists(path):
        return None, array.array("h")
    with open(path, "rb") as file:
        data = file.read()
    origin, start, channels = _header(data)
    found = array.array("h")
    found.frombytes(data[start : start + (len(data) - start) // 2 * 2])
    return origin, found[::channels]


class Heard:
    """What a listener recorded."""

    def __init__(self, path):
        self.origin, self.samples = samples(path)

    def index(self, at):
        """The sample that sounded at an instant."""
        return round((at - self.origin) * _RATE)

    def onset(self, begin, end):
        """The instant of the first sound in a window; None if there is none."""
        first = self.index(begin)
        for place, sample in enumerate(self.samples[first : self.index(end)]):
            if _SOUND * 32_768 < abs(sample):
                return self.origin + (first + place) / _RATE
        return None

    def part(self, begin, length):
        """The samples of a window, with full scale 1."""
        first = self.index(begin)
        return [sample / 32_768 for sample in self.samples[first : first + round(length * _RATE)]]

    def level(self, begin, length):
        """The RMS in dBFS."""
        part = self.part(begin, length)
        return 10 * math.log10(sum(sample * sample for sample in part) / max(1, len(part)) + 1e-10)

    def levels(self, begin, end, length):
        """The levels of the windows between two instants."""
        return [self.level(begin + index * length, length) for index in range(int((end - begin) / length))]

    def tone(self, hertz, begin, length):
        """The level of a tone in dBFS, under a Hann window, so that other tones do not leak into it."""
        part = self.part(begin, length)
        turn, hann = 2 * math.pi * hertz / _RATE, 2 * math.pi / max(1, len(part))
        weighted = [sample * (1 - math.cos(hann * at)) for at, sample in enumerate(part)]
        real = sum(sample * math.cos(turn * at) for at, sample in enumerate(weighted))
        imaginary = sum(sample * math.sin(turn * at) for at, sample in enumerate(weighted))
        return 20 * math.log10(math.sqrt(2) * math.hypot(real, imaginary) / max(1, len(part)) + 1e-6)


def heard(path, tone):
    """The instants at which the frames of 10 ms begin in which the tone sounds, in order."""
    origin, sound = samples(path)
    if origin is None:
        return []
    instants, run = [], []
    for index, level in enumerate(_levels(sound[::_STEP], tone) + [0]):
        if _HEARD_MIN < level:
            run.append(origin + index * _FRAME_S)
            continue
        if _HEARD_FRAMES_MIN <= len(run):
            instants += run
        run = []
    return instants


def _levels(samples, tone):
    """The tone's level in each frame."""
    turn = 2 * math.pi * tone * _STEP / _RATE
    cosines = [math.cos(turn * index) for index in range(_FRAME)]
    sines = [math.sin(turn * index) for index in range(_FRAME)]
    found = []
    for at in range(0, len(samples) - _FRAME + 1, _FRAME):
        frame = samples[at : at + _FRAME]
        real = sum(map(operator.mul, frame, cosines))
        imaginary = sum(map(operator.mul, frame, sines))
        found.append(math.hypot(real, imaginary) / _FRAME)
    return found


@dataclass
class Gap:
    """The longest silence in a window, and when it began."""

    length: float
    at: float
    first_heard: float


def longest_gap(instants, begin, end):
    """The Gap between two instants, counted from the first sound on; None where there was none.

    What was heard before the window counts as heard at its beginning; its end ends a silence too.
    """
    instants = [instant for instant in instants if instant <= end]
    if not instants:
        return None
    marks = [max(begin, instants[0])] + [instant for instant in instants if begin < instant] + [end]
    length, at = max((after - before - _FRAME_S, before) for before, after in zip(marks, marks[1:]))
    # The frames of the recording and the window's ends do not fall together.
    return Gap(length if _FRAME_S < length else 0, at, instants[0])
