"""The cases: who attacks how, and on what ground."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Case:
    """One attack. `finding` is what it was found as; `attack` the words for hostile-member, None for none at all.

    `target` is who is attacked: the victim, who listens, or the friend, who speaks to it.
    """

    name: str
    finding: str
    attack: tuple | None
    seconds: float | None = None  # its own duration, whatever is asked for
    ground: str = "loopback"
    is_judged: bool = True  # or only reported, for nothing is promised yet
    reported: tuple = ()  # the figures that are only reported; the case says why
    target: str = "victim"
    options: tuple = ()  # of the honest nodes, beyond what all have
    is_closed: bool = False  # the mesh has a code, which the attacker lacks
    is_named: bool = False  # the victim has the far host's address by --peer
    restarts: bool = False  # a peer that the victim knows is killed and started again during the attack


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
        "records-after-hello", "C3: 50 connections, 254 KiB of forged records each, after HELLO and before a link",
        ("records-after-hello", "--connections", "50"),
    ),
    Case(
        "connect-close", "C4: 10,000 connections within 2 s, closed at once",
        ("connect-close", "--connections", "10000"), seconds=2, restarts=True,
    ),
    Case(
        "hello-fin", "C4: 4,000 times ClientHello, then FIN", ("hello-fin", "--connections", "4000"), restarts=True,
    ),
    Case(
        "idle", "H4: 128 connections from two addresses; every other one has sent the first byte of TLS",
        ("idle", "--connections", "128"), restarts=True,
    ),
    Case(
        "idle-tls", "H4: the same after TLS, and never a frame", ("idle-tls", "--connections", "128"), restarts=True,
    ),
    # A node has room for 64 peers. Newcomers wait until these are gone (docs/THREATS.md, "64 linked identities"), and
    # the friend is told of each of them, as of any node that joins.
    Case(
        "sybils", "H2: 63 linked members of one machine", ("sybils", "--members", "63"),
        reported=("carriers with the friend", "newcomer during it", "newcomer after it"),
    ),
    Case(
        "refusers", "H5: 63 strangers that refuse at once, for each reason in turn",
        ("refusers", "--connections", "63"),
    ),
    Case(
        "voice-burst-4", "H6: 4 members, 1,000 datagrams of voice at once, each second",
        ("voice-burst", "--members", "4"),
    ),
    Case("voice-burst-12", "H6: the same, 12 members", ("voice-burst", "--members", "12")),
    Case("channels", "H3: CHANNELS, two members", ("channels", "--members", "2")),
    Case(
        "sessions", "H6: 500 INVITEs a second on the link, and every other datagram from one of 64 ports, 4 members",
        ("sessions", "--members", "4"),
    ),
    Case(
        "flags", "H3: the bits for plain sound and for recording change 1,000 times a second, two members",
        ("flags", "--members", "2"),
    ),
    Case(
        "flags-talker", "M3: the same at the friend who speaks, where all nodes take plain sound",
        ("flags", "--members", "2"), target="friend", options=("--plain",),
    ),
    Case(
        "false-report", "M3: a listener says that it loses 30 % of the friend's voice", ("reports", "--members", "1"),
        target="friend",
    ),
    # The victim is told of each listener, as of any node that joins.
    Case(
        "false-listeners", "M3: 60 such listeners", ("reports", "--members", "60"), target="friend",
        reported=("carriers with the friend",),
    ),
    Case(
        "names", "M9: control characters, reversed text, stacked marks and 10 kB wherever a member sends text",
        ("names", "--members", "2"),
    ),
    Case("leaving", "M4: 16 members say LEAVE, stop reading, and go on sending", ("leaving", "--members", "16")),
    Case("gossip", "M11: the largest LINK_ROW and RECORD_VERSIONS, two members", ("gossip", "--members", "2")),
    Case(
        "wrong-channel", "M10: 900 datagrams of voice a second on a channel to which the victim does not listen",
        ("wrong-channel", "--members", "1"),
    ),
    # A run of JOIN needs a TLS handshake of its own. The node begins 100 of either a second, so 10,000 guesses take
    # 100 s. One address may have 64 connections, and all together 128: a stranger that was turned away comes again ten
    # times a second.
    Case(
        "guesses-1", "10,000 guesses of the code of a closed mesh, from one address",
        ("guesses", "--guesses", "10000", "--connections", "128"), seconds=100, is_closed=True,
    ),
    Case(
        "guesses-64", "the same, from 64 addresses",
        ("guesses", "--guesses", "10000", "--connections", "128", "--addresses", "64"), seconds=100, is_closed=True,
    ),
    Case("routed-stranger", "C1: an honest node one routed hop away", None, ground="routed"),
    Case(
        "routed-named", "C1: the same, and the victim has its address by --peer", None, ground="routed", is_named=True,
    ),
    Case("calm-beacons", "nobody attacks, and newcomers are found by beacons", None, ground="bridge"),
    Case("beacons", "H1: 200 beacons a second of invented nodes", ("beacons", "--rate", "200"), ground="bridge"),
    Case(
        "dials", "H5: 4 members tell of 10 invented nodes a second each, at addresses where dials hang",
        ("dials", "--members", "4"), ground="bridge",
    ),
]  # fmt: skip
