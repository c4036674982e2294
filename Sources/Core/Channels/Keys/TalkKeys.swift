package import Primitives

/// To whom each talk key of this node speaks.
///
/// ```
///   set a key ──────────────────────┐
///   a channel has another name ─────┼──► targets ──► the fan-out of the own voice
///   channels chosen in the list ────┘
/// ```
/// A key without targets of its own speaks on the channels that a person chose in the listening list: on the first one
/// on which the node may talk, if nobody chose. A node that is not configured has one such key.
package struct TalkKeys: Hashable, Sendable {
    /// By key. Nil for a key that speaks on the chosen channels.
    private var own: [KeyTargets?]

    /// - Parameter own: by key; nil for a key that speaks on the chosen channels.
    package init(_ own: [KeyTargets?] = [nil]) { self.own = own }

    package var count: Int { own.count }

    /// The targets of a key's own; nil if it speaks on the chosen channels, or if there is no such key.
    package subscript(key: Int) -> KeyTargets? { own.indices.contains(key) ? own[key] : nil }

    /// By key: to whom it speaks. A channel on which the node only listens is left out.
    package func targets(_ list: ListeningList) -> [KeyTargets] {
        own.map { targets in
            guard var targets else { return KeyTargets(channels: list.talked) }
            targets.channels.removeAll { list[$0]?.mayTalk == false }
            return targets
        }
    }

    /// The channels that keys name.
    package var channels: [ChannelID] { own.flatMap { $0?.channels ?? [] } }

    /// Gives a key other targets. The number of the next new key is `count`.
    package mutating func set(_ targets: KeyTargets, of key: Int) {
        if key == own.count { own.append(targets) } else { own[key] = targets }
    }

    /// Speaks on `new` instead of `old`, which was renamed. Each key follows once: `old` has gone from it afterwards.
    package mutating func follow(_ old: ChannelID, to new: ChannelID) {
        for key in own.indices { _ = own[key]?.follow(old, to: new) }
    }
}
