import Channels
import NIOCore
import Node
import Primitives
import SystemClock
import Voice

/// The free key: it has no targets of its own, and speaks on the channels that a person chooses. An order about the
/// channels of this node may lead it to others. Nobody may be heard where they did not choose to speak, so a key that
/// is down then goes up (docs/decisions/037-free-key.md). Everything here runs on the node loop.
extension NodeLoop {
    /// Whether a talk key speaks on the channels that a person chooses.
    var hasFreeKey: Bool { freeKey != nil }

    /// The number of the free key; nil if each key has targets of its own. A key that is made later has them.
    private var freeKey: Int? { keys.entries.indices.first { core.keys[$0] == nil } }

    /// Prepares the free key for an order. It goes up before the order, so peers are told of no talk on other channels.
    ///
    /// - Returns: a sentence for the person who gave the order; none if the key goes on as it is.
    func prepareFreeKey(for command: ListeningCommand) -> [String] {
        var list = core.listening.list
        // The node carries the order out by the same functions, and refuses it where they do.
        switch command {
        case .join(let entry): try? list.join(entry)
        case .part(let channel): try? list.part(channel)
        case .follow, .setLevel, .talk, .grant: break
        }
        return moveFreeKey(from: core.listening.list.talked, to: list.talked)
    }

    /// Lets the free key go if it is down and would speak on other channels instead of those on which it speaks. A key
    /// that only loses channels, or spoke nowhere, stays down: the person has chosen its channels.
    ///
    /// - Returns: a sentence with its channels; none if they stay.
    @discardableResult
    func moveFreeKey(from former: [ChannelID], to present: [ChannelID]) -> [String] {
        let (lost, gained) = (former.filter { !present.contains($0) }, present.filter { !former.contains($0) })
        guard let key = freeKey, !lost.isEmpty || !gained.isEmpty else { return [] }
        let isDown = talk.keys[key].isDown
        // Frames of a key that has just gone up may still come, and belong to its former channels.
        if !lost.isEmpty, !gained.isEmpty { withheld = .key(key) }
        guard isDown, !lost.isEmpty, !gained.isEmpty else {
            return ["the talk key \(isDown ? "is down, and " : "")speaks on \(places(of: present)) now"]
        }
        changeTalk { $0.close(.key(key), now: .monotonicNow()) }
        let formerPlaces = places(of: lost)
        // A reload that parts several channels leads the key on to others before it ends.
        loop.execute {
            guard !self.isLeaving else { return }
            let channels = self.core.listening.list.talked
            let sentence = self.sentence(about: key, from: formerPlaces, to: channels)
            self.tell(
                .talkEnded(sentence, key: self.keys.entries[key].name, channels: self.names(of: channels)))
        }
        return [sentence(about: key, from: formerPlaces, to: present)]
    }

    /// The sentence about a key that has been let go.
    private func sentence(about key: Int, from former: String, to present: [ChannelID]) -> String {
        let remedy = talk.keys[key].mode.isDownByItself ? "`partyline talk on` talks" : "press it anew to talk"
        return "the talk key has been let go, because it speaks on \(places(of: present)) now, instead of \(former)"
            + (present.isEmpty ? "" : ": \(remedy) there")
    }

    private func places(of channels: [ChannelID]) -> String {
        channels.isEmpty ? "no channel" : names(of: channels).joined(separator: ", ")
    }
}
