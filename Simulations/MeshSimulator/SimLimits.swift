package import Primitives

/// Bounds and fixed times of the simulated world.
package enum SimLimits {
    /// Greatest number of nodes in one world. An address names its node in one byte.
    package static let nodesMax = 250
    package static let port: UInt16 = 7_400
    /// Address of the stranger that overhears and replays datagrams. No node has it.
    package static let stranger = Endpoint(address: IPAddress(v4: 10, 254, 254, 254), port: 7_401)
    /// The channel on which every node talks and listens, unless the run draws channels (`SpeechRule`).
    package static let channel = ChannelID(high: 0x6D61_696E, low: 0)

    /// Promise L15: time in which all directories become equal. It begins when the last pair is linked and its carrier
    /// delivers.
    static let directoriesEqualMax = Interval.seconds(2)
    /// Promise L18: time in which all pairs with one code of a channel prove it to each other. It begins when the last
    /// pair is linked and its carrier delivers. A spent guess comes back after 30 s, and a lost step is made good after
    /// 6 s.
    static let codesProvedMax = Interval.seconds(38)
    /// Interval between two looks at the carriers of a mended mesh.
    static let carrierLook = Interval.milliseconds(10)
    /// The time of day at the start of a run, in seconds since 1970.
    static let wallSecondsAtStart: UInt64 = 1_800_000_000

    // MARK: People who talk

    /// Greatest number of channels over which the nodes of a run are spread.
    static let channelsMax = 8
    /// Greatest error of a sound card's clock. Real cards stay within 100 ppm.
    static let driftPartsPerMillionMax: UInt64 = 400

    // MARK: The stream model, after Linux

    /// First SYN retransmission (RFC 6298 §2.1).
    package static let connectRetry = Interval.seconds(1)
    /// Smallest retransmission time-out.
    package static let retransmitMin = Interval.milliseconds(200)
    /// TCP_USER_TIMEOUT: a connection ends when its data is unacknowledged for this long.
    package static let userTimeout = Interval.seconds(5)
    /// Longest time from a dial until TLS is complete.
    package static let dialTimeout = Interval.seconds(5)
    /// Time after which address resolution on the host's own link gives up.
    package static let resolutionTimeout = Interval.seconds(3)
    package static let unsentBytesMax = 262_144
    package static let voiceAgeMax = Interval.milliseconds(200)
    package static let handshakesPendingMax = 128

    // MARK: Hostile members

    /// A grey relay (a hostile neighbour) passes on datagrams of at most this size: heartbeats without padding, which
    /// have 130 bytes, and no voice.
    static let greyRelayBytesMax = 150
    /// Number of pieces of each tunnel that a staller (a hostile neighbour) forwards. TLS and the HELLOs need fewer.
    static let stalledPiecesMax = 12
    /// How often a liar renews the record that nobody else has.
    static let secretInterval = Interval.seconds(10)
    /// Identities among which one is chosen that leads all others, or follows them.
    static let groundIdentities = 256

    // MARK: A stopped process

    /// Greatest number of datagrams that the socket buffer keeps for a process that does not read.
    package static let heldDatagramsMax = 256
    /// Least length of a pause that a shell notices for certain. The shell notices gaps of one second or more. It
    /// counts a gap from the next due time of its timer, up to half a second after the pause began.
    package static let pauseNoticedMin = Interval.milliseconds(1_500)
    /// Time for which a slow processor reads between two busy phases, if a drawn fault (`HostileKind.slow`) slows it.
    package static let slowReading = Interval.milliseconds(50)

    /// Greatest drift that a fault gives the clock of a node.
    package static let clockDriftPartsPerMillionMax: UInt64 = 99_999

    /// Time that a node's write to disk takes: of its advanced instance counter, or of its mesh file.
    package static let counterWriteTime = Interval.milliseconds(12)

    /// Time that a process takes for one step of a run of JOIN.
    package static let codeTaskTime = Interval.milliseconds(2)

    /// The longest life of one run.
    package static let lifeMax = Interval.seconds(1_000_000)

    // MARK: Bounds of the protocol that runs must meet

    /// Promise L4: time after the faults stop within which each pair of the core (honest, mended nodes of one mesh) is
    /// linked, unless the two cannot connect.
    package static let convergenceMax = Interval.milliseconds(33_500)
    /// Time in which a newcomer with the code of a closed mesh enters it and is linked with all its nodes. It begins
    /// when the newcomer and the members run.
    static let newcomerMax = Interval.seconds(3)
    /// Promise L5: time from the crash of a node until every neighbour's link to it is down, where at most five per
    /// cent of the packets are lost.
    package static let detectionMax = Interval.seconds(2)
    package static let detectionLossPermilleMax: UInt64 = 50
    /// Interval after which the counted losses of a route weigh half. A node's own memory is about as long: 128
    /// control blocks.
    static let lossMemory = Interval.seconds(40)
    /// Least number of datagrams over which a share of loss is taken.
    static let lossSampleMin: Int64 = 64
    /// Time for which a node may still suspect a fault of its own after the reason for it has ended.
    package static let doubtMax = Interval.seconds(8)
    /// Extra time that such a node may probe before a link goes down.
    static let doubtPatience = Interval.milliseconds(1_500)
    /// Promise I7: longest time for which a link may be up on one side only.
    package static let halfOpenMax = Interval.seconds(2)
    /// Promise I2: longest time for which a link may outlive the peer's instance: the silence, the missing echoes, the
    /// probes, and a packet under way.
    package static let instanceLagMax = Interval.milliseconds(3_500)
    /// Promise I12: time after the last fault between two nodes for which that fault may still end a link that both
    /// sides have up over a direct path. By then the echo of a heartbeat has come back, or the answer to a probe where
    /// the link is being verified.
    package static let sharedUnrestMax = Interval.milliseconds(1_500)
    /// Promise I12: time after the last fault between two nodes for which that fault may still end any other link: one
    /// that leads through a neighbour, that the peer has not had up for long, or that one side ends on purpose. The
    /// longest silence and the missing echoes after it take 4.4 s, and the longest verification of a node that doubts
    /// itself takes 2 s.
    package static let faultsApartMax = Interval.seconds(8)
    /// Interval between two looks at the statuses.
    package static let lookInterval = Interval.seconds(1)
    /// Interval between two looks of the checkers at the statuses, in a mesh in which nothing has been wrong for a
    /// while (`MeshSnapshot.isCalm`).
    package static let calmLookInterval = Interval.seconds(10)
    /// Time from a snapshot in which something was wrong to the next one.
    package static let secondLook = Interval.seconds(1)
    /// Time after which a peer must have reported its channels to a node. It begins when the link is up, the carrier
    /// delivers without delay, and no fault is left between the two.
    package static let listeningToldMax = Interval.seconds(10)
    /// Time for which a link must be up before the failures of earlier attempts are forgotten.
    package static let stableAfter = Interval.seconds(15)
    /// Greatest age of voice that a node still accepts: the life of a key generation (180 s), and the time that a
    /// packet may have waited in sockets.
    package static let voiceAgeInAllMax = Interval.seconds(185)
    /// Promise L14, for two nodes alone: time within which they link, even after a few failed attempts. It covers four
    /// waits after failures, and a dial without an answer.
    package static let pairBoundMax = Interval.seconds(12)
    /// Promise I17: greatest number of bytes that a node at rest sends in a second. Each peer gets a heartbeat every
    /// 500 ms less up to a quarter, of 77 bytes with IP and UDP headers: 176 bytes a second. The other 10 are for
    /// digests and link states (docs/WIRE-NEXT.md, "Sizes").
    package static func controlBytesMax(nodeCount: Int) -> UInt64 { UInt64(nodeCount - 1) * 186 }
    /// Promise L13: for at least this time a mesh must be quiet: no node loses, invites or dials another. The time
    /// begins `convergenceMax` after the faults stop. Before it begins, nodes still replace carriers that the faults
    /// left half open, because TCP notices only after `userTimeout`, and nodes may still wait after failures.
    package static let steadyStateCheck = Interval.seconds(10)
    /// Time after which two nodes have recovered from any fault between them, including the packets that were under
    /// way.
    static let steadyMin = Interval.seconds(10)
    /// Rest after which every pair that was linked at its start has renewed its keys (at 110 s, docs/WIRE.md), and
    /// everything sealed with the old keys has arrived.
    package static let renewalRest = Interval.seconds(125)
    /// Time within which a changed record or link state reaches every node: a push, the wait before nodes compare
    /// versions, and one lost frame of each that is sent again.
    package static let newsMax = Interval.seconds(5)
    /// Longest gap in a talker's voice that a listener may hear at rest.
    package static let restGapMax = Interval.seconds(1)
    /// Promise I6: a node must not declare a peer dead when nothing has been wrong between the two for longer than
    /// this. Within this time the node may declare it: both nodes may still wait after failed attempts, so that no link
    /// shows that the peer lives, and a suspicion from before may end with the verdict that the peer is dead.
    package static let falseDeathMin = convergenceMax
}
