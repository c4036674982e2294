import Channels
package import ControlPlane
package import Primitives

/// Joins a channel, or changes how this node takes part in it.
package struct JoinRequest: NodeRequest {
    package static let method = ControlMethod(
        "channel.join", since: "0.2.0",
        does: "Joins a channel, or changes how this node takes part in it; kept for the next start.")
    package typealias Answer = ChannelsDocument

    /// The ways to take part in a channel.
    package enum Manner: String, ControlWord {
        case listenAndTalk = "listen_and_talk"
        case listenOnly = "listen_only"
        case talkOnly = "talk_only"
    }

    /// The name of the channel: 1 to 24 characters. A name that no node has used yet makes a new channel.
    package var channel: String
    /// The channel's level here, from -60 to 12 dB. Absent leaves it; a new channel has 0.
    package var levelDb: Double?
    /// The ear in which the channel sounds. Absent leaves it; a new channel has `both`.
    package var ear: EarWord?
    /// How this node takes part. Absent leaves it; a new channel has `listen_and_talk`.
    package var manner: Manner?
    /// Whether the channel carries programme here, for example music: it keeps its own loudness, and is lowered while
    /// anybody talks on another channel that this node hears. Absent leaves it; a new channel has false.
    package var programme: Bool?
    /// By how much programme is lowered, from 0 to 60 dB; needs `programme`. Absent leaves it; new programme has 14.
    package var dimDb: Double?

    package init(
        channel: String, levelDb: Double? = nil, ear: EarWord? = nil, manner: Manner? = nil, programme: Bool? = nil,
        dimDb: Double? = nil
    ) {
        self.channel = channel
        self.levelDb = levelDb
        self.ear = ear
        self.manner = manner
        self.programme = programme
        self.dimDb = dimDb
    }

    package func check() throws(ControlFailure) {
        _ = try channelName(channel, "channel")
        if let levelDb { try checkNumber(levelDb, within: ControlLimits.levelDecibelsRange, "level_db") }
        guard let dimDb else { return }
        guard programme == true else { throw ControlFailure(.invalidParameters, "\"dim_db\" needs \"programme\"") }
        try checkNumber(dimDb, within: ControlLimits.dimDecibelsRange, "dim_db")
    }

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> ChannelsDocument {
        let wish = try wish
        return try await handler.visit { node in
            try node.join(wish)
            return ChannelsDocument(of: node)
        }
    }

    private var wish: ChannelWish {
        get throws(ControlFailure) {
            let entryManner: ListeningEntry.Manner? =
                switch manner {
                case .listenOnly: .listenOnly
                case .talkOnly: .talkOnly
                case .listenAndTalk: .listenAndTalk
                case nil: nil
                }
            return ChannelWish(
                try channelName(channel, "channel"), levelTenths: levelDb.map(NodeLoop.tenths), ear: ear?.ear,
                manner: entryManner,
                programme: programme.map { $0 ? .on(dimTenths: dimDb.map(NodeLoop.tenths)) : .off })
        }
    }
}

/// An ear in which a channel sounds.
package enum EarWord: String, ControlWord {
    case both, left, right

    package init(_ ear: Ear) {
        self =
            switch ear {
            case .both: .both
            case .left: .left
            case .right: .right
            }
    }

    var ear: Ear {
        switch self {
        case .both: .both
        case .left: .left
        case .right: .right
        }
    }
}
