package import Primitives

/// How a node takes part in a channel. Only the channel itself is told to peers.
package struct ListeningEntry: Hashable, Sendable {
    package enum Manner: UInt8, CaseIterable, Hashable, Sendable {
        case listenAndTalk
        case listenOnly
        case talkOnly
    }

    package var channel: ChannelID
    /// Tenths of a decibel, within `ListeningLimits.levelTenths`; 0 leaves voices as they are.
    package var levelTenths: Int
    package var ear: Ear
    package var manner: Manner
    /// For a channel that carries programme: by how much it is lowered while anybody talks, in tenths of a decibel,
    /// within `ListeningLimits.dimTenths`. Nil for a channel that people talk on.
    package var programmeDimTenths: Int?

    /// A level or dim beyond the limits becomes the nearer limit.
    package init(
        _ channel: ChannelID, levelTenths: Int = 0, ear: Ear = .both, manner: Manner = .listenAndTalk,
        programmeDimTenths: Int? = nil
    ) {
        self.channel = channel
        let limits = ListeningLimits.levelTenths
        self.levelTenths = min(limits.upperBound, max(limits.lowerBound, levelTenths))
        self.ear = ear
        self.manner = manner
        let dims = ListeningLimits.dimTenths
        self.programmeDimTenths = programmeDimTenths.map { min(dims.upperBound, max(dims.lowerBound, $0)) }
    }

    package var isListened: Bool { manner != .talkOnly }
    package var mayTalk: Bool { manner != .listenOnly }
    package var sound: LineSetting {
        LineSetting(levelTenths: levelTenths, ear: ear, programmeDimTenths: programmeDimTenths)
    }
}

/// How a line sounds: a line is the place of one channel at the output.
package struct LineSetting: Hashable, Sendable {
    /// Tenths of a decibel.
    package var levelTenths: Int
    package var ear: Ear
    /// As in `ListeningEntry`.
    package var programmeDimTenths: Int?

    package init(levelTenths: Int, ear: Ear, programmeDimTenths: Int? = nil) {
        self.levelTenths = levelTenths
        self.ear = ear
        self.programmeDimTenths = programmeDimTenths
    }
}
