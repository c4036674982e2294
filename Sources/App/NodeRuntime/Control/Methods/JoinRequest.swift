import Channels
package import ControlPlane
import NIOCore
import Node
package import Primitives
import StateStore

/// Joins a channel, or changes how this node takes part in it.
package struct JoinRequest: NodeRequest {
    package static let method = ControlMethod(
        "channel.join", since: "0.1.0",
        does: "Joins a channel, or changes how this node takes part in it; kept for the next start.")
    package typealias Answer = ChannelsDocument

    /// The beginning of the written name of a channel with a code.
    package static let codeMark = ChannelName.codeMark

    /// The ways to take part in a channel.
    package enum Manner: String, ControlWord {
        case listenAndTalk = "listen_and_talk"
        case listenOnly = "listen_only"
        case talkOnly = "talk_only"
    }

    /// The name of the channel: 1 to 24 characters. A name that no node has used yet makes a new channel. The former
    /// name of a renamed channel is refused, and the error has the present one. The name of a channel with a code
    /// begins with `code:`.
    package var channel: String
    /// The code of a channel with a code. Absent if this node has it already, perhaps from an earlier start. A request
    /// that takes the channel up is answered once it is known whether a linked peer has the channel with this code,
    /// after 4 s at the latest.
    package var code: String?
    /// Whether `code` takes the place of another code that this node has. Without it such a request is refused, because
    /// the node would leave all that have joined with the present code. Absent means false.
    package var replace: Bool?
    /// The channel's level here, from -60 to 12 dB. Absent leaves it; a new channel has 0.
    package var levelDb: Double?
    /// The ear in which the channel sounds. Absent leaves it; a new channel has `both`. In one ear the channel is 3 dB
    /// louder there than its level says, and so as loud altogether as in both; an output with one channel plays it at
    /// its level.
    package var ear: EarWord?
    /// How this node takes part. Absent leaves it; a new channel has `listen_and_talk`.
    package var manner: Manner?
    /// Whether the channel carries programme here, for example music: it keeps its own loudness, and is lowered while
    /// anybody talks on another channel that this node hears. Absent leaves it; a new channel has false.
    package var programme: Bool?
    /// By how much programme is lowered, from 0 to 60 dB; needs `programme`. Absent leaves it; new programme has 14.
    package var dimDb: Double?

    package init(
        channel: String, code: String? = nil, replace: Bool? = nil, levelDb: Double? = nil, ear: EarWord? = nil,
        manner: Manner? = nil, programme: Bool? = nil, dimDb: Double? = nil
    ) {
        self.channel = channel
        self.code = code
        self.replace = replace
        self.levelDb = levelDb
        self.ear = ear
        self.manner = manner
        self.programme = programme
        self.dimDb = dimDb
    }

    package func check() throws(ControlFailure) {
        let name = try channelName(channel, "channel")
        if let code {
            guard name.hasCode else {
                throw ControlFailure(
                    .invalidParameters, "\"code\" needs a \"channel\" that begins with \(ChannelName.codeMark)")
            }
            do throws(CodeFault) {
                _ = try TypedCode.chosen(code)
            } catch {
                throw ControlFailure(.invalidParameters, "\(error)")
            }
        }
        if replace == true, code == nil { throw ControlFailure(.invalidParameters, "\"replace\" needs \"code\"") }
        if let levelDb { try checkNumber(levelDb, within: ControlLimits.levelDecibelsRange, "level_db") }
        guard let dimDb else { return }
        guard programme == true else { throw ControlFailure(.invalidParameters, "\"dim_db\" needs \"programme\"") }
        try checkNumber(dimDb, within: ControlLimits.dimDecibelsRange, "dim_db")
    }

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> ChannelsDocument {
        let wish = try wish
        if wish.name.hasCode, let code = try await handler.code(of: wish.name, written: code) {
            let notes = try await handler.join(wish, with: code, replaces: replace == true)
            return try await handler.visit { ChannelsDocument(of: $0, changed: wish.name, notes) }
        }
        return try await handler.visit { node in
            try node.checkNotRenamed(wish.name)
            let isNew = wish.name.hasCode ? nil : !node.exists(node.core.directory.id(of: wish.name))
            let notes = try node.join(wish)
            var document = ChannelsDocument(of: node, changed: wish.name, notes)
            document.isNew = isNew
            return document
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

extension JoinRequest: CustomStringConvertible, CustomReflectable {
    /// Without the code.
    package var description: String { "channel.join \(channel)" + (code == nil ? "" : " (hidden)") }
    package var customMirror: Mirror { Mirror(self, children: ["channel": channel]) }
}

extension ControlRequestHandler {
    /// The code with which a channel is taken up: the written one, or the kept one of a channel that this node has not
    /// joined. Nil if there is none, or the node is on the channel.
    fileprivate func code(
        of name: ChannelName, written text: String?
    ) async throws(ControlFailure) -> RememberedCode? {
        let (channel, kept) = try await visit { node in
            let channel = node.core.directory.id(of: name)
            return (channel, node.core.listening.list[channel] == nil ? node.code(of: channel) : nil)
        }
        guard let text else { return kept }
        let codeKey = try await codeKey { TypedCode(text)?.key(of: channel) }
        return RememberedCode(channel: channel, name: name.description, codeKey: codeKey)
    }

    /// Joins a channel with its code, and waits until it is known whether a linked peer has it too. Returns sentences
    /// about the talk key.
    fileprivate func join(
        _ wish: ChannelWish, with code: RememberedCode, replaces: Bool
    ) async throws(ControlFailure) -> [String] {
        try await awaitResult { node in
            let (notes, answer) = try node.beginJoin(wish, with: code, replaces: replaces)
            return answer.map { _ in notes }
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
