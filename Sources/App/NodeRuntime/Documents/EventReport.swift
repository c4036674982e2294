import ControlPlane
import Mesh
import Primitives
import Wire

/// A mesh event in the words of `partyline events`: kind, whom it is about, one sentence.
struct EventReport {
    var kind: String
    var peer: NodeID?
    var name: String?
    var text: String
    var details: [String: String] = [:]

    /// - Parameter nameOf: the display name of a node, already fit for a terminal.
    init(_ event: MeshEvent, nameOf: (NodeID) -> String) {
        switch event {
        case .peerUp(_, let node, let instance, let name):
            self.init("peer_up", node, name.string, "\(name) is here", ["instance": "\(instance)"])
        case .pathChanged(_, let node, let path, let neighbour):
            let way = neighbour.map { "through \(nameOf($0))" } ?? path.words
            self.init(
                "path_changed", node, nameOf(node), "\(nameOf(node)) is now reached \(way)",
                ["path": path.word, "via": neighbour?.text ?? ""].filter { !$0.value.isEmpty })
        case .peerVerifying(_, let node):
            self.init("peer_verifying", node, nameOf(node), "\(nameOf(node)) has gone silent; asking")
        case .peerDown(_, let node, let instance, let reason):
            let details = ["instance": "\(instance)", "reason": reason.word]
            self.init("peer_down", node, nameOf(node), "\(nameOf(node)) is gone: \(reason.words)", details)
        case .peerSuspected, .peerDead, .peerFlapping, .localReset:
            self.init(verdict: event, nameOf: nameOf)
        case .peerChannels(_, let node, let channels):
            self.init("peer_channels", node, nameOf(node), "\(nameOf(node)) is on \(channels.count) channel(s)")
        case .peerProfile(let node, let name, _, _):
            self.init("peer_profile", node, name.string, "\(node.short) calls itself \(name)")
        case .peerTalking(_, let node, let isTalking):
            let text = "\(nameOf(node)) \(isTalking ? "talks" : "stops talking")"
            self.init("talking", node, nameOf(node), text, ["talking": "\(isTalking)"])
        case .peerRecording(_, let node, let isRecording):
            self.init(peerRecording: node, nameOf(node), isRecording)
        case .peerAdvanced(_, let node, let instance):
            let text = "\(nameOf(node)) goes on as start \(instance): its counter had been rolled back"
            self.init("peer_raised", node, nameOf(node), text, ["instance": "\(instance)"])
        case .ownInstanceAdvanced(let instance):
            let text = "this node goes on as start \(instance): its counter had been rolled back"
            self.init("own_instance_raised", nil, nil, text, ["instance": "\(instance)"])
        case .ghostDropped(let node, let instance):
            let text = "an old start of \(nameOf(node)) was turned away"
            self.init("ghost_dropped", node, nameOf(node), text, ["instance": "\(instance)"])
        case .holeRepaired(let node):
            self.init("hole_repaired", node, nameOf(node), "\(nameOf(node)) was found through a neighbour")
        case .quarantined(let node, _):
            self.init("quarantined", node, nameOf(node), "\(nameOf(node)) failed too often; left alone for a while")
        case .duplicateIdentity(let node):
            self.init("duplicate_identity", node, nameOf(node), "two nodes use the identity of \(nameOf(node))")
        case .refused(let node, let reason):
            self.init(
                "refused", node, nameOf(node), "\(nameOf(node)) refused: \(reason.words)", ["reason": reason.word])
        case .invitationAsked(let node, let name):
            self.init("invitation_asked", node, name.string, "\(name) asks to join")
        case .probeAnswered(_, let node, let rtt):
            let details = ["rtt_us": "\(rtt.microseconds)"]
            self.init("probe_answered", node, nameOf(node), "\(nameOf(node)) answered after \(rtt)", details)
        case .cliqueComplete(let peerCount):
            self.init("clique_complete", nil, nil, "everybody hears everybody: \(peerCount) peer(s)")
        case .cliqueBroken:
            self.init("clique_broken", nil, nil, "somebody does not hear somebody")
        }
    }

    /// What the slow verdict says.
    private init(verdict event: MeshEvent, nameOf: (NodeID) -> String) {
        switch event {
        case .peerSuspected(let node):
            self.init("peer_suspected", node, nameOf(node), "\(nameOf(node)) may be gone; others are asked")
        case .peerDead(let node, let instance):
            self.init(
                "peer_dead", node, nameOf(node), "\(nameOf(node)) is taken for dead", ["instance": "\(instance)"])
        case .peerFlapping(let node, let isFlapping):
            let text =
                isFlapping
                ? "\(nameOf(node)) comes and goes; its changes are no longer reported"
                : "\(nameOf(node)) is steady again"
            self.init("peer_flapping", node, nameOf(node), text, ["flapping": "\(isFlapping)"])
        case .localReset(let peerCount):
            self.init("local_reset", nil, nil, "the fault is here: \(peerCount) peer(s) are tried anew at once")
        default: illegal("\(event)", in: "the report of a verdict")
        }
    }

    /// A key that somebody sits on has been let go for him.
    static func keyStuck(limit: Interval) -> EventReport {
        let (seconds, tenths) = (limit.milliseconds / 1_000, limit.milliseconds % 1_000 / 100)
        let text = tenths == 0 ? "\(seconds)" : "\(seconds).\(tenths)"
        return EventReport(
            "talk_key_stuck", nil, nil, "the talk key was held for \(text) s and has been let go", ["limit_s": text])
    }

    /// The microphone heard the loudspeaker in a loop, and was turned down.
    static func howl(count: UInt64) -> EventReport {
        EventReport("howl", nil, nil, "feedback: the microphone has been turned down", ["count": "\(count)"])
    }

    /// The machine has gone over to its battery, or back.
    static func powerSaving(_ isOnBattery: Bool) -> EventReport {
        let text = isOnBattery ? "on battery: longer frames and fewer wake-ups" : "no longer on battery"
        return EventReport("power_saving", nil, nil, text, ["on_battery": "\(isOnBattery)"])
    }

    /// One turn of a link that comes and goes.
    var isTurn: Bool {
        ["peer_up", "peer_down", "peer_verifying", "peer_suspected", "path_changed", "hole_repaired"].contains(kind)
    }

    /// Where the event says that a peer comes and goes, or no longer does.
    var isFlapping: Bool? { kind == "peer_flapping" ? details["flapping"] == "true" : nil }

    init(_ kind: String, _ peer: NodeID?, _ name: String?, _ text: String, _ details: [String: String] = [:]) {
        self.kind = kind
        self.peer = peer
        self.name = name
        self.text = text
        self.details = details
    }
}
