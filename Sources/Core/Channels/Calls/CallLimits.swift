package import Primitives
import Wire

/// Bounds of calls and requests (docs/WIRE.md, "Calls and requests").
package enum CallLimits {
    /// How long a call is open, in milliseconds.
    package static let milliseconds = WireLimits.callMilliseconds
    package static let millisecondsDefault: UInt32 = 30_000
    /// Own calls that are kept at once. For a further one, the oldest that nobody can answer any more goes.
    package static let outgoingMax = 16
    /// Calls of one peer, and of all peers, that are kept at once. A further one is dropped.
    package static let incomingOfPeerMax = 32
    package static let incomingMax = 512
    /// Calls that this node takes from one peer at once, and then one in each `callInterval`.
    package static let callsBurst = 6
    package static let callInterval = Interval.seconds(10)
    /// Requests of one peer to close the microphone of this node: one in each interval.
    package static let requestInterval = Interval.seconds(10)
    /// This node keeps the same allowances for what it sends to a peer, and refuses a command that the peer would drop.
    /// Its intervals are longer by this time, since the later frame may arrive faster than the earlier one.
    package static let ownIntervalMargin = Interval.seconds(1)
    /// Own requests that wait for their answer. A peer may have as many under way, so as many of its requests to others
    /// are shown at once.
    package static let requestsMax = 8
    /// A call is sent again after this time to the receivers that have neither accepted nor declined it, then after
    /// twice the time, and so on: a carrier may be lost together with the frames in it.
    package static let resendInterval = Interval.seconds(2)
    /// Shortest interval between two answers to copies of one call.
    package static let repeatInterval = Interval.seconds(1)
    /// A receiver remembers a call for this time after the time of the call is over, so that a late copy is not shown
    /// again.
    package static let memory = Interval.seconds(60)
    /// The time that a request has for its answer.
    package static let requestTime = Interval.seconds(10)
}
