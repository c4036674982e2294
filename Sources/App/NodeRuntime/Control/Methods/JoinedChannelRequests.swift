import Channels
package import ControlPlane

/// Chooses the channels on which the talk key speaks.
package struct TalkOnRequest: NodeRequest {
    package static let method = ControlMethod(
        "channel.talk", since: "0.1.0",
        does: "Chooses the channels on which the talk key speaks; kept for the next start.")
    package typealias Answer = ChannelsDocument

    /// The names of joined channels. If there are none, the key speaks on the first one on which this node may talk.
    package var channels: [String]

    package init(channels: [String]) { self.channels = channels }

    package func check() throws(ControlFailure) { _ = try names() }

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> ChannelsDocument {
        let names = try names()
        return try await handler.visit { node in
            try node.talk(on: names)
            return ChannelsDocument(of: node)
        }
    }

    private func names() throws(ControlFailure) -> [ChannelName] {
        guard channels.count <= ControlLimits.channelsMax else {
            throw ControlFailure(
                .invalidParameters, "\"channels\" must be a list of at most \(ControlLimits.channelsMax) names")
        }
        var names: [ChannelName] = []
        for channel in channels { names.append(try channelName(channel, "channels")) }
        return names
    }
}

/// Parts a channel.
package struct PartRequest: NodeRequest {
    package static let method = ControlMethod(
        "channel.part", since: "0.1.0",
        does: "Parts a channel: this node neither listens to it nor talks on it, and forgets its code.")
    package typealias Answer = ChannelsDocument

    /// The name of a joined channel, or of one whose code is kept.
    package var channel: String

    package init(channel: String) { self.channel = channel }

    package func check() throws(ControlFailure) { _ = try channelName(channel, "channel") }

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> ChannelsDocument {
        let name = try channelName(channel, "channel")
        return try await handler.visit { node in
            let notes = try node.part(name)
            return ChannelsDocument(of: node, changed: name, notes)
        }
    }
}

/// Sets the level of a channel at this listener.
package struct LevelRequest: NodeRequest {
    package static let method = ControlMethod(
        "channel.level", since: "0.1.0", does: "Sets a channel's level here; kept for the next start.")
    package typealias Answer = ChannelsDocument

    /// The name of a channel to which this node listens.
    package var channel: String
    /// From -60 to 12 dB; 0 leaves voices as they come. In one ear the channel is 3 dB louder there (`ear` of
    /// `channel.join`).
    package var levelDb: Double

    package init(channel: String, levelDb: Double) { (self.channel, self.levelDb) = (channel, levelDb) }

    package func check() throws(ControlFailure) {
        _ = try channelName(channel, "channel")
        try checkNumber(levelDb, within: ControlLimits.levelDecibelsRange, "level_db")
    }

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> ChannelsDocument {
        let (name, levelDb) = (try channelName(channel, "channel"), levelDb)
        return try await handler.visit { node in
            try node.setLevel(of: name, decibels: levelDb)
            return ChannelsDocument(of: node)
        }
    }
}
