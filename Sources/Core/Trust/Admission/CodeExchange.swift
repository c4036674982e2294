package import Primitives

/// CPace: two sides find out whether they have the same code. A wrong side learns no more than that its one guess was
/// wrong.
///
/// Cipher suite CPACE-RISTR255-SHA512 of draft-irtf-cfrg-cpace-21, initiator and responder, with explicit key
/// confirmation and without associated data.
///
///     initiator A                                  responder B
///        share Ya  ────────────────────────────────►
///                  ◄────────────────────────────────  share Yb, tag Tb
///        checks Tb; tag Ta ────────────────────────►  checks Ta
package struct CodeExchange: Sendable {
    private static let label = Array("CPaceRistretto255".utf8)
    private static let keyLabel = Array("CPaceRistretto255_ISK".utf8)
    private static let tagLabel = Array("CPaceMac".utf8)
    private static let hashBlockBytes = 128

    private let run: CodeRun
    private let codeKey: [UInt8]

    /// - Parameter codeKey: `PRS` of the draft.
    package init(_ run: CodeRun, codeKey: [UInt8]) {
        self.run = run
        self.codeKey = codeKey
    }

    /// Whether the code of this exchange has this key.
    package func isOf(codeKey: [UInt8]?) -> Bool { self.codeKey == codeKey }

    /// Returns this side's share for its secret scalar. Nil only if the scalar is 0.
    package func share(scalar: [UInt8], with cryptography: any CodeCryptography) -> [UInt8]? {
        cryptography.product(of: scalar, generator(with: cryptography))
    }

    /// Returns the tags of both sides, and `ISK`. Nil if the peer's share is no element, or the shared element is
    /// neutral.
    ///
    /// The shared element stays in this function.
    package func tags(
        scalar: [UInt8], peerShare: [UInt8], initiatorShare: [UInt8], responderShare: [UInt8],
        with cryptography: any CodeCryptography
    ) -> (initiator: [UInt8], responder: [UInt8], key: [UInt8])? {
        guard let shared = cryptography.product(of: scalar, peerShare) else { return nil }
        let key = sharedKey(
            of: shared, initiatorShare: initiatorShare, initiatorData: [], responderShare: responderShare,
            responderData: [], with: cryptography)
        let tagKey = cryptography.hash512(CodeExchange.tagLabel + run.sessionID + key)
        func tag(_ share: [UInt8]) -> [UInt8] {
            cryptography.keyedHash512(LengthValue.encoded([share, []]), key: tagKey)
        }
        return (tag(initiatorShare), tag(responderShare), key)
    }

    // MARK: The parts that have published vectors

    package func generator(with cryptography: any CodeCryptography) -> [UInt8] {
        cryptography.element(ofUniform: cryptography.hash512(generatorString))
    }

    /// The zeros fill the first block of the hash, so that hashing the code takes as long whatever follows it.
    package var generatorString: [UInt8] {
        let head = LengthValue.encoded([CodeExchange.label, codeKey])
        let zeros = [UInt8](repeating: 0, count: max(0, CodeExchange.hashBlockBytes - 1 - head.count))
        return head + LengthValue.encoded([zeros, run.channelIdentifier, run.sessionID])
    }

    /// `ISK` of the draft.
    package func sharedKey(
        of shared: [UInt8], initiatorShare: [UInt8], initiatorData: [UInt8], responderShare: [UInt8],
        responderData: [UInt8], with cryptography: any CodeCryptography
    ) -> [UInt8] {
        cryptography.hash512(
            LengthValue.encoded([
                CodeExchange.keyLabel, run.sessionID, shared, initiatorShare, initiatorData, responderShare,
                responderData,
            ]))
    }
}

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
