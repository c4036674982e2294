import Channels
package import ControlPlane

/// The channels of the mesh.
package struct ChannelsRequest: NodeRequest {
    package static let method = ControlMethod(
        "channels", since: "0.1.0", does: "The channels of the mesh: who listens, who talks, and how this node does.")
    package typealias Answer = ChannelsDocument

    package init() {}

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> ChannelsDocument {
        try await handler.visit { ChannelsDocument(of: $0) }
    }
}

/// Creates a channel.
package struct ChannelCreateRequest: NodeRequest {
    package static let method = ControlMethod(
        "channel.create", since: "0.1.0", does: "Creates a channel, which all nodes of the mesh then know.")
    package typealias Answer = DoneDocument

    /// The name: 1 to 24 characters.
    package var name: String

    package init(name: String) { self.name = name }

    package func check() throws(ControlFailure) { _ = try channelName(name, "name") }

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> DoneDocument {
        try await handler.perform(.create(try channelName(name, "name")))
    }
}

/// Deletes a channel.
package struct ChannelDeleteRequest: NodeRequest {
    package static let method = ControlMethod(
        "channel.delete", since: "0.1.0",
        does: "Deletes a channel. Its creator may do so; another node may while nobody else is on it.")
    package typealias Answer = DoneDocument

    /// The name of the channel.
    package var name: String

    package init(name: String) { self.name = name }

    package func check() throws(ControlFailure) { _ = try channelName(name, "name") }

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> DoneDocument {
        try await handler.perform(.delete(try channelName(name, "name")))
    }
}

/// Gives a channel another name.
package struct ChannelRenameRequest: NodeRequest {
    package static let method = ControlMethod(
        "channel.rename", since: "0.1.0",
        does: "Gives a channel another name, by the rule of `channel.delete`: deletes it, and creates another, to "
            + "which the deleted one points. Nodes on the channel follow if its creator renames it. A new name that "
            + "is another spelling of the present one deletes nothing: only the creator may give it, and the channel "
            + "stays.")
    package typealias Answer = DoneDocument

    /// The present name of the channel.
    package var name: String
    /// The new name: 1 to 24 characters.
    package var newName: String

    package init(name: String, newName: String) { (self.name, self.newName) = (name, newName) }

    package func check() throws(ControlFailure) {
        _ = try channelName(name, "name")
        _ = try channelName(newName, "new_name")
    }

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> DoneDocument {
        try await handler.perform(
            .rename(try channelName(name, "name"), to: try channelName(newName, "new_name")))
    }
}

/// Hides a channel in the lists of this node, or shows it again.
package struct ChannelHideRequest: NodeRequest {
    package static let method = ControlMethod(
        "channel.hide", since: "0.1.0", does: "Hides a channel in the lists of this node alone, or shows it again.")
    package typealias Answer = DoneDocument

    /// The name of the channel.
    package var name: String
    /// Whether the channel is hidden from now on.
    package var hidden: Bool

    package init(name: String, hidden: Bool) { (self.name, self.hidden) = (name, hidden) }

    package func check() throws(ControlFailure) { _ = try channelName(name, "name") }

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> DoneDocument {
        let (name, hidden) = (try channelName(name, "name"), hidden)
        return try await handler.visit { node in
            guard node.knows(name) else { throw ControlFailure(.notNow, DirectoryRefusal.unknown.words()) }
            node.hide(name, isHidden: hidden)
            return DoneDocument()
        }
    }
}

extension ControlRequestHandler {
    /// Carries out a person's command about a channel.
    ///
    /// - Throws: `notNow` with the reason.
    fileprivate func perform(_ command: DirectoryCommand) async throws(ControlFailure) -> DoneDocument {
        try await visit { node in
            do throws(DirectoryRefusal) {
                try node.perform(command)
            } catch {
                throw ControlFailure(.notNow, error.words(creator: node.creatorName(of: command.channel)))
            }
            return DoneDocument()
        }
    }
}

extension DirectoryCommand {
    /// The name of the channel that the command is about.
    fileprivate var channel: ChannelName {
        switch self {
        case .create(let name), .delete(let name), .rename(let name, _): name
        }
    }
}

extension DirectoryRefusal {
    /// The reason, as a sentence for people. It names the remedy if there is one.
    /// - Parameter creator: the name of the node that created the channel; nil if it is not known.
    func words(creator: String? = nil) -> String {
        let creator = creator ?? "another node"
        return switch self {
        case .exists: "a channel of that name exists already"
        case .unknown: "there is no channel of that name; `partyline channels` lists them"
        case .inUse: "\(creator) created the channel, and somebody is on it"
        case .notCreator: "\(creator) created the channel, and only that node changes the spelling of its name"
        case .tooSoon: "this node has just changed that channel; try again in two seconds"
        case .full:
            "this node has created \(DirectoryLimits.liveOfCreatorMax) channels, the most that it may; delete one"
        case .noRoom: "the directory of channels has no room for this change"
        case .wornOut: "the name was deleted too often; choose another"
        case .noTime: "the time of day is unknown"
        case .hasCode:
            "a channel with a code is in no list of the mesh; `partyline join` makes it, `partyline part` forgets it"
        }
    }
}
