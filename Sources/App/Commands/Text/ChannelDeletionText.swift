package import NodeRuntime

/// The note after `channel delete`: the people on a channel stay there, and hear each other.
package enum ChannelDeletionText {
    /// - Parameters:
    ///   - name: the name of the channel.
    ///   - document: the channels before the deletion.
    /// - Returns: who is still on the channel; nil if nobody is.
    package static func note(of name: String, in document: ChannelsDocument) -> String? {
        guard let channel = document.channel(named: name) else { return nil }
        let names = (channel.joined ? ["this node"] : []) + channel.members
        guard !names.isEmpty else { return nil }
        let stay =
            names.count == 1 ? "1 node is still on it and stays" : "\(names.count) nodes are still on it and stay"
        let part = "`partyline part \(OptionEcho.word(channel.name))`"
        return "\(stay) there until \(part): \(Output.list(names))"
    }
}
