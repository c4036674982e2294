"""What judges the nodes is itself judged: each judge is shown something wrong, and must say so.

  cd Tests/Network && python3 -m unittest realmesh.tests
"""

import array
import glob
import math
import os
import re
import signal
import struct
import tempfile
import time
import unittest

from hostility import guesses
from hostility.cases import CASES
from hostility.witness import Witness as HostilityWitness

from . import awake, recording, scenario, stalls
from .expectations import Expectations
from .player import Player
from .witness import Witness

_SCENARIOS = os.path.join(os.path.dirname(__file__), "..", "..", "..", "Simulations", "Scenarios", "*.scenario")


class ScenarioTests(unittest.TestCase):
    """Files."""

    def test_every_scenario_is_understood(self):
        paths = glob.glob(_SCENARIOS)
        self.assertTrue(paths)
        for path in paths:
            with self.subTest(path):
                self.assertTrue(scenario.read(path).commands)

    def test_every_command_and_expectation_has_its_judge(self):
        for path in glob.glob(_SCENARIOS):
            for command in scenario.read(path).commands:
                with self.subTest(f"{path}: {command.text}"):
                    self.assertTrue(hasattr(Player, "_do_" + command.verb.replace("-", "_")))
                    if command.verb == "expect":
                        self.assertTrue(hasattr(Expectations, "_expect_" + command.words[0]))

    def test_times_and_subjects(self):
        command = scenario._command(1, "expect gap ada ben within 2.5s")
        self.assertEqual((command.limit, command.subjects), (2.5, ["ada", "ben"]))
        self.assertEqual(scenario.seconds("250ms"), 0.25)
        for wrong in ("dance ada", "advance", "pause ada"):
            self.assertRaises(scenario.ScenarioError, scenario._command, 1, wrong)
        self.assertRaises(scenario.ScenarioError, scenario.seconds, "soon")


class WitnessTests(unittest.TestCase):
    """False accusations."""

    def setUp(self):
        self.witness = Witness(["ada", "ben", "cem"])

    def is_false(self, observer, kind, subject, later=0):
        return self.witness.is_false(observer, kind, subject, time.monotonic() + later)

    def test_nobody_was_disturbed(self):
        self.assertTrue(self.is_false("ada", "peer_down", "ben"))
        self.assertFalse(self.is_false("ada", "peer_up", "ben"))

    def test_who_is_off_is_rightly_missed_and_nobody_else(self):
        self.witness.disturb("ben", "off")
        self.assertFalse(self.is_false("ada", "peer_down", "ben"))
        self.assertTrue(self.is_false("ada", "peer_down", "cem"))
        self.witness.calm("ben", "off")
        self.assertFalse(self.is_false("ada", "peer_down", "ben", later=2))
        self.assertTrue(self.is_false("ada", "peer_down", "ben", later=3))

    def test_who_stood_still_itself_has_no_excuse(self):
        self.witness.disturb("ada", "paused")
        self.witness.calm("ada", "paused")
        self.assertTrue(self.is_false("ada", "peer_down", "ben"))
        self.assertFalse(self.is_false("ben", "peer_down", "ada"))

    def test_a_cut_link_may_go_down_and_its_ends_are_not_dead(self):
        self.witness.set_cuts({("ada", "ben")})
        self.assertFalse(self.is_false("ada", "peer_down", "ben"))
        self.assertFalse(self.is_false("ben", "peer_down", "ada"))
        self.assertTrue(self.is_false("ada", "peer_dead", "ben"))
        self.witness.set_cuts({("ada", "ben"), ("cem", "ben")})
        self.assertFalse(self.is_false("ada", "peer_dead", "ben"))


class RecordingTests(unittest.TestCase):
    """Holes."""

    def record(self, *pieces):
        """What is heard of the tone 400 in a recording from instant 100 s on, of (seconds, tone) each; 0 is silence."""
        return recording.heard(self.write(*pieces), 400)

    def write(self, *pieces):
        """The path of such a recording."""
        samples = array.array("h")
        for length, tone in pieces:
            turn = 2 * math.pi * tone / 48_000
            samples.extend(int(8_000 * math.sin(turn * index)) for index in range(int(length * 48_000)))
        head = b"RIFF\0\0\0\0WAVEpltm" + struct.pack("<Iq", 8, 100 * 10**9) + b"data\0\0\0\0"
        with tempfile.NamedTemporaryFile(delete=False) as file:
            file.write(head + samples.tobytes())
        self.addCleanup(os.remove, file.name)
        return file.name

    def test_a_hole_is_found_where_it_is(self):
        instants = self.record((1, 0), (2, 400), (0.5, 0), (1, 400))
        gap = recording.longest_gap(instants, 100, 104.5)
        self.assertAlmostEqual(gap.length, 0.5, delta=0.03)
        self.assertAlmostEqual(gap.at, 103, delta=0.03)
        self.assertAlmostEqual(gap.first_heard, 101, delta=0.03)

    def test_somebody_elses_tone_fills_no_hole(self):
        instants = self.record((1, 400), (0.7, 800), (1, 400))
        self.assertAlmostEqual(recording.longest_gap(instants, 100, 102.7).length, 0.7, delta=0.05)

    def test_a_silence_that_lasts_counts_and_a_whole_voice_has_none(self):
        instants = self.record((1, 400), (3, 0))
        self.assertAlmostEqual(recording.longest_gap(instants, 100, 104).length, 3, delta=0.03)
        self.assertEqual(recording.longest_gap(instants, 100, 100.9).length, 0)
        self.assertIsNone(recording.longest_gap(self.record((2, 600)), 100, 102))

    def test_the_level_of_a_tone_is_its_own(self):
        heard = recording.Heard(self.write((1, 500), (1, 1_710), (1, 0)))
        levels = [[heard.tone(hertz, 100.5 + at, 0.05) for at in range(3)] for hertz in (500, 1_710)]
        for at, row in enumerate(levels):
            self.assertAlmostEqual(row[at], -15.3, delta=0.1)
            self.assertLess(max(row[:at] + row[at + 1 :]), -60)


class AwakeTests(unittest.TestCase):
    """The loops that keep the processors awake."""

    def test_each_processor_has_a_loop_in_the_idle_class_until_the_end(self):
        with awake.processors() as loops:
            places = [os.sched_getaffinity(loop) for loop in loops]
            self.assertEqual(places, [{processor} for processor in sorted(os.sched_getaffinity(0))])
            self.assertEqual({os.sched_getscheduler(loop) for loop in loops}, {os.SCHED_IDLE})
        for loop in loops:
            self.assertRaises(ProcessLookupError, os.kill, loop, 0)


class HostilityTests(unittest.TestCase):
    """Cases of hostile-members."""

    def test_each_attack_of_the_program_has_a_case_and_each_case_an_attack(self):
        path = os.path.join(os.path.dirname(__file__), "..", "HostileMember", "HostileMember.swift")
        with open(path, encoding="utf-8") as file:
            kinds = file.read().split("enum AttackKind", 1)[1].split("\n\n", 1)[0]
        known = {quoted or name for name, quoted in re.findall(r'^    case (\w+)(?: = "([^"]+)")?$', kinds, re.M)}
        self.assertEqual(known, {case.attack[0] for case in CASES if case.attack})
        self.assertEqual(len(CASES), len({case.name for case in CASES}))

    def test_guesses_above_the_budget_right_ones_and_links_are_seen(self):
        def missed(linked=0, **other):
            counts = {"begun": 10_000, "answered": 9_900, "right": 0, "refused": 100, "away": 9, "took": 98.0} | other
            said = "attack " + " ".join(f"{word} {number}" for word, number in counts.items())
            return [figure.name for figure in guesses.figures("guesses", said, linked) if figure.is_met is False]

        self.assertEqual(missed(), [])
        self.assertEqual(missed(took=97.9), ["answered, after the first 100"])
        self.assertEqual(missed(right=1), ["guesses that were right"])
        self.assertEqual(missed(linked=1), ["guessers linked"])
        self.assertEqual(missed(answered=5_000), ["most guesses were answered"])
        self.assertEqual(missed(begun=0, answered=0), ["most guesses were answered"])

    def test_text_that_turns_hides_or_orders_is_seen(self):
        for text in ("\x1b[2J", "a\rb", "\u202edneirf", "a\u200bb", "\x9b31m", "Z\u0301\u0301\u0301"):
            with self.subTest(text):
                self.assertTrue(HostilityWitness.UNSAFE.search(text))
        for text in ("Åsa", "e\u0301\u0301", "אבג", "one\ttwo\n"):
            with self.subTest(text):
                self.assertFalse(HostilityWitness.UNSAFE.search(text))


class StallsTests(unittest.TestCase):
    """The sentinels that notice a processor that stands still."""

    def test_a_sentinel_that_could_not_run_is_a_stall_of_that_time(self):
        is_noticed = False
        with stalls.watch() as stalled:
            # A sentinel that is stopped before its first look notices nothing, so it is stopped again.
            limit = time.monotonic() + 20
            while not is_noticed and time.monotonic() < limit:
                os.kill(stalled.sentinels[0], signal.SIGSTOP)
                begin = time.monotonic()
                time.sleep(0.1)
                end = time.monotonic()
                os.kill(stalled.sentinels[0], signal.SIGCONT)
                time.sleep(0.1)
                is_noticed = any(stall[0] <= begin and end <= stall[1] for stall in stalled.between(begin, end))
        self.assertTrue(is_noticed)

    def test_an_interval_is_undisturbed_from_a_while_after_a_stall_until_the_next_one(self):
        with tempfile.NamedTemporaryFile("w", encoding="ascii") as file:
            file.write("100.0 100.5\n200.0 200.5\n")
            file.flush()
            stalled = stalls.Stalls([file.name], [])
            wait = stalls.AFTER_STALL_S
            before, between = (99, 99.9, "more"), (100.6 + wait, 199.9)
            disturbed = [(99, 100.1), (100.1, 100.2), (100.4 + wait, 150), (150, 200.1)]
            self.assertEqual(stalled.undisturbed([before, *disturbed, between]), [before, between])


if __name__ == "__main__":
    unittest.main()
