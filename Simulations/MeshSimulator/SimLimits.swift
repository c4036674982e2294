package import Primitives

/// Bounds and fixed times of the simulated world.
package enum SimLimits {
    /// Nodes of one world; an address names its node in one byte.
    package static let nodesMax = 250
    package static let port: UInt16 = 7_400
    /// Where whoever overhears and replays has its socket; no node is there.
    package static let stranger = Endpoint(address: IPAddress(v4: 10, 254, 254, 254), port: 7_401)
    /// Where every node talks and listens.
    package static let channel = ChannelID(high: 0x6D61_696E, low: 0)

    // MARK: People who talk

    /// Channels over which a run's nodes may be spread.
    static let channelsMax = 8
    /// How far a card's clock may be off; real ones keep within 100.
    static let driftPartsPerMillionMax: UInt64 = 400

    // MARK: The stream model, after Linux

    /// First SYN retransmission (RFC 6298 §2.1).
    package static let connectRetry = Interval.seconds(1)
    /// Smallest retransmission time-out.
    package static let retransmitMin = Interval.milliseconds(200)
    /// TCP_USER_TIMEOUT: unacknowledged for so long ends the connection.
    package static let userTimeout = Interval.seconds(5)
    /// From the dial until TLS is through.
    package static let dialTimeout = Interval.seconds(5)
    /// Until address resolution on the own link gives up.
    package static let resolutionTimeout = Interval.seconds(3)
    package static let unsentBytesMax = 262_144
    package static let voiceAgeMax = Interval.milliseconds(200)
    package static let handshakesPendingMax = 128

    // MARK: A stopped process

    /// Datagrams that the socket buffer keeps for a process that does not read.
    package static let heldDatagramsMax = 256
    /// A shell that looks for gaps of a second or more, twice a second, is certain to find one of this length.
    package static let pauseNoticedMin = Interval.milliseconds(1_500)
    /// A processor that the hostile tape has slowed reads for so long in between.
    package static let slowReading = Interval.milliseconds(50)

    /// From asking for a higher instance until it is on disk.
    package static let counterWriteTime = Interval.milliseconds(12)

    /// The longest life of one run.
    package static let lifeMax = Interval.seconds(1_000_000)

    // MARK: Bounds of the protocol that runs are held to

    /// L4: after the faults stop, every pair of the core is up.
    package static let convergenceMax = Interval.milliseconds(33_500)
    /// L5: from a crash until every neighbour's link is down, at five per cent loss or less.
    package static let detectionMax = Interval.seconds(2)
    package static let detectionLossPermilleMax: UInt64 = 50
    /// What a way has lost counts half as much after so long, as it does with the nodes: 128 control blocks.
    static let lossMemory = Interval.seconds(40)
    /// Of fewer datagrams no share is taken.
    static let lossSampleMin: Int64 = 64
    /// By then a node that had reason to doubt itself has got over it.
    package static let doubtMax = Interval.seconds(8)
    /// So much longer it probes until then.
    static let doubtPatience = Interval.milliseconds(1_500)
    /// I7: a link that only one side believes in may live this long.
    package static let halfOpenMax = Interval.seconds(2)
    /// I2: a link with an instance that is gone lives on for as long at most: silence, missing echoes,
    /// probes and a packet on its way.
    package static let instanceLagMax = Interval.milliseconds(3_500)
    /// I12: by then a link that both have up, directly, has got over whatever was wrong with it: a heartbeat, or a
    /// probe where it is in doubt, has come back.
    package static let sharedUnrestMax = Interval.milliseconds(1_500)
    /// The same of one through a neighbour, or that its peer has given up after much loss: the longest silence and
    /// the missing echoes after it (4.4 s), and the longest verification of a node that doubts itself (2 s).
    package static let faultsApartMax = Interval.seconds(8)
    /// How often statuses are looked at.
    package static let lookInterval = Interval.seconds(1)
    /// The same of a mesh in which nothing has been amiss for a while.
    package static let calmLookInterval = Interval.seconds(10)
    /// From a picture in which something was wrong to the next.
    package static let secondLook = Interval.seconds(1)
    /// A link has stood, and a carrier brought whatever was said, for so long: the peer has told where it listens.
    package static let listeningToldMax = Interval.seconds(10)
    /// A link that has stood for so long has made up for its failures.
    package static let stableAfter = Interval.seconds(15)
    /// A generation's life and what may have waited in sockets.
    package static let voiceAgeInAllMax = Interval.seconds(185)
    /// L14 for a pair, with what a few failed attempts may have earned: four waits, and a dial that
    /// nobody answered.
    package static let pairBoundMax = Interval.seconds(12)
    /// I17: what a node sends at rest in a second: heartbeats of 500 ms less up to a quarter, 68 bytes
    /// each with their headers of the mesh, and a fifth for what is due now and then.
    package static func controlBytesMax(nodeCount: Int) -> UInt64 { UInt64(nodeCount - 1) * 186 }
    /// L13: after the time that L4 grants, a mesh is watched for being quiet: nobody is invited any
    /// more. Before it, carriers that the faults left half open are still being replaced: TCP
    /// notices after `userTimeout`, and failures of the first act may have left waits behind.
    package static let steadyStateCheck = Interval.seconds(10)
    /// Two have got over whatever was wrong between them, what was under way included.
    static let steadyMin = Interval.seconds(10)
    /// By then the keys of a pair that was linked when the watch began have been renewed: at 110 s (docs/WIRE.md), and
    /// what the old ones sealed has arrived.
    package static let renewalRest = Interval.seconds(125)
    /// Between two looks at what everybody knows: a push, the wait before versions are compared, and a lost frame of
    /// each.
    package static let newsMax = Interval.seconds(5)
    /// A listener at rest hears every talker at least so often.
    package static let restGapMax = Interval.seconds(1)
    /// Nobody is taken for dead with whom nothing has been wrong for so long: until then both may wait in quarantine,
    /// and a suspicion of before come to its end.
    package static let falseDeathMin = convergenceMax
}
