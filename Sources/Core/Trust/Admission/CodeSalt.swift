package import Primitives

/// Salts of code keys.
package enum CodeSalt {
    /// The salt of the code of any mesh: a newcomer does not know the id of the mesh yet.
    package static func ofMesh(_ kind: CodeKind, with sealing: any Sealing) -> [UInt8] {
        let label =
            switch kind {
            case .mesh: "partyline/1 code"
            case .pairing: "partyline/1 pairing code"
            }
        return Array(sealing.hash(Array(label.utf8)).prefix(CodeSizes.saltBytes))
    }

    /// The salt of a channel's code.
    package static func of(_ channel: ChannelID) -> [UInt8] { channel.bytes }
}
