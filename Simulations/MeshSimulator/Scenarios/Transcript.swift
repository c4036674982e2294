import Mesh
import Primitives
import Wire

/// A run as people would see it: one line for each event that matters to them.
///
/// Times are cut to a tenth of a second, so that a transcript survives changes that are too small to notice.
package struct Transcript: Sendable {
    package private(set) var lines: [String] = []

    /// Whether dials, carriers and faults are written too, and times to the microsecond.
    private let isDetailed: Bool

    package init(isDetailed: Bool = false) { self.isDetailed = isDetailed }

    package mutating func takeLines() -> [String] {
        defer { lines = [] }
        return lines
    }

    mutating func add(_ text: String, at instant: Instant) {
        guard !isDetailed else {
            lines.append("\(instant)  \(text)")
            return
        }
        let tenths = instant.nanoseconds / 100_000_000
        lines.append("\(tenths / 10).\(tenths % 10)s  \(text)")
    }

    mutating func record(_ event: MeshEvent, at node: Int, in world: World) {
        if let text = Transcript.text(of: event, in: world) { add("\(world.name(node)): \(text)", at: world.now) }
    }

    /// Returns the text of a node's event; nil if the event does not matter to people.
    static func text(of event: MeshEvent, in world: World) -> String? {
        func name(_ id: NodeID) -> String { world.number(of: id).map { world.name($0) } ?? "a stranger" }
        return switch event {
        case .peerUp(_, let peer, let instance, _): "\(name(peer)) up, instance \(instance)"
        case .peerDown(_, let peer, _, let reason): "\(name(peer)) down, \(reason)"
        case .pathChanged(_, let peer, let path, let neighbour):
            "\(name(peer)) on path \(path)" + (neighbour.map { " through \(name($0))" } ?? "")
        case .ghostDropped(let peer, let instance): "ghost of \(name(peer)), instance \(instance), dropped"
        case .peerAdvanced(_, let peer, let instance): "\(name(peer)) goes on as instance \(instance)"
        case .ownInstanceAdvanced(let instance): "goes on as instance \(instance)"
        case .holeRepaired(let peer): "hole to \(name(peer)) repaired"
        case .quarantined(let peer, _): "\(name(peer)) quarantined"
        case .duplicateIdentity(let peer): "\(name(peer)) exists twice"
        case .refused(let peer, let reason): "\(name(peer)) refused, \(reason)"
        case .wordsCompared(let peer, _, _): "compares words with \(name(peer))"
        case .admissionAsked(let peer, _): "asks about \(name(peer))"
        case .cliqueComplete(let count): "clique complete with \(count)"
        case .cliqueBroken: "clique broken"
        case .codeChanged(let epoch, let maker, _, let left, _):
            "code changed by \(name(maker)), epoch \(epoch), \(left.count) left behind"
        case .leftBehind(let peer): "left behind by \(name(peer))"
        case .pairing(.failed(let peer, let left)): "\(name(peer)) fails to pair, \(left) tries left"
        case .pairing(.closed(.admitted(let peer))): "\(name(peer)) is given the secret, pairing window closed"
        case .pairing(.closed(let end)): "pairing window closed, \(end)"
        case .peerVerifying(_, let peer): "verifies \(name(peer))"
        case .peerTalking(_, let peer, let isTalking):
            "\(name(peer)) \(isTalking ? "talks" : "falls silent")"
        case .peerRecording(_, let peer, let isRecording):
            "\(name(peer)) \(isRecording ? "records" : "records no more")"
        case .peerSuspected(let peer): "suspects \(name(peer))"
        case .peerDead(let peer, _): "takes \(name(peer)) for dead"
        case .peerFlapping(let peer, let isFlapping):
            "\(name(peer)) \(isFlapping ? "comes and goes" : "is steady again")"
        case .peerChannels, .peerProfile, .probeAnswered: nil
        }
    }

    mutating func recordDetail(_ text: @autoclosure () -> String, at instant: Instant) {
        if isDetailed { add(text(), at: instant) }
    }

    mutating func recordDetail(_ input: MeshInput, at node: Int, in world: World) {
        guard isDetailed else { return }
        let own = world.name(node)
        switch input {
        case .carrierOpened(let carrier, let peer, let dial, let remote):
            let name = world.number(of: peer).map { world.name($0) } ?? "a stranger"
            let how = dial.map { "dial \($0.number)" } ?? "accepted"
            add("\(own): carrier \(carrier.number) open to \(name) at \(remote), \(how)", at: world.now)
        case .tunnelledCarrierOpened(let carrier, let peer, _):
            let name = world.number(of: peer).map { world.name($0) } ?? "a stranger"
            add("\(own): carrier \(carrier.number) open to \(name) in a tunnel", at: world.now)
        case .carrierClosed(let carrier, let end):
            add("\(own): carrier \(carrier.number) ended, \(end)", at: world.now)
        case .dialFailed(let dial, let failure):
            add("\(own): dial \(dial.number) failed, \(failure)", at: world.now)
        default:
            break
        }
    }
}
