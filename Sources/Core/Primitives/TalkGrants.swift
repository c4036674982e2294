/// The peers whose private talk and talk to all this node plays.
package struct TalkGrants: Hashable, Sendable {
    package var privately: Grant
    package var toAll: Grant

    package init(privately: Grant = .anyone, toAll: Grant = .anyone) {
        self.privately = privately
        self.toAll = toAll
    }
}

extension TalkGrants {
    /// Which talk of a peer this node does not play.
    package func refused(to node: NodeID) -> RefusedTalk {
        var refused: RefusedTalk = []
        if !privately.admits(node) { refused.insert(.privately) }
        if !toAll.admits(node) { refused.insert(.toAll) }
        return refused
    }
}

/// The talk beside the channels that one node does not play of another one.
package struct RefusedTalk: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Private talk.
    package static let privately = RefusedTalk(rawValue: 1)
    /// Talk to all.
    package static let toAll = RefusedTalk(rawValue: 2)
    /// Both.
    package static let all: RefusedTalk = [.privately, .toAll]
}
