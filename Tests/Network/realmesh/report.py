"""What a person reads: each expectation with its time beside its bound, then one line a scenario."""


def _mark(is_met):
    return "ok" if is_met else "FAILED"


def show(outcome):
    """One scenario."""
    print(f"\n{outcome.scenario.name}: {outcome.scenario.title}")
    for one in outcome.judged:
        took = "" if one.took is None else f"{one.took:7.2f} s"
        limit = f" of {one.limit:g} s" if one.limit else ""
        note = f"  {one.note}" if one.note else ""
        print(f"  {_mark(one.is_met):6}  {took:9}{limit:11}  {one.text}{note}")
    for listener, talker, began, gap in outcome.gaps:
        figure = "never heard"
        if gap:
            figure = f"{gap.length * 1000:.0f} ms"
            figure += f" from {gap.at - began:.1f} s on" if gap.length else ""
            figure += f", first heard {gap.first_heard - began:.2f} s after the talk began"
        print(f"  hole    {listener} of {talker}: {figure}")
    for event in outcome.false:
        at = event.at - outcome.began
        print(f"  FALSE   {at:.2f} s: {event.observer}: {event.kind} {event.peer} {event.details.get('reason', '')}")
    for text in outcome.impossible:
        print(f"  NOT DONE  {text}")
    for text in outcome.differences:
        print(f"  differs   {text}")
    if outcome.trouble:
        print(f"  TROUBLE   {outcome.trouble}")
    if outcome.folder:
        print(f"  kept in {outcome.folder}")


def summary(outcomes):
    """All of them."""
    head = ("scenario", "", "met", "slowest", "links lost", "accused", "hole", "done otherwise")
    print("\n%-32s %-6s %7s %8s %10s %8s %9s  %s" % head)
    for outcome in outcomes:
        met = sum(one.is_met for one in outcome.judged)
        timed = [one for one in outcome.judged if one.took is not None and one.limit and 0.05 < one.limit]
        shares = [one.took / one.limit for one in timed]
        slowest = f"{max(shares) * 100:.0f} %" if shares else ""
        lost = sum(event.kind == "peer_down" for event in outcome.events)
        gaps = [gap.length for *_, gap in outcome.gaps if gap]
        gap = f"{max(gaps) * 1000:.0f} ms" if gaps else ""
        row = (outcome.scenario.name, _mark(outcome.is_passed), f"{met}/{len(outcome.judged)}", slowest)
        row += (lost, len(outcome.false), gap, len(outcome.differences) or "")
        print("%-32s %-6s %7s %8s %10d %8d %9s  %s" % row)
    passed = sum(outcome.is_passed for outcome in outcomes)
    print(f"{passed} of {len(outcomes)} scenarios passed; accused: verdicts about nodes in good health (bar: none)")
