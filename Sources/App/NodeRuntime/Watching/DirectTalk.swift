import Channels
package import Primitives
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
