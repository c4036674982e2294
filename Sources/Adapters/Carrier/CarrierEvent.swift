package import Primitives

/// What the carrier service tells the node, in order, on the node's loop.
///
/// Every `opened` is followed by exactly one `closed`; every dial ends in exactly one `opened`
/// (which names it) or `dialFailed`, unless it was cancelled first.
package enum CarrierEvent: Sendable {
    /// TLS has proved `peer`. `dial` names the own dial that led here, nil for an accepted one.
    case opened(CarrierID, peer: NodeID, dial: DialID?, remote: Endpoint)
    /// One whole frame, without its length.
    case frame(CarrierID, [UInt8])
    case closed(CarrierID, CarrierCloseReason)
    case dialFailed(DialID, CarrierDialFailure)
    /// As `opened`, of a carrier in a tunnel.
    case openedThrough(CarrierID, peer: NodeID, TunnelID)
    /// What TLS wrote into a tunnel, at most `CarrierLimits.tunnelPieceBytesMax`: one for each `tunnelReady`.
    case tunnelPiece(TunnelID, [UInt8])
    /// Bytes of one `tunnelBytes`, all of them, have reached TLS.
    case tunnelTook(TunnelID, byteCount: Int)
    /// TLS has closed its end, and every piece was told; or there never was one. Not told of a tunnel
    /// that `closeTunnel` has closed.
    case tunnelFinished(TunnelID)
}

/// Why an open carrier ended.
package enum CarrierCloseReason: UInt8, CaseIterable, Sendable {
    /// The peer closed the stream, or `close` was called here.
    case closed
    case reset
    /// Nothing acknowledged for `CarrierLimits.userTimeoutMilliseconds`.
    case timedOut
    /// The peer sent a frame above its limit, or the queue to it is full.
    case overflow
    /// `trust` was not called in time, or the service shuts down.
    case refused
}

/// Why a dial came to nothing.
package enum CarrierDialFailure: UInt8, CaseIterable, Sendable {
    case unreachable
    case refused
    case timedOut
    /// TLS failed: no certificate, wrong kind, wrong application protocol.
    case handshake
    /// Somebody else answers there: the address's fault, not the peer's.
    case otherIdentity
    /// The address is this node itself.
    case own
}

/// What the service has counted; shown in `status`.
package enum CarrierCounter: Int, CaseIterable, Sendable {
    case accepted, refusedFull, refusedSource, refusedPenalty, refusedPace, delayedHandshakes
    case handshakesFailed, certificatesRefused, verificationSkipped, wrongProtocol
    case trustTimeouts, oversizedFrames, queueOverflows, voiceFramesDropped, sendsToClosed
    /// A peer's frames waited for its allowance; a peer sent more than may wait.
    case delayedReads, inboundOverflows
}
