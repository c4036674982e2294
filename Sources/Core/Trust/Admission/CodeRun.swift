package import Primitives

/// The values that both sides of one run of JOIN know beforehand. They bind the run to the identities of both, and to
/// their carrier or their session.
package struct CodeRun: Hashable, Sendable {
    /// `sid` of the draft.
    let sessionID: [UInt8]
    /// `CI` of the draft.
    let channelIdentifier: [UInt8]

    package init(sessionID: [UInt8], channelIdentifier: [UInt8]) {
        self.sessionID = sessionID
        self.channelIdentifier = channelIdentifier
    }

    /// The run by which a newcomer joins a mesh. The dialler is the initiator, whichever side is new.
    package init(
        on ends: CarrierEnds, newcomer: CarrierSide, by kind: CodeKind, with sealing: any Sealing
    ) {
        sessionID = sealing.hash(ends.nonces)
        channelIdentifier = LengthValue.encoded(Array(kind.joinLabel.utf8)) + ends.nodes + [newcomer.rawValue]
    }

    /// The run with this number by which two linked nodes prove the code of a channel.
    /// - Parameters:
    ///   - channel: the bytes of the channel's id.
    ///   - nonces: those of the session, 64 bytes.
    package init(
        of channel: [UInt8], by initiator: NodeID, with responder: NodeID, nonces: [UInt8], run: UInt32,
        sealing: any Sealing
    ) {
        let number = withUnsafeBytes(of: run.bigEndian) { Array($0) }
        sessionID = sealing.hash(nonces + number)
        channelIdentifier =
            LengthValue.encoded(Array("partyline/1 channel".utf8)) + initiator.bytes + responder.bytes + channel
    }
}

/// `lv` of the draft: a length in LEB128, then the bytes.
package enum LengthValue {
    package static func encoded(_ bytes: [UInt8]) -> [UInt8] {
        var length = bytes.count
        var encoded: [UInt8] = []
        while 0x80 <= length {
            encoded.append(UInt8(truncatingIfNeeded: length) | 0x80)
            length >>= 7
        }
        return encoded + [UInt8(truncatingIfNeeded: length)] + bytes
    }

    package static func encoded(_ values: [[UInt8]]) -> [UInt8] { values.flatMap { encoded($0) } }
}
