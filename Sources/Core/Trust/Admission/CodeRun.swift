import Primitives

/// What both sides of one run of JOIN know beforehand: it binds the run to their identities and to their carrier.
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
        on ends: CarrierEnds, newcomer: CarrierSide, by kind: CodeKind = .standing, with sealing: any Sealing
    ) {
        sessionID = sealing.hash(ends.nonces)
        channelIdentifier = LengthValue.encoded(Array(kind.joinLabel.utf8)) + ends.nodes + [newcomer.rawValue]
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
