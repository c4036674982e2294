package import Mesh
package import Primitives

/// What a checker is told: facts of the world beside what the nodes say of it. Nodes by number.
package enum Observation: Sendable {
    case started(node: Int, Instance)
    /// A node whose counter was rolled back goes on under this instance.
    case raised(node: Int, Instance)
    case peerAdvanced(observer: Int, peer: Int, Instance)
    case stopped(node: Int)
    case peerUp(observer: Int, peer: Int, slot: Int, Instance)
    case peerDown(observer: Int, peer: Int, slot: Int, Instance, DownReason)
    /// Voice for the peer goes through a neighbour from now on, or the echo came by one that brought its link.
    case relayed(observer: Int, peer: Int)
    /// The slow verdict: from now on the peer is drawn at random, whatever wait there was. Nothing had happened between
    /// the two for so long, nil where something is wrong, or the peer is off.
    case takenForDead(observer: Int, peer: Int, steadyFor: Interval?)
    /// Whether the peer's link comes and goes, so that people are told of its turns no more.
    case flapping(observer: Int, peer: Int, Bool)
    /// An event named somebody who is none of the nodes.
    case strangerUp(observer: Int, NodeID)
    case dialled(observer: Int, peer: Int, to: Endpoint, for: WantedPeer = WantedPeer())
    case invited(observer: Int, peer: Int)
    /// One side of a carrier has said no, or has heard it.
    case refused(observer: Int, peer: Int)
    /// A hint, a beacon, an accepted carrier, a record or a connect request came: it grants one more attempt.
    case prompted(observer: Int, peer: Int)
    /// Something came that ends a wait: a connect request, or a carrier that the peer has dialled.
    case connectRequestArrived(observer: Int, peer: Int)
    /// A voice packet left the node's mesh as heard in `slotHolder`'s slot.
    case voice(observer: Int, slotHolder: Int?, VoiceStamp?)
    /// A life of a node is on this channel.
    case tuned(node: Int, life: UInt32, ChannelID)
    /// A frame was decoded for the ear as of `slotHolder`; nil where it is no talker's.
    case sounded(observer: Int, slotHolder: Int?, VoiceStamp?)
    /// The process took a deadline again and again without time passing.
    case stuckTimer(node: Int, reason: String)
    case datagramSent(node: Int, byteCount: Int)
    /// A dial is over: it opened, failed, or was cancelled; nil where whoever answered would have been welcome.
    case dialEnded(node: Int, peer: Int?, hasFailed: Bool)
    /// A carrier through a neighbour ended that the process had not closed.
    case tunnelLost(observer: Int, peer: Int)
    /// A dial of any kind has begun, and so many are under way.
    case dialPlaceTaken(node: Int, inProgress: Int)
    /// A dial of any kind is over, and so many are left.
    case dialPlaceLeft(node: Int, inProgress: Int)
    /// Something that `peer` had sent was counted as an error by `observer`, with nothing wrong between the two.
    case errorCounted(observer: Int, peer: Int, String)
    /// A datagram left for one of the nodes.
    case sent(node: Int, to: Int)
    /// A datagram of `from`, neither damaged nor old, was read by the process of `to`, whichever way it came.
    case arrived(from: Int, to: Int)
    /// A stranger's address was sent so many bytes, or sent so many itself.
    case strangerServed(node: Int, byteCount: Int)
    case strangerHeard(node: Int, of: Int, byteCount: Int)
    /// A link went between two nodes that nothing had happened to for so long, nil where something is wrong between
    /// them; shared where the peer has had it up for long, directly.
    case linkLost(observer: Int, peer: Int, DownReason, steadyFor: Interval?, isShared: Bool)
    /// Old bytes of `peer` were given to `observer` again, who had this link with it before and after.
    case replayed(observer: Int, peer: Int, before: LinkID?, after: LinkID?)
    /// Old bytes, which had arrived before, were answered with so many frames when they came again.
    case replayAnswered(observer: Int, peer: Int, frames: UInt64)
    /// A tunnel's frame left inside a carrier that goes through a tunnel itself.
    case tunnelNested(node: Int, inCarrierTo: Int)
    /// The next dial leaves the instant at which the node has earned it: all it had were spent.
    case dialEarned(node: Int)
    /// One beyond what the node may start, by its own clock.
    case dialOverspent(node: Int)
    /// By the node's own clock, which counts its minutes.
    case advanceAsked(node: Int, ownTime: Instant)
    case followerInvited(observer: Int, peer: Int)
    /// The node is told of other addresses.
    case readdressed(node: Int)
    /// Other addresses, or a pause that is over: waits may end.
    case unsettled(node: Int)
    /// The node takes the fault for its own: it forgets all failures and tries everybody anew.
    case reset(node: Int)
}

/// What a dialling node knows of whom it dials.
package struct WantedPeer: Hashable, Sendable {
    /// The highest instance heard of.
    package var instance: Instance?
    /// It has left: nothing is waited for any more, and whatever says that it is there is worth an attempt.
    package var hasLeft = false

    package init(instance: Instance? = nil, hasLeft: Bool = false) {
        self.instance = instance
        self.hasLeft = hasLeft
    }
}

/// A broken promise.
package struct Violation: Hashable, Sendable {
    package enum Kind: String, Sendable {
        case safety
        case liveness
    }

    package var kind: Kind
    /// The checker that saw it, by its type's name.
    package var checker: String
    package var text: String
    package var at: Instant

    package init(kind: Kind, checker: String, text: String, at: Instant) {
        self.kind = kind
        self.checker = checker
        self.text = text
        self.at = at
    }
}

/// Watches a run from its beginning; one type for each invariant.
package protocol SafetyChecker {
    /// What is wrong with this observation after all that came before; nil where nothing is.
    mutating func observe(_ observation: Observation, at instant: Instant) -> String?
}
