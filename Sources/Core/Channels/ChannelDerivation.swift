package import Primitives
package import Trust

extension ChannelID {
    /// Derives the id of an open channel from its name: all nodes of one mesh that use the same name get the same id,
    /// without exchanging any message.
    ///
    /// The id is the first 16 bytes of SHA-256("partyline/1 channel" ‖ mesh ‖ 0 ‖ folded name). The zero byte separates
    /// mesh and name (docs/WIRE.md, "Carrier frames").
    package init(of name: ChannelName, inMesh mesh: String, sealing: any Sealing) {
        let message = Array("partyline/1 channel".utf8) + Array(mesh.utf8) + [0] + Array(name.folded.utf8)
        let digest = sealing.hash(message)
        func word(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        self.init(high: word(digest[0..<8]), low: word(digest[8..<16]))
    }
}
