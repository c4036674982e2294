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
