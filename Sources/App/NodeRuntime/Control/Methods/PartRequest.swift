import Channels
package import ControlPlane

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
            try node.part(name)
            return ChannelsDocument(of: node, changed: name)
        }
    }
}
