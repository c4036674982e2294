package import Primitives
package import Trust

extension ChannelID {
    /// The id of an open channel: everybody who types the same name on the same mesh gets the same
    /// channel, without asking anyone.
    ///
    /// First 16 bytes of SHA-256("partyline/1 channel" ‖ mesh ‖ 0 ‖ folded name); the zero byte keeps
    /// mesh and name apart (docs/WIRE.md, "Carrier frames").
    package init(of name: ChannelName, inMesh mesh: String, sealing: any Sealing) {
        let message = Array("partyline/1 channel".utf8) + Array(mesh.utf8) + [0] + Array(name.folded.utf8)
        let digest = sealing.hash(message)
        func word(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        self.init(high: word(digest[0..<8]), low: word(digest[8..<16]))
    }
}
