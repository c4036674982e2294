"""A scenario file: the commands that the simulator reads, read the same way.

The grammar is ScenarioCommand.swift's; `meshsim scenarios --help` lists it.
"""

import os
import re
from dataclasses import dataclass, field

# How many words follow each verb: from, to (None: any number).
_ARITY = {
    "nodes": (1, None), "discovery": (1, 2), "site": (2, None), "static-peer": (2, 2),
    "network": (4, 4), "start": (1, None), "kill": (1, None), "vanish": (1, None), "leave": (1, None),
    "restart": (1, None), "offline": (1, None), "online": (1, None), "pause": (2, 2), "suspend": (2, 2),
    "move": (1, 1), "cut": (2, 3), "mend": (3, 3), "partition": (1, None), "heal": (0, 0),
    "block-datagrams": (2, 2), "deafen": (2, 2), "hear": (2, 2), "replay": (2, 2),
    "talk": (1, 1), "advance": (1, 1), "status": (1, 1), "expect": (1, None),
}  # fmt: skip

_TIME = re.compile(r"(\d+)ms|(\d+(?:\.\d{1,3})?)s")


class ScenarioError(Exception):
    """The file, not the mesh, is at fault."""


def seconds(text):
    """`250ms`, `2s`, `1.5s` as seconds."""
    match = _TIME.fullmatch(text)
    if not match:
        raise ScenarioError(f"no time: {text}")
    return int(match[1]) / 1000 if match[1] else float(match[2])


@dataclass
class Command:
    """One line after `> `."""

    line: int
    text: str
    verb: str
    words: list

    @property
    def limit(self):
        """Seconds after `within` at the end of an expectation; 0 where there is none."""
        return seconds(self.words[-1]) if self.words[-2:-1] == ["within"] else 0

    @property
    def subjects(self):
        """The words of an expectation between its kind and `within`."""
        return self.words[1:-2] if self.words[-2:-1] == ["within"] else self.words[1:]


@dataclass
class Scenario:
    """A file's commands; what was observed in the simulator is left out."""

    name: str
    title: str = ""
    nodes: list = field(default_factory=list)
    commands: list = field(default_factory=list)

    @property
    def talkers(self):
        """Who will talk, in the order of the file."""
        return [command.words[0] for command in self.commands if command.verb == "talk"]

    @property
    def sites(self):
        """The link that each node is on; 0 unless told otherwise."""
        sites = dict.fromkeys(self.nodes, 0)
        for command in self.commands:
            if command.verb == "site":
                sites.update(dict.fromkeys(command.words[1:], int(command.words[0])))
        return sites

    def has(self, verb):
        """Whether some command has this verb."""
        return any(command.verb == verb for command in self.commands)


def _command(line, text):
    verb, *words = text.split()
    least, most = _ARITY.get(verb, (1, 0))
    if len(words) < least or (most is not None and most < len(words)):
        raise ScenarioError(f"line {line}: no such command: {text}")
    return Command(line, text, verb, words)


def read(path):
    """The scenario in a file."""
    scenario = Scenario(os.path.basename(path).removesuffix(".scenario"))
    with open(path) as file:
        for number, text in enumerate(file, 1):
            text = text.rstrip()
            if text.startswith("#") and not scenario.title:
                scenario.title = text.lstrip("# ")
            if not text.startswith("> "):
                continue
            command = _command(number, text[2:])
            if command.verb == "nodes":
                scenario.nodes = command.words
            scenario.commands.append(command)
    if not scenario.nodes:
        raise ScenarioError(f"{path}: `nodes NAME…` is missing")
    return scenario
