package import Primitives
import Wire

/// Times and bounds of tunnelled carriers. A test checks the relations between them.
package enum TunnelLimits {
    // MARK: At the ends

    /// Time after which a tunnel is dialled beside direct dials that have not opened. It covers one lost SYN, which
    /// is sent again after 1 s (RFC 6298 §2), and the handshake after it.
    package static let directHeadStart = Interval.milliseconds(1_500)
    /// The longest time from the request to a neighbour to the end of the TLS handshake.
    package static let openingMax = Interval.seconds(2)
    /// Neighbours that are asked within one attempt; the next attempt asks others. Without this bound, a peer that no
    /// neighbour can reach would use up the dials of all peers.
    package static let neighboursPerAttemptMax = 4
    /// Tunnels that this node has dialled, and tunnels that it has accepted. Each of the two has a limit of its own, so
    /// accepted tunnels never keep this node from a dial.
    package static let dialledMax = MeshScale.peersMax
    package static let acceptedMax = MeshScale.peersMax
    /// The share of one neighbour in `acceptedMax`. An honest neighbour forwards no more.
    package static let acceptedPerNeighbourMax = forwardedMax
    /// Tunnels that end at this node, with one peer through one neighbour; more offers are refused. Each neighbour has
    /// a count of its own, because it may name a peer that did not ask for a tunnel.
    package static let perPeerMax = MeshLimits.carriersPerPeerMax
    /// An end that has sent nothing for this long sends CREDIT 0, to show that it is alive.
    package static let keepAliveInterval = Interval.seconds(10)
    /// An end of a tunnel ends it if nothing came from the other end for this long. The neighbour that forwards the
    /// tunnel ends it if nothing came from one of the two ends.
    package static let silenceMax = Interval.seconds(30)
    /// The longest wait before a search for a direct carrier, while the session uses a tunnel. It doubles from the
    /// first value to the second.
    package static let directSearchFirst = Interval.seconds(2)
    package static let directSearchMax = Interval.seconds(15)

    // MARK: At the neighbour

    /// Tunnels between two other nodes.
    package static let forwardedMax = 8
    /// The share of one opener in `forwardedMax`; an opener asks for no more. If `forwardedMax` tunnels are open, a
    /// tunnel of the opener with most ends for an opener that has at least two fewer, unless the former has only
    /// `forwardedKeptMin`.
    package static let forwardedPerOpenerMax = 4
    /// An opener with so many tunnels, or fewer, loses none of them to another opener.
    package static let forwardedKeptMin = 2
    /// The rate of offers from all neighbours together. By an offer, a neighbour asks this node to be the other end of
    /// a tunnel: a TLS handshake begins with a peer that may be invented. By a request, a neighbour asks this node to
    /// forward a tunnel. Requests have no rate common to all neighbours, because a few neighbours could spend it.
    package static let offersBurst = 16
    package static let offerInterval = Interval.milliseconds(250)
    /// The rate of tunnel requests and offers from one neighbour.
    package static let requestsPerPeerBurst = 8
    package static let requestPerPeerInterval = Interval.milliseconds(500)
    /// The rate of one tunnel in one direction, in `TunnelStep.cost`. Above it, this node holds credit back.
    package static let forwardedBytesPerSecond: Int64 = 131_072
    /// After a pause, as much may pass at once as `forwardedBytesPerSecond` allows in this time.
    package static let forwardedBurst = Interval.milliseconds(500)
}
