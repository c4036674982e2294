import AudioIO
import Channels
import Mesh
import Node
package import Primitives
import SystemClock
package import Voice

/// Who talks to this node beside its channels: privately, or to all. Voice that is heard begins it, and half a second
/// without any ends it.
package struct DirectTalk {
    package enum Manner: CaseIterable, Hashable, Sendable {
        case privately
        case toAll

        fileprivate var line: LineSet {
            switch self {
            case .privately: .line(ListeningLimits.privateLine)
            case .toAll: .line(ListeningLimits.allLine)
            }
        }
    }

    /// By slot: when a payload of each manner was heard last; nil while there is none.
    private var heardAt = [[Manner: Instant]](repeating: [:], count: MeshScale.peersMax)

    package init() {}

    /// Takes the lines on which a payload sounds. Returns the manners that begin.
    package mutating func hear(_ lines: LineSet, from slot: PeerSlot, now: Instant) -> [Manner] {
        guard !lines.isDisjoint(with: DirectTalk.lines) else { return [] }
        return Manner.allCases.filter { manner in
            lines.contains(manner.line) && heardAt[slot.index].updateValue(now, forKey: manner) == nil
        }
    }

    /// Returns the manners that have ended by `now`. Call it about twice a second.
    package mutating func ended(of slot: PeerSlot, now: Instant) -> [Manner] {
        Manner.allCases.filter { manner in
            guard let last = heardAt[slot.index][manner], last + DirectTalk.silence <= now else { return false }
            heardAt[slot.index][manner] = nil
            return true
        }
    }

    /// Returns the manners that end because the link to the peer is down.
    package mutating func forget(_ slot: PeerSlot) -> [Manner] {
        let ended = Manner.allCases.filter { heardAt[slot.index][$0] != nil }
        heardAt[slot.index] = [:]
        return ended
    }

    /// How the peer talks to this node now, beside its channels; nil if it does not.
    package func manner(of slot: PeerSlot) -> Manner? {
        Manner.allCases.first { heardAt[slot.index][$0] != nil }
    }

    private static let lines = Manner.allCases.reduce(into: LineSet(rawValue: 0)) { $0.formUnion($1.line) }
    private static let silence = Interval.milliseconds(500)
}

/// Tells people who talks to this node beside its channels. Everything here runs on the node loop.
extension NodeLoop {
    func hearDirectTalk(on lines: LineSet, from slot: PeerSlot, now: Instant) {
        for manner in watch.direct.hear(lines, from: slot, now: now) { tellDirectTalk(manner, slot, isTalking: true) }
        if lines.contains(.line(ListeningLimits.privateLine)) { findCaller(among: [slot], now: now) }
    }

    /// Makes a peer the caller if its private talk has begun to sound here. Called twice a second, before each change
    /// of the talk keys, and before a key for a reply is chosen.
    func findCaller() { findCaller(among: openSlots, now: .monotonicNow()) }

    private func findCaller(among slots: [PeerSlot], now: Instant) {
        let report = parts.audio.playbackReport
        for slot in slots {
            core.countPrivateTalk(heard: report.talkers[slot.index].privateSamples, from: slot, now: now)
        }
    }

    /// Tells whose talk has ended. Called twice a second.
    func endDirectTalk(now: Instant) {
        for slot in openSlots {
            for manner in watch.direct.ended(of: slot, now: now) { tellDirectTalk(manner, slot, isTalking: false) }
        }
    }

    /// Ends the direct talk of a peer whose link is down. The fan-out has forgotten the peer already.
    func forgetDirectTalk(of slot: PeerSlot, _ node: NodeID) {
        for manner in watch.direct.forget(slot) {
            tell(.directTalk(manner, of: node, isTalking: false, nameOf: peerDirectory.name(of:)))
        }
    }

    private func tellDirectTalk(_ manner: DirectTalk.Manner, _ slot: PeerSlot, isTalking: Bool) {
        guard let node = core.voice.peer(in: slot) else { return }
        tell(.directTalk(manner, of: node, isTalking: isTalking, nameOf: peerDirectory.name(of:)))
    }
}

extension DirectTalk.Manner {
    /// The word in documents.
    var word: String {
        switch self {
        case .privately: "you"
        case .toAll: "all"
        }
    }
}

extension EventReport {
    /// A peer begins or stops to talk to this node privately, or to all.
    package static func directTalk(
        _ manner: DirectTalk.Manner, of node: NodeID, isTalking: Bool, nameOf: (NodeID) -> String
    ) -> EventReport {
        let whom = manner == .privately ? "privately to you" : "to all"
        let text = "\(nameOf(node)) \(isTalking ? "talks" : "stops talking") \(whom)"
        let kind: EventKind = manner == .privately ? .privateTalk : .talkToAll
        return EventReport(kind, node, nameOf(node), text, ["talking": "\(isTalking)"])
    }
}
