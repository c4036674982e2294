"""The cases: who attacks how, and on what ground."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Case:
    """One attack. `finding` is what it was found as; `attack` the words for hostile-member, None for none at all."""

    name: str
    finding: str
    attack: tuple | None
    seconds: float | None = None  # its own duration, whatever is asked for
    ground: str = "loopback"
    is_judged: bool = True  # or only reported, for nothing is promised yet


CASES = [
    Case("calm", "nobody attacks: what the measuring itself shows", None),
    Case("unknown-kind", "C2: frames of an unknown kind, two members", ("unknown-kind", "--members", "2")),
    Case("busy", "nobody attacks: two threads use the processors as an attacker would", ("busy",), is_judged=False),
    Case(
        "unknown-kind-unlinked", "C2: the same after TLS, without HELLO, 8 connections at a time",
        ("unknown-kind-unlinked", "--connections", "8"),
    ),
    Case(
        "records-bomb", "C3: 50 connections, 254 KiB of cut records each, before HELLO",
        ("records-bomb", "--connections", "50"),
    ),
    Case(
        "connect-close", "C4: 3,000 connections within 2 s, closed at once",
        ("connect-close", "--connections", "3000"), seconds=2,
    ),
    Case("hello-fin", "C4: 4,000 times ClientHello, then FIN", ("hello-fin", "--connections", "4000")),
    Case("voice-burst-4", "H6: 4 members, 1,000 datagrams of voice at once, each second", ("voice-burst", "--members", "4")),
    Case("voice-burst-12", "H6: the same, 12 members", ("voice-burst", "--members", "12")),
    Case("channels", "H3: CHANNELS, two members", ("channels", "--members", "2")),
    Case("leaving", "M4: 16 members say LEAVE, stop reading, and go on sending", ("leaving", "--members", "16")),
    Case("gossip", "M11: the largest LINK_ROW and RECORD_VERSIONS, two members", ("gossip", "--members", "2")),
    Case(
        "wrong-channel", "M10: 900 datagrams of voice a second on a channel to which the victim does not listen",
        ("wrong-channel", "--members", "1"),
    ),
    Case("routed-stranger", "C1: an honest node one routed hop away", None, ground="routed"),
    Case("calm-beacons", "nobody attacks, and newcomers are found by beacons", None, ground="bridge", is_judged=False),
    Case("beacons", "H1: 200 beacons a second of invented nodes", ("beacons", "--rate", "200"), ground="bridge", is_judged=False),
]  # fmt: skip
