package import Primitives
package import Trust
import Wire

extension ChannelID {
    /// Derives the id of an open channel from its name: all nodes of one mesh that use the same name get the same id,
    /// without exchanging any message.
    ///
    /// The id is the first 16 bytes of SHA-256("partyline/1 channel" ‖ mesh id ‖ folded name) (docs/WIRE.md,
    /// "Directory").
    package init(of name: ChannelName, in mesh: MeshID, sealing: any Sealing) {
        let digest = sealing.hash(Array("partyline/1 channel".utf8) + mesh.bytes + Array(name.folded.utf8))
        self.init(high: digest.word(at: 0), low: digest.word(at: 8))
    }
}
