"""What strangers that guess the code of a closed mesh have counted, and the bounds of it."""

import re

from .figures import Figure

# Runs of JOIN that a node answers (docs/WIRE.md, "Admission"): so many at once, and then so many a second.
BUDGET = 100


def figures(case, said, linked):
    """From the last words of `hostile-member guesses`, and the most strangers that were linked at a time."""
    counts = {word: float(number) for word, number in re.findall(r"(\w+) ([\d.]+)", said)}
    begun, answered = counts.get("begun", 0.0), counts.get("answered", 0.0)
    rate = max(0.0, answered - BUDGET) / counts["took"] if answered else 0.0
    return [
        Figure(case, "guesses begun", int(begun)),
        Figure(case, "guesses answered", int(answered)),
        # Else the attack did not get as far as the budget, and shows nothing.
        Figure(case, "most guesses were answered", begun / 2 < answered, "", True),
        Figure(case, f"answered, after the first {BUDGET}", rate, "/s", float(BUDGET)),
        Figure(case, "turned away before a guess", int(counts.get("away", 0.0))),
        Figure(case, "guesses that were right", int(counts.get("right", 0.0)), "", 0),
        Figure(case, "guessers linked", linked, "", 0),
    ]
