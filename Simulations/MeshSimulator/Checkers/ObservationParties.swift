/// Which nodes an observation is about, for runs with hostile members.
extension Observation {
    /// The node whose conduct or whose word the observation reports; nil for a fact of the world, which checkers need
    /// of hostile members too.
    var actor: Int? {
        switch self {
        case .started, .advanced, .stopped, .stands, .tuned, .said, .listens, .callMade, .callDecided, .quieted,
            .counterWritten, .stuckTimer, .readdressed, .unsettled, .pairingOpened, .pairingClosed, .entered,
            .holdsCode, .heldBack, .overslept:
            nil
        case .peerAdvanced(let node, _, _), .peerUp(let node, _, _, _), .peerDown(let node, _, _, _, _),
            .relayed(let node, _), .takenForDead(let node, _, _), .flapping(let node, _, _), .strangerUp(let node, _),
            .dialled(let node, _, _, _), .invited(let node, _), .refused(let node, _), .prompted(let node, _),
            .requestSent(let node, _), .voice(let node, _, _), .callShown(let node, _, _),
            .callAnswered(let node, _, _, _), .sounded(let node, _, _, _), .received(let node, _, _, _, _),
            .datagramSent(let node, _),
            .dialEnded(let node, _, _), .tunnelLost(let node, _), .dialPlaceTaken(let node, _),
            .dialPlaceLeft(let node, _), .errorCounted(let node, _, _), .sent(let node, _), .arrived(_, let node),
            .strangerServed(let node, _), .strangerHeard(let node, _, _), .linkLost(let node, _, _, _, _),
            .replayed(let node, _, _, _), .replayAnswered(let node, _, _), .tunnelNested(let node, _),
            .dialEarned(let node), .dialOverspent(let node), .advanceAsked(let node, _), .followerInvited(let node, _):
            node
        }
    }

    /// The peer of the actor of which the observation says something; nil if it is about the actor alone. Voice counts
    /// as the word of its talker only in that talker's own slot, because the node that plays it has chosen the slot.
    package var subject: Int? {
        switch self {
        case .peerAdvanced(_, let peer, _), .peerUp(_, let peer, _, _), .peerDown(_, let peer, _, _, _),
            .relayed(_, let peer), .takenForDead(_, let peer, _), .flapping(_, let peer, _),
            .dialled(_, let peer, _, _), .invited(_, let peer), .refused(_, let peer), .prompted(_, let peer),
            .requestSent(_, let peer),
            .tunnelLost(_, let peer), .errorCounted(_, let peer, _), .sent(_, let peer), .arrived(let peer, _),
            .linkLost(_, let peer, _, _, _), .replayed(_, let peer, _, _), .replayAnswered(_, let peer, _),
            .followerInvited(_, let peer), .received(_, let peer, _, _, _):
            peer
        case .dialEnded(_, let peer, _), .callShown(_, let peer, _), .callAnswered(_, let peer, _, _): peer
        case .voice(_, let holder, let stamp), .sounded(_, let holder, let stamp, _):
            stamp == nil || stamp?.talker == holder ? holder : nil
        case .started, .advanced, .stopped, .stands, .tuned, .said, .listens, .callMade, .callDecided, .quieted,
            .counterWritten, .stuckTimer, .readdressed, .unsettled, .strangerUp, .datagramSent, .dialPlaceTaken,
            .dialPlaceLeft, .strangerServed, .strangerHeard, .tunnelNested, .dialEarned, .dialOverspent, .advanceAsked,
            .pairingOpened, .pairingClosed, .entered, .holdsCode, .heldBack, .overslept:
            nil
        }
    }
}
