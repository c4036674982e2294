package import Primitives

/// An event of the carrier service. Events are delivered in order, on the node loop.
///
/// Each `opened` or `openedThrough` is followed by exactly one `closed`. Each dial leads to exactly one `opened`,
/// `openedThrough` or `dialFailed`, unless it was cancelled before.
package enum CarrierEvent: Sendable {
    /// A carrier is open, and TLS has authenticated `peer`. `dial` is the dial that made it; nil if it was accepted.
    case opened(CarrierID, peer: NodeID, dial: DialID?, remote: Endpoint)
    /// A complete frame, without its length field.
    case frame(CarrierID, [UInt8])
    case closed(CarrierID, CarrierCloseReason)
    case dialFailed(DialID, CarrierDialFailure)
    /// As `opened`, for a carrier in a tunnel.
    case openedThrough(CarrierID, peer: NodeID, TunnelID)
    /// Bytes that TLS wrote into a tunnel, at most `CarrierLimits.tunnelPieceBytesMax`. One event answers each call of
    /// `tunnelReady`.
    case tunnelPiece(TunnelID, [UInt8])
    /// All bytes of one call of `tunnelBytes` have reached TLS.
    case tunnelTook(TunnelID, byteCount: Int)
    /// TLS has closed its end of the tunnel, and all its pieces were delivered; or that end could not be made. It is
    /// not sent for a tunnel that `closeTunnel` has closed.
    case tunnelFinished(TunnelID)
}

/// The reason why an open carrier ended.
package enum CarrierCloseReason: UInt8, CaseIterable, Sendable {
    /// The peer closed the stream, or this node called `close`.
    case closed
    /// The connection failed.
    case reset
    /// The peer acknowledged nothing for `CarrierLimits.userTimeoutMilliseconds`.
    case timedOut
    /// The peer sent too long a frame or too many bytes, or the queue to the peer is full.
    case overflow
    /// `trust` was not called in time, or the service shuts down.
    case refused
}

/// The reason why a dial failed.
package enum CarrierDialFailure: UInt8, CaseIterable, Sendable {
    /// There is no route, or too many dials are under way.
    case unreachable
    /// Nothing listens at the address.
    case refused
    /// TCP or TLS was not established in time.
    case timedOut
    /// TLS failed: no certificate, a certificate of another kind, or another application protocol.
    case handshake
    /// Another node answered. This counts against the address, not against the expected peer.
    case otherIdentity
    /// This node itself answered.
    case own
}

/// The counters of the service, shown in `status`.
package enum CarrierCounter: Int, CaseIterable, Sendable {
    case accepted, refusedFull, refusedSource, refusedPenalty, refusedPace, delayedHandshakes
    case handshakesFailed, certificatesRefused, verificationSkipped, wrongProtocol
    case trustTimeouts, oversizedFrames, queueOverflows, voiceFramesDropped, sendsToClosed
    /// `delayedReads`: a peer's frames had to wait for its allowance. `inboundOverflows`: a peer sent more bytes than
    /// may wait.
    case delayedReads, inboundOverflows
}
