package import Primitives
import Wire

/// Times and bounds of tunnelled carriers; their relations are held by a test.
package enum TunnelLimits {
    // MARK: At the ends

    /// Direct dials that have not opened by then are joined by a tunnel. Covers one lost SYN (RFC 6298 §2:
    /// tried again after 1 s) and the handshake after it.
    package static let directHeadStart = Interval.milliseconds(1_500)
    /// From asking a neighbour to TLS's end.
    package static let openingMax = Interval.seconds(2)
    /// Neighbours that are asked within one attempt; the next goes on with others. A peer that nobody can bring a
    /// carrier to would use up all the dials that there are for everybody.
    package static let neighboursPerAttemptMax = 4
    package static let ownMax = MeshScale.peersMax
    /// To one peer through one neighbour, who might only say that it is the peer who asks.
    package static let perPeerMax = MeshLimits.carriersPerPeerMax
    /// An end that has sent nothing for this long says that it is there.
    package static let keepAliveInterval = Interval.seconds(10)
    /// Nothing for this long, and the tunnel is over; for the neighbour as well.
    package static let silenceMax = Interval.seconds(30)
    /// Between searches for a direct carrier while a tunnel serves: doubling between these.
    package static let directSearchFirst = Interval.seconds(2)
    package static let directSearchMax = Interval.seconds(15)

    // MARK: At the neighbour

    package static let forwardedMax = 8
    /// Of these, asked for by one neighbour.
    package static let forwardedPerOpenerMax = 4
    /// Requests of all neighbours, and offers to this node.
    package static let requestsBurst = 16
    package static let requestInterval = Interval.milliseconds(250)
    /// Of these, one neighbour's.
    package static let requestsPerPeerBurst = 8
    package static let requestPerPeerInterval = Interval.milliseconds(500)
    /// Of one tunnel in one direction, frames included: credits are held back above it.
    package static let forwardedBytesPerSecond: Int64 = 131_072
    /// What may pass at once after a rest.
    package static let forwardedBurst = Interval.milliseconds(500)
}
