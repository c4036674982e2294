package import Primitives
package import Wire

/// Prefixes of signed bytes: a signature for one purpose is then not valid for another.
private enum DirectoryLabel {
    static let birth = Array("partyline/1 channel birth\0".utf8)
    static let state = Array("partyline/1 channel state\0".utf8)
}

extension SignedChannelEntry {
    /// Signs a new entry: a birth and its first state, both by the provider's node.
    /// - Precondition: the provider's node is the creator and the editor.
    package init(birth: ChannelBirth, state: ChannelState, in mesh: MeshID, with sealing: any Sealing) {
        precondition(birth.creator == sealing.publicKey, "a birth is signed by its creator")
        let body = birth.encoded()
        let signature = sealing.signature(over: DirectoryLabel.birth + mesh.bytes + body)
        self.init(birth: birth, signedBirth: body + signature, state: state, in: mesh, with: sealing)
    }

    /// Signs a new state of this entry.
    /// - Precondition: the provider's node is the editor.
    package func changed(to state: ChannelState, in mesh: MeshID, with sealing: any Sealing) -> SignedChannelEntry {
        SignedChannelEntry(birth: birth, signedBirth: signedBirth, state: state, in: mesh, with: sealing)
    }

    private init(
        birth: ChannelBirth, signedBirth: [UInt8], state: ChannelState, in mesh: MeshID, with sealing: any Sealing
    ) {
        precondition(state.editor == sealing.publicKey, "a state is signed by its editor")
        let message = SignedChannelEntry.stateMessage(state.encoded(), of: signedBirth, in: mesh, with: sealing)
        self.init(
            birth: birth, signedBirth: signedBirth, state: state, signature: sealing.signature(over: message))
    }

    /// Whether both signatures are valid in this mesh.
    /// - Parameter known: an entry of this channel whose signatures are valid, if there is one. A birth that both have
    ///   is not checked again.
    package func isGenuine(in mesh: MeshID, known: SignedChannelEntry?, with sealing: any Sealing) -> Bool {
        let message = SignedChannelEntry.stateMessage(stateBody, of: signedBirth, in: mesh, with: sealing)
        guard sealing.isValid(signature: stateSignature, over: message, by: state.editor) else { return false }
        if known?.signedBirth == signedBirth { return true }
        let birthMessage = DirectoryLabel.birth + mesh.bytes + birthBody
        return sealing.isValid(signature: birthSignature, over: birthMessage, by: birth.creator)
    }

    /// The bytes under the signature of a state. They contain the hash of the birth with its signature, so a state
    /// belongs to one birth.
    private static func stateMessage(
        _ body: [UInt8], of signedBirth: [UInt8], in mesh: MeshID, with sealing: any Sealing
    ) -> [UInt8] {
        DirectoryLabel.state + mesh.bytes + sealing.hash(signedBirth) + body
    }
}

extension MeshID {
    /// The id of an open mesh follows from its name: the first 16 bytes of SHA-256("partyline/1 open mesh" ‖ name).
    package init(ofOpenMesh name: String, sealing: any Sealing) {
        let digest = sealing.hash(Array("partyline/1 open mesh".utf8) + Array(name.utf8))
        self.init(high: digest.word(at: 0), low: digest.word(at: 8))
    }
}

extension [UInt8] {
    /// The eight bytes from `start` on as a big-endian number.
    package func word(at start: Int) -> UInt64 { self[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) } }
}
