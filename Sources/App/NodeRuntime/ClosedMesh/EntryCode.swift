import Trust

/// What a person types to enter a closed mesh: its code, or the code of a pairing window.
package enum EntryCode: Hashable, Sendable {
    case mesh(TypedCode)
    case pairing(PairingCode)

    /// - Throws: `empty` or `tooLong`; `digits` for a number that can be neither.
    package static func typed(_ text: String) throws(CodeFault) -> EntryCode {
        if let code = PairingCode(text) { return .pairing(code) }
        let code = try TypedCode.typed(text)
        guard !code.isNumber || CodeStrength.bitsMin <= CodeStrength.bits(of: code) else { throw .digits }
        return .mesh(code)
    }

    /// Whether this node knows that this is the code of the mesh.
    package func isCode(of mesh: KeptMesh) -> Bool { meshCode.flatMap { mesh.has($0) } ?? false }

    /// As `TypedCode.hint`; nil for a pairing code.
    package var hint: String? { meshCode?.hint }

    var kind: CodeKind {
        switch self {
        case .mesh: .mesh
        case .pairing: .pairing
        }
    }

    /// The code of the mesh; nil for a pairing code.
    var meshCode: TypedCode? { if case .mesh(let code) = self { code } else { nil } }

    /// Returns the key of the code, as `TypedCode.key`.
    func key() -> [UInt8]? {
        switch self {
        case .mesh(let code): code.key()
        case .pairing(let code): code.key()
        }
    }
}

extension TypedCode {
    /// Whether the code has no letter.
    fileprivate var isNumber: Bool { folded.bytes.allSatisfy { $0 <= UInt8(ascii: "9") } }

    /// A code that stands in a file, and is used again and again.
    /// - Throws: as `typed`, and `pairing`.
    package static func ofMesh(_ text: String) throws(CodeFault) -> TypedCode {
        guard PairingCode(text) == nil else { throw .pairing }
        return try typed(text)
    }
}
