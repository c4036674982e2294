package import Primitives

/// Bounds and fixed times of the simulated world.
package enum SimLimits {
    /// Nodes of one world; an address names its node in one byte.
    package static let nodesMax = 250
    package static let port: UInt16 = 7_400

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

    /// From asking for a higher instance until it is on disk.
    package static let counterWriteTime = Interval.milliseconds(12)

    // MARK: Bounds of the protocol that runs are held to

    /// L4: after the faults stop, every pair of the core is up.
    package static let convergenceMax = Interval.milliseconds(33_500)
    /// L5: from a crash until every neighbour's link is down, at five per cent loss or less.
    package static let detectionMax = Interval.seconds(2)
    package static let detectionLossPermilleMax: UInt64 = 50
    /// I7: a link that only one side believes in may live this long.
    package static let halfOpenMax = Interval.seconds(2)
    /// L13: after the time that L4 grants, a mesh is watched for being quiet: nobody is invited any
    /// more. Before it, carriers that the faults left half open are still being replaced: TCP
    /// notices after `userTimeout`, and failures of the first act may have left waits behind.
    package static let quietWatch = Interval.seconds(10)
}
