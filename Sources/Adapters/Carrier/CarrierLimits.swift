package import Primitives

/// Bounds of the carrier (docs/THREATS.md, "Threats and what meets them"). Everything is derived from 64 peers; tests
/// shorten the times.
package struct CarrierLimits: Sendable {
    // MARK: Admission

    /// Accepted connections that nobody has called `trust` for; twice `MeshScale.peersMax`.
    package var untrustedMax = 2 * MeshScale.peersMax
    /// Of those, from one address on an own link or of this host: a lab's nodes share one.
    package var untrustedPerNearSourceMax = MeshScale.peersMax
    /// Of those, from one source elsewhere: an IPv4 address or an IPv6 /64.
    package var untrustedPerFarSourceMax = 4
    /// From accept to the first bytes: a lost segment is sent again after 1 s (RFC 6298 §2).
    package var firstBytesTimeout = Interval.seconds(2)
    /// From the start of the handshake, or from the end of an own dial, to `trust`.
    package var trustTimeout = Interval.seconds(5)
    /// TLS handshakes that may start at once; further ones wait their turn.
    package var handshakeBurst = 64
    /// Between handshakes once the burst is used up: 100 a second.
    package var handshakeSpacing = Interval.milliseconds(10)
    /// Of the carrier's thread: below ordinary threads, so that voice goes before handshakes on a busy machine.
    package var niceValue: Int32 = 5
    /// Connections whose turn has not come: the last of them starts a second later.
    package var handshakesWaitingMax = 100
    /// Of a connection whose turn has not come: a ClientHello has some 2 KiB.
    package var bytesBeforeHandshakeMax = 16 * 1_024

    // MARK: Penalties for far sources (after OpenSSH's PerSourcePenalties, srclimit.c)

    package var penaltyForFailedHandshake = Interval.seconds(5)
    package var penaltyForTimeout = Interval.seconds(10)
    /// Less than this in sum is forgiven.
    package var penaltyMin = Interval.seconds(15)
    package var penaltyMax = Interval.seconds(600)
    /// Sources remembered; when full, new ones go unpunished rather than old ones free.
    package var penalizedSourcesMax = 4_096

    // MARK: Frames and queues

    /// A frame's body once `trust` was called.
    package var frameBytesMax = 65_536
    /// A frame's body before that.
    package var frameBytesBeforeTrustMax = 2_048
    /// Frames waiting for a slow peer, voice not counted; above it the carrier closes.
    package var outboundBytesMax = 256 * 1_024
    /// A frame weighs at least this: its array, its places in queues, and the time that the node spends on it.
    package var frameWeightMin = 1_024
    /// Weight of one peer's frames that the node has not handled; above it nothing more is read.
    package var inboundBytesMax = 256 * 1_024
    /// Weight of frames that one peer may have handled at once …
    package var intakeBurstBytes = 1_024 * 1_024
    /// … and the time in which `frameWeightMin` more may be: 2 MiB/s. Voice of 5 ms through the carrier and through
    /// four tunnels needs 1 MiB/s.
    package var intakeInterval = Interval.microseconds(488)
    /// Read and not cut into frames yet; of a peer that closes, the kernel hands over all it holds.
    package var unframedBytesMax = 1_024 * 1_024
    /// The same before `trust`: one frame of the largest size may have overtaken it.
    package var unframedBytesBeforeTrustMax = 80 * 1_024
    /// SO_RCVBUF of a connection, in bytes; the kernel doubles it.
    package var receiveBufferBytes: Int32 = 128 * 1_024
    /// Voice older than this is worth nothing to a listener.
    package var voiceAgeMax = Interval.milliseconds(200)
    /// 200 ms of 1.25 ms frames.
    package var voiceFramesMax = 160
    /// Handed to TLS in one piece: a record.
    package var writeBytesMax = 16 * 1_024

    // MARK: Connections

    /// To TCP established.
    package var connectTimeout = Interval.seconds(3)
    /// From TCP established to TLS done, on the side that dialled.
    package var handshakeTimeout = Interval.seconds(3)
    /// For frames still queued when `close` is called, then for the peer's close_notify.
    package var closeTimeout = Interval.seconds(1)
    /// TCP_USER_TIMEOUT (RFC 5482): unacknowledged data older than this ends the connection.
    package var userTimeoutMilliseconds: Int32 = 5_000
    /// TCP_NOTSENT_LOWAT: what the kernel may hold back behind the window, so that voice overtakes.
    package var notSentBytesMax: Int32 = 16 * 1_024
    /// Dials under way; Core asks for 8 at most.
    package var dialsMax = 4 * MeshScale.peersMax

    // MARK: Turns of the node's loop

    /// For so long events are handed on without a look at the node's sockets: an event more, at most 0.5 ms.
    package var turnMax = Interval.microseconds(100)
    /// Then they wait, for no longer than the sockets need.
    package var turnPause = Interval.microseconds(20)

    // MARK: Tunnels

    /// What leaves a tunnel's end in one piece: `WireLimits.tunnelDataBytesMax`.
    package var tunnelPieceBytesMax = 4_096
    /// Of each socket of a tunnel's pair. Small, for what lies there no voice overtakes.
    package var tunnelBufferBytes: Int32 = 16 * 1_024

    package init() {}

    /// What a frame of so many bytes counts for.
    package func weight(ofFrame byteCount: Int) -> Int { frameWeightMin + byteCount }

    /// The values that ship.
    package static let standard: CarrierLimits = {
        let limits = CarrierLimits()
        limits.requireConsistency()
        return limits
    }()

    /// The relations between the bounds; a service does not start without them.
    package func requireConsistency() {
        precondition(untrustedPerFarSourceMax <= untrustedPerNearSourceMax, "near sources are the trusted ones")
        precondition(untrustedPerNearSourceMax <= untrustedMax, "one source fits into the whole")
        precondition(frameBytesBeforeTrustMax <= frameBytesMax, "trust widens the limit")
        precondition(frameBytesMax < outboundBytesMax, "the largest frame fits into the queue")
        precondition(frameBytesMax < inboundBytesMax, "the largest frame can be received")
        precondition(frameBytesMax < unframedBytesBeforeTrustMax, "the largest frame can wait for trust")
        precondition(unframedBytesBeforeTrustMax <= unframedBytesMax, "trust widens the buffer")
        precondition(weight(ofFrame: frameBytesMax) <= intakeBurstBytes, "the largest frame can be handed on")
        precondition(penaltyMin <= penaltyMax, "a penalty can take effect")
        precondition(0 < handshakeBurst && .zero < handshakeSpacing, "handshakes can start")
    }
}
