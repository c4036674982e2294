package import Primitives
package import Trust
import Wire

extension ChannelID {
    /// Derives the id of a channel from its name: all nodes of one mesh that use the same name get the same id, without
    /// exchanging any message.
    ///
    /// The id is the first 16 bytes of SHA-256(label ‖ mesh id ‖ folded name). The label is "partyline/1 channel"
    /// (docs/WIRE.md, "Directory"), or "partyline/1 coded channel" for a channel with a code ("Channels with a code").
    package init(of name: ChannelName, in mesh: MeshID, sealing: any Sealing) {
        let label = name.hasCode ? "partyline/1 coded channel" : "partyline/1 channel"
        let digest = sealing.hash(Array(label.utf8) + mesh.bytes + Array(name.folded.utf8))
        self.init(high: digest.word(at: 0), low: digest.word(at: 8), hasCode: name.hasCode)
    }
}
