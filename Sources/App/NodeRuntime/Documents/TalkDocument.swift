import AudioIO
import Channels
import Node
import Primitives
import Voice

/// The state of a talk key after an order.
package struct TalkDocument: Codable, Hashable, Sendable {
    /// Always `partyline.talk/1`.
    package var schema = "partyline.talk/1"
    /// The name of the key.
    package var key: String
    /// `ptt`, `latch`, `smart`, `vox` or `open`.
    package var talkMode: String
    /// Whether the key is down. With vox, voice leaves this node only while a voice is heard; with half-duplex, only
    /// after the others are silent.
    package var keyDown: Bool
    /// Whether voice leaves this node now, by any key.
    package var talking: Bool
    /// Whether the microphone is off for a cough.
    package var coughing: Bool
    /// The name of the peer to which the key replies. Absent for a key that does not reply, and if nobody has called.
    package var replyTo: String?
    /// Why nobody gets the voice of the key, as a sentence. Absent while the key is up, or if somebody gets it.
    package var unheard: String?
    /// The names of the linked peers to which the key speaks and that do not play it, because they have not granted
    /// private talk or talk to all to this node. Absent while the key is up, or if there are none.
    package var refusedBy: [String]?
}

extension TalkDocument {
    /// Call it on the node loop.
    init(of node: NodeLoop, key: Int) {
        self.key = node.keys.entries[key].name
        talkMode = node.keys.entries[key].mode.rawValue
        keyDown = node.talk.keys[key].isDown
        talking = node.talk.isTalking
        coughing = node.talk.isCoughing
        let replies = node.core.keys[key]?.isReply == true
        replyTo = replies ? node.core.voice.replyPeer.map { node.directory.name(of: $0) } : nil
        let isOpen = keyDown && !coughing
        unheard = isOpen ? node.whyUnheard(key) : nil
        refusedBy = isOpen ? node.refusers(ofKey: key) : nil
    }
}
