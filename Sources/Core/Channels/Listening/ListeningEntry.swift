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

    /// A level beyond the limits becomes the nearer limit.
    package init(
        _ channel: ChannelID, levelTenths: Int = 0, ear: Ear = .both, manner: Manner = .listenAndTalk
    ) {
        self.channel = channel
        let limits = ListeningLimits.levelTenths
        self.levelTenths = min(limits.upperBound, max(limits.lowerBound, levelTenths))
        self.ear = ear
        self.manner = manner
    }

    package var isListened: Bool { manner != .talkOnly }
    package var mayTalk: Bool { manner != .listenOnly }
    package var sound: LineSetting { LineSetting(levelTenths: levelTenths, ear: ear) }
}

/// How a line sounds: a line is the place of one channel at the output.
package struct LineSetting: Hashable, Sendable {
    /// Tenths of a decibel.
    package var levelTenths: Int
    package var ear: Ear

    package init(levelTenths: Int, ear: Ear) {
        self.levelTenths = levelTenths
        self.ear = ear
    }
}
