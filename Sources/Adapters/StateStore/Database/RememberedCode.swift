package import Primitives

/// The code of a channel, as the state folder keeps it: a key, from which the code can only be guessed.
package struct RememberedCode: Hashable, Sendable {
    /// Other meshes have other ids for a channel of the same name.
    package var channel: ChannelID
    /// The channel's name, as the person wrote it.
    package var name: String
    /// 32 bytes.
    package var codeKey: [UInt8]

    package init(channel: ChannelID, name: String, codeKey: [UInt8]) {
        self.channel = channel
        self.name = name
        self.codeKey = codeKey
    }
}

extension RememberedCode: CustomStringConvertible, CustomReflectable {
    /// Without the key.
    package var description: String { "the code of \(name) (hidden)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// A change of the stored code of a channel that is joined or parted.
package enum ChannelCodeChange: Hashable, Sendable {
    /// The code is stored, in place of an earlier one.
    case keep(RememberedCode)
    case forget(ChannelID)
}
