import Primitives
import TestKit
import Voice
import Wire

extension VoicePacketizer {
    /// A packetizer with listeners that hear every frame.
    static func serving(_ listeners: PeerSlot...) -> VoicePacketizer { serving(listeners) }

    static func serving(_ listeners: [PeerSlot]) -> VoicePacketizer {
        var packetizer = VoicePacketizer()
        for listener in listeners { packetizer.setAddress(.first, of: listener, isRetargeted: false) }
        return packetizer
    }
}
