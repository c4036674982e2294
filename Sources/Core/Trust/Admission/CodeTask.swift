/// The slow part of a step of JOIN, as a value: a shell may run it on any thread, and returns its result.
package enum CodeTask: Sendable {
    /// The initiator makes its share. The bytes are 64 random ones, here and below.
    case begin(CodeExchange, uniform: [UInt8])
    /// The responder answers a share.
    case answer(CodeExchange, uniform: [UInt8], peerShare: [UInt8])
    /// The initiator checks an answer.
    case confirm(CodeExchange, CodeShare, peerShare: [UInt8], peerTag: [UInt8])
}

/// The result of a `CodeTask`.
package enum CodeResult: Sendable {
    case begun(CodeShare)
    /// What the responder sends, the tag that the initiator must have, and the shared key.
    case answered(share: [UInt8], tag: [UInt8], awaitedTag: [UInt8], key: [UInt8])
    /// The initiator's tag, and the shared key.
    case confirmed(tag: [UInt8], key: [UInt8])
    /// The codes differ, or the peer's share is of no use.
    case failed
}

/// The share of this side, and the secret scalar to it.
package struct CodeShare: Sendable {
    let scalar: [UInt8]
    package let element: [UInt8]
}

extension CodeTask {
    package func result(with cryptography: any CodeCryptography) -> CodeResult {
        switch self {
        case .begin(let exchange, let uniform):
            CodeTask.share(exchange, uniform, cryptography).map { .begun($0) } ?? .failed
        case .answer(let exchange, let uniform, let peerShare):
            CodeTask.answer(exchange, uniform, peerShare, cryptography)
        case .confirm(let exchange, let own, let peerShare, let peerTag):
            CodeTask.confirmation(exchange, own, peerShare, peerTag, cryptography)
        }
    }

    private static func share(
        _ exchange: CodeExchange, _ uniform: [UInt8], _ cryptography: any CodeCryptography
    ) -> CodeShare? {
        let scalar = cryptography.scalar(ofUniform: uniform)
        return exchange.share(scalar: scalar, with: cryptography).map { CodeShare(scalar: scalar, element: $0) }
    }

    private static func answer(
        _ exchange: CodeExchange, _ uniform: [UInt8], _ peerShare: [UInt8], _ cryptography: any CodeCryptography
    ) -> CodeResult {
        guard let own = share(exchange, uniform, cryptography),
            let tags = exchange.tags(
                scalar: own.scalar, peerShare: peerShare, initiatorShare: peerShare, responderShare: own.element,
                with: cryptography)
        else { return .failed }
        return .answered(share: own.element, tag: tags.responder, awaitedTag: tags.initiator, key: tags.key)
    }

    private static func confirmation(
        _ exchange: CodeExchange, _ own: CodeShare, _ peerShare: [UInt8], _ peerTag: [UInt8],
        _ cryptography: any CodeCryptography
    ) -> CodeResult {
        let tags = exchange.tags(
            scalar: own.scalar, peerShare: peerShare, initiatorShare: own.element, responderShare: peerShare,
            with: cryptography)
        guard let tags, tags.responder.isEqualInConstantTime(to: peerTag) else { return .failed }
        return .confirmed(tag: tags.initiator, key: tags.key)
    }
}

/// These values hold keys, secret scalars, or the bytes that they come from. None of that is printed.
extension CodeExchange: CustomStringConvertible, CustomReflectable {
    package var description: String { "code exchange (hidden)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension CodeShare: CustomStringConvertible, CustomReflectable {
    package var description: String { "code share (hidden)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension CodeTask: CustomStringConvertible, CustomReflectable {
    package var description: String { "code task (hidden)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension CodeResult: CustomStringConvertible, CustomReflectable {
    package var description: String { "code result (hidden)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
