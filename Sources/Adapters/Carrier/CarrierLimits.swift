package import Primitives

/// Limits of the carrier (docs/THREATS.md, "Threats and what meets them"). They are derived from 64 peers; tests use
/// shorter times.
package struct CarrierLimits: Sendable {
    // MARK: Places

    /// Accepted connections for which `trust` was not yet called.
    package var untrustedMax = 2 * MeshScale.peersMax
    /// Those from one near source: an address of this host, or on a network that this host is part of. All nodes of a
    /// lab share one address.
    package var untrustedPerNearSourceMax = MeshScale.peersMax
    /// Those from one far source: an IPv4 address or an IPv6 /64.
    package var untrustedPerFarSourceMax = 4
    /// Time from accept to the first bytes. TCP sends a lost segment again after 1 s (RFC 6298 §2).
    package var firstBytesTimeout = Interval.seconds(2)
    /// Time from the start of an accepted handshake, or from the end of a dialled one, to the call of `trust`.
    package var trustTimeout = Interval.seconds(5)
    /// TLS handshakes of accepted connections that may start at once; further ones wait.
    package var handshakeBurst = 64
    /// Time between the starts of handshakes after the burst: 100 a second.
    package var handshakeSpacing = Interval.milliseconds(10)
    /// Nice value of the carrier's thread: on a busy machine, voice then goes before handshakes.
    package var niceValue: Int32 = 5
    /// Connections that wait for the start of their handshake: the last one waits for a second.
    package var handshakesWaitingMax = 100
    /// Bytes that a waiting connection may send; a ClientHello has about 2 KiB.
    package var bytesBeforeHandshakeMax = 16 * 1_024

    // MARK: Penalties for far sources (after OpenSSH's PerSourcePenalties, srclimit.c)

    package var penaltyForFailedHandshake = Interval.seconds(5)
    package var penaltyForTimeout = Interval.seconds(10)
    /// Sum of penalties from which a source is refused.
    package var penaltyMin = Interval.seconds(15)
    /// Longest time for which a source is refused.
    package var penaltyMax = Interval.seconds(600)
    /// Sources with penalties. If the table is full, a further source gets no penalty, and none is forgiven early.
    package var penalizedSourcesMax = 4_096

    // MARK: Frames and queues

    /// Bytes of a frame's body after the call of `trust`.
    package var frameBytesMax = 65_536
    /// Bytes of a frame's body before the call of `trust`.
    package var frameBytesBeforeTrustMax = 2_048
    /// Bytes of frames, without voice, that wait for a slow peer; if there are more, the carrier is closed.
    package var outboundBytesMax = 256 * 1_024
    /// Weight of a frame besides its bytes, for memory in arrays and queues, and for the time that the node spends on
    /// it.
    package var frameWeightBase = 1_024
    /// Weight of one peer's frames that the node has not handled yet. If it is greater, the peer's connections are not
    /// read.
    package var inboundBytesMax = 256 * 1_024
    /// Weight of frames that one peer may send at once.
    package var intakeBurstBytes = 1_024 * 1_024
    /// Time after which a peer may send frames of `frameWeightBase` more weight: 3 MiB/s. Voice in frames of 2.5 ms
    /// through the carrier and through four tunnels needs 2.2 MiB/s.
    package var intakeInterval = Interval.microseconds(325)
    /// Bytes that were read but not yet split into frames. When a peer closes, the kernel delivers all its bytes at
    /// once.
    package var unframedBytesMax = 1_024 * 1_024
    /// The same before the call of `trust`: a frame of the largest size may have come before that call.
    package var unframedBytesBeforeTrustMax = 80 * 1_024
    /// SO_RCVBUF of a connection; the kernel doubles it.
    package var receiveBufferBytes: Int32 = 128 * 1_024
    /// Voice that has waited longer is dropped, since a listener can no longer play it.
    package var voiceAgeMax = Interval.milliseconds(200)
    /// Voice frames that wait for a slow peer: 200 ms in frames of 1.25 ms.
    package var voiceFramesMax = 160
    /// Bytes that are passed to TLS at once: a TLS record.
    package var writeBytesMax = 16 * 1_024

    // MARK: Connections

    /// Time until TCP is established.
    package var connectTimeout = Interval.seconds(3)
    /// Time from TCP established to the end of the TLS handshake, on the side that dialled.
    package var handshakeTimeout = Interval.seconds(3)
    /// Time, after `close` was called, to send the queued frames; and then the same time to close TLS.
    package var closeTimeout = Interval.seconds(1)
    /// TCP_USER_TIMEOUT (RFC 5482): the connection ends if data stays unacknowledged for longer.
    package var userTimeoutMilliseconds: Int32 = 5_000
    /// TCP_NOTSENT_LOWAT: bytes that the kernel may hold unsent. Few, since voice cannot overtake them.
    package var notSentBytesMax: Int32 = 16 * 1_024
    /// Dials under way; Core starts 8 at most.
    package var dialsMax = 4 * MeshScale.peersMax

    // MARK: Turns of the node loop

    /// Time for which events are delivered before the node loop looks at its sockets. The last event may exceed it by
    /// up to 0.5 ms.
    package var turnMax = Interval.microseconds(100)
    /// Pause after that, in which the loop serves its sockets.
    package var turnPause = Interval.microseconds(20)

    // MARK: Tunnels

    /// Bytes of a piece of a tunnel's stream: `WireLimits.tunnelDataBytesMax`.
    package var tunnelPieceBytesMax = 4_096
    /// SO_SNDBUF of each socket of a tunnel's pair. Small, since voice cannot overtake the bytes in it.
    package var tunnelBufferBytes: Int32 = 16 * 1_024

    package init() {}

    /// Returns the weight of a frame of `byteCount` bytes.
    package func weight(ofFrame byteCount: Int) -> Int { frameWeightBase + byteCount }

    /// The limits of the product.
    package static let standard: CarrierLimits = {
        let limits = CarrierLimits()
        limits.requireConsistency()
        return limits
    }()

    /// Traps if the limits contradict each other; called when a service starts.
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
