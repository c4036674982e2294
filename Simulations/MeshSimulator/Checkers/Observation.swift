package import Mesh
package import Primitives
package import Trust
package import Wire

/// A report of the world to its checkers: a fact of the world, or a report of a node. Nodes are numbers.
package enum Observation: Sendable {
    case started(node: Int, Instance)
    /// A node whose counter was rolled back has advanced to this instance.
    case advanced(node: Int, Instance)
    case peerAdvanced(observer: Int, peer: Int, Instance)
    /// The node's process has written its counter with this instance, durably.
    case counterWritten(node: Int, Instance)
    case stopped(node: Int)
    /// What the node is from now on: reported when it starts, when it enters a closed mesh, and when it has stored a
    /// change of its mesh, such as another epoch.
    case stands(node: Int, TrueStanding)
    /// A person opens a pairing window at a node, or closes it.
    case pairingOpened(node: Int, codeKey: [UInt8])
    case pairingClosed(node: Int)
    /// A newcomer was given the secret of a closed mesh for the code with the key `codeKey`. The code of that mesh has
    /// the key `meshCodeKey`.
    case entered(node: Int, by: CodeKind, codeKey: [UInt8], meshCodeKey: [UInt8]?)
    case peerUp(observer: Int, peer: Int, slot: Int, Instance)
    case peerDown(observer: Int, peer: Int, slot: Int, Instance, DownReason)
    /// From now on voice for the peer goes through a neighbour, or the echo that brought the link up came through a
    /// neighbour.
    case relayed(observer: Int, peer: Int)
    /// The observer declares the peer dead. From now on, without a new sign of the peer, it dials the peer only by
    /// random retry. `steadyFor` is how long nothing has been wrong between the two; nil if something is wrong, or the
    /// peer is off.
    case takenForDead(observer: Int, peer: Int, steadyFor: Interval?)
    /// Whether the peer's link flaps, so that the observer no longer reports its ups and downs to a person.
    case flapping(observer: Int, peer: Int, Bool)
    /// An event named a peer that is none of the nodes.
    case strangerUp(observer: Int, NodeID)
    case dialled(observer: Int, peer: Int, to: Endpoint, for: WantedPeer = WantedPeer())
    case invited(observer: Int, peer: Int)
    /// One side of a carrier has sent or received a refusal.
    case refused(observer: Int, peer: Int)
    /// Something arrived that grants one more attempt: a hint, a beacon, an accepted carrier, a record, a connect
    /// request, or a neighbour's link to a peer that was taken for dead.
    case prompted(observer: Int, peer: Int)
    /// Something arrived that ends a wait: a connect request, or a carrier that the peer has dialled.
    case requestSent(observer: Int, peer: Int)
    /// The Core of the observer passed on a received voice packet as the voice of the peer in a slot. `slotHolder` is
    /// that peer; nil if no peer has the slot.
    case voice(observer: Int, slotHolder: Int?, VoiceStamp?)
    /// A life of a node is on this channel.
    case tuned(node: Int, life: UInt32, ChannelID)
    /// A node speaks a frame.
    case said(VoiceStamp, to: SpokenTo)
    /// A node joins a channel, or parts it.
    case listens(node: Int, ChannelID, isOn: Bool)
    /// A slow process reads nothing, and its captured frames wait; or it reads again, and then sends these frames.
    case heldBack(node: Int, isOn: Bool)
    /// From now on a node has the code with this number for the channel; nil if the node forgets its code.
    case holdsCode(node: Int, ChannelID, code: UInt8?)
    /// A person calls these nodes.
    case callMade(caller: Int, CallID, receivers: [Int], isUrgent: Bool = false)
    /// A person sets do-not-disturb at a node, or ends it.
    case quieted(node: Int, isOn: Bool)
    /// A person answers a call.
    case callDecided(by: Int, caller: Int, CallID, isAccepted: Bool)
    /// The observer shows a call to its person.
    case callShown(observer: Int, caller: Int?, CallID)
    /// The caller learns the answer of a peer.
    case callAnswered(caller: Int, by: Int?, CallID, CallAnswer)
    /// A frame was decoded for playback in the slot of `slotHolder`; nil if no talker holds the slot. `toldSince`:
    /// since this instant nothing has delayed the news of the observer's channels on its way to the talker. It is nil
    /// if something delays that news now, and if the observer has changed no channel since the frame was said: then no
    /// checker needs it.
    case sounded(observer: Int, slotHolder: Int?, VoiceStamp?, toldSince: Instant? = nil)
    /// What a listener has counted of a talker, twenty times a second. `isTalking`: the listener plays the talker, or
    /// waits for more. `arrivalMax`: within this time arrives all that the talker sends the listener; nil if something
    /// may be lost or late.
    case received(observer: Int, talker: Int, lostSamples: UInt64, isTalking: Bool, arrivalMax: Interval?)
    /// The process handled a deadline again and again, and no time passed.
    case stuckTimer(node: Int, reason: String)
    case datagramSent(node: Int, byteCount: Int)
    /// A dial to an address is over. It opened, failed or was cancelled; the last two count as failed. `peer` is nil
    /// where the dial expected no particular peer.
    case dialEnded(node: Int, peer: Int?, hasFailed: Bool)
    /// A carrier through a neighbour ended, and the process had not closed it.
    case tunnelLost(observer: Int, peer: Int)
    /// A dial of any kind has begun; `inProgress` dials are under way now.
    case dialPlaceTaken(node: Int, inProgress: Int)
    /// A dial of any kind is over; `inProgress` dials are left.
    case dialPlaceLeft(node: Int, inProgress: Int)
    /// The observer counted as an error something that `peer` had sent, while nothing was wrong between the two.
    case errorCounted(observer: Int, peer: Int, String)
    /// A datagram left for one of the nodes.
    case sent(node: Int, to: Int)
    /// The process of `to` read a datagram of `from`, over any route. A damaged datagram does not count, nor does a
    /// copy that a stranger sends after the datagram has arrived.
    case arrived(from: Int, to: Int)
    /// `strangerServed`: the node sent this number of bytes to the stranger's address. `strangerHeard`: the stranger
    /// sent the node this number of bytes, a copy of a datagram that node `of` had sent to the node.
    case strangerServed(node: Int, byteCount: Int)
    case strangerHeard(node: Int, of: Int, byteCount: Int)
    /// The link of the observer to the peer went down. `steadyFor` is how long nothing has been wrong between the two;
    /// nil where something is wrong, or a person may have ended the link. `isShared` says that the peer has long had
    /// the link up, over a direct path.
    case linkLost(observer: Int, peer: Int, DownReason, steadyFor: Interval?, isShared: Bool)
    /// The observer received old bytes of `peer` again. `before` and `after`: the id of the observer's link to the peer
    /// just before these bytes and just after them; nil if that link is not up.
    case replayed(observer: Int, peer: Int, before: LinkID?, after: LinkID?)
    /// The observer received old bytes that had arrived before, and answered them with this number of frames.
    case replayAnswered(observer: Int, peer: Int, frames: UInt64)
    /// The node sent a tunnel's frame on a carrier that itself goes through a tunnel.
    case tunnelNested(node: Int, inCarrierTo: Int)
    /// The node starts a dial at the instant at which its budget has earned it; until then the budget was empty.
    case dialEarned(node: Int)
    /// The node starts a dial although its budget is empty, and so breaks promise I10. The budget runs by the node's
    /// own clock.
    case dialOverspent(node: Int)
    /// The node asks to advance its instance. `ownTime` is by the node's own clock, which meters these requests.
    case advanceAsked(node: Int, ownTime: Instant)
    case followerInvited(observer: Int, peer: Int)
    /// The node learns other addresses of its own.
    case readdressed(node: Int)
    /// Something happened that may end waits: other addresses, the end of a pause, or a change of the node's clock.
    case unsettled(node: Int)
    /// The machine of a node has slept for this time, until now, and the node is not told: its clock stood still.
    case overslept(node: Int, Interval)
}

/// The knowledge of a node about the peer that it dials.
package struct WantedPeer: Hashable, Sendable {
    /// The highest instance that the node knows of the peer.
    package var instance: Instance?
    /// The peer has said LEAVE. The node no longer waits because of earlier failures: each later sign of the peer may
    /// start an attempt at once.
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
    /// Whether the checker judges the conduct of a node alone, and so holds beside hostile peers too. The others
    /// compare the word of a node with the truth about a peer, which a hostile peer may bend.
    var judgesConduct: Bool { get }
    /// The observations that the checker looks at; it gets no others.
    var kinds: ObservationKinds { get }
    /// Returns what is wrong with this observation after all earlier ones; nil if nothing is wrong.
    mutating func observe(_ observation: Observation, at instant: Instant) -> String?
}

extension SafetyChecker {
    package var judgesConduct: Bool { false }
    package var kinds: ObservationKinds { .others }
}

/// Kinds of observations, as far as a checker chooses among them. Most observations are of voice or of single
/// datagrams, and few checkers look at them.
package struct ObservationKinds: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// `.sent` and `.arrived`.
    package static let datagrams = ObservationKinds(rawValue: 1)
    package static let voice = ObservationKinds(rawValue: 2)
    package static let said = ObservationKinds(rawValue: 4)
    package static let sounded = ObservationKinds(rawValue: 8)
    package static let others = ObservationKinds(rawValue: 16)
    package static let received = ObservationKinds(rawValue: 32)
    package static let all: ObservationKinds = [.datagrams, .voice, .said, .sounded, .others, .received]
}

extension Observation {
    /// The one kind of the observation.
    var kind: ObservationKinds {
        switch self {
        case .sent, .arrived: .datagrams
        case .voice: .voice
        case .said: .said
        case .sounded: .sounded
        case .received: .received
        default: .others
        }
    }
}
