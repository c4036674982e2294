"""What all the scripts begin with: their options, the program that they start, and what they lack."""

import argparse
import os
import sys

from . import hosts

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))))
PARTYLINE = os.path.realpath(os.environ.get("PARTYLINE") or os.path.join(ROOT, ".build", "release", "partyline"))


def parser(text):
    """For the options of a script whose description is this text."""
    return argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)


def partyline(status=1):
    """The path of the program; ends with this status where it is not built."""
    if not os.access(PARTYLINE, os.X_OK):
        print(f"no {PARTYLINE}: build first, or set PARTYLINE", file=sys.stderr)
        sys.exit(status)
    return PARTYLINE


def need_hosts(has_faults=True):
    """Ends the script, without a fault, where no hosts can be made."""
    if lack := hosts.lack(has_faults):
        print(f"skipped: no hosts can be made here: {lack}")
        sys.exit(0)
