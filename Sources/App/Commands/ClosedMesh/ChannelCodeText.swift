package import NodeRuntime

/// The output of `partyline channel create --code`, in 80 columns.
package enum ChannelCodeText {
    /// - Parameters:
    ///   - channel: the name of the channel, with its mark.
    ///   - code: the code that was chosen; nil if the person brought their own.
    ///   - others: the names of linked peers that have the channel with this code already.
    package static func lines(_ channel: String, code: TypedCode?, _ others: [String], paint: Paint) -> [String] {
        let name = Output.safe(channel)
        let head = Columns.sentence(
            "This node is on channel \(name)." + (code == nil ? "" : " Its code is shown this once:"), label: "")
        let names = Output.list(others)
        let shared = others.isEmpty ? [] : Columns.sentence(names, label: "  has it: ")
        return head + (code.map { InitText.code($0, paint: paint) } ?? [])
            + ["  the others   partyline join \(OptionEcho.word(channel))"] + shared
    }

    /// A warning for a person who has joined a channel while this node is on one of the same name with a code, or
    /// without one; nil if it is not.
    package static func twin(of name: String, in document: ChannelsDocument) -> String? {
        let (marked, open) = (CodedName.marked(name), CodedName.unmarked(name))
        let joined = document.channels.filter(\.joined).map { $0.name.lowercased() }
        guard joined.contains(marked.lowercased()), joined.contains(open.lowercased()) else { return nil }
        return "channel \(Output.safe(open)) is open: everybody may hear you there. "
            + "Only \(Output.safe(marked)) has a code"
    }

    /// Why nobody else is on a channel with a code that this node has joined; nil if somebody is, or it has no code.
    /// - Parameter linksUp: the number of linked peers.
    package static func unshared(_ channel: ChannelsDocument.Channel, linksUp: Int) -> String? {
        guard channel.hasCode, channel.sharedWith.isEmpty else { return nil }
        let name = Output.safe(channel.name)
        if linksUp == 0 { return "no other node is linked yet, so nobody has shown the code of channel \(name)" }
        guard channel.undecided.isEmpty else {
            let asked = Output.list(channel.undecided)
            return "not known yet whether anybody has channel \(name) with this code: no answer from \(asked)"
        }
        return "nobody here has channel \(name) with this code; each node is asked again after 30 s. "
            + "Another code: `partyline join \(OptionEcho.word(channel.name)) --replace`"
    }
}
