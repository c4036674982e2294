package import Primitives
import Trust

/// A channel with a code, and the key of the code.
package struct CodedChannel: Hashable, Sendable {
    package let channel: ChannelID
    /// 32 bytes.
    package let codeKey: [UInt8]

    package init(_ channel: ChannelID, codeKey: [UInt8]) {
        precondition(channel.hasCode, "the code of a channel without one")
        precondition(codeKey.count == CodeSizes.codeKeyBytes, "a code key of \(codeKey.count) bytes")
        self.channel = channel
        self.codeKey = codeKey
    }

    /// Returns 16 bytes by which a peer with the channel recognises it, in a session with these nonces.
    func channelPointer(nonces: [UInt8], with sealing: any Sealing) -> [UInt8] {
        let label = Array("partyline/1 channel hint".utf8)
        return Array(sealing.keyedHash(label + nonces, key: channel.bytes).prefix(ChannelID.byteCount))
    }

    /// The run with this number, in a session with these nonces.
    func exchange(
        by initiator: NodeID, with responder: NodeID, nonces: [UInt8], run: UInt32, sealing: any Sealing
    ) -> CodeExchange {
        let run = CodeRun(
            of: channel.bytes, by: initiator, with: responder, nonces: nonces, run: run, sealing: sealing)
        return CodeExchange(run, codeKey: codeKey)
    }

    /// The tag of a proof with this shared key.
    static func tag(of key: [UInt8], with sealing: any Sealing) -> ChannelID {
        let bytes = sealing.keyedHash(Array("partyline/1 channel tag".utf8), key: key).prefix(ChannelID.byteCount)
        guard let tag = ChannelID(bytes: Array(bytes)) else { illegal("a short hash", in: "the tag of a channel") }
        return tag
    }
}

extension CodedChannel: CustomStringConvertible, CustomReflectable {
    /// Without the key.
    package var description: String { "channel with a code (hidden)" }
    package var customMirror: Mirror { Mirror(self, children: ["channel": channel]) }
}
