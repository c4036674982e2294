import Primitives
import Voice
import Wire

/// Whom the own voice goes to, and as what: the listeners of the talk channel, a payload each.
struct VoiceFanOut {
    private let channel: ChannelID
    /// Index of `channel` in the list that this node tells its peers.
    private let channelSlot: UInt8
    private var packetizer = VoicePacketizer()
    private var listeners: [PeerSlot] = []

    init(channel: ChannelID, channelSlot: UInt8) {
        self.channel = channel
        self.channelSlot = channelSlot
    }

    /// A peer has said which channels it is on.
    mutating func setChannels(_ channels: [ChannelID], of slot: PeerSlot) {
        listeners.removeAll { $0 == slot }
        if channels.contains(channel) { listeners.append(slot) }
    }

    mutating func forget(_ slot: PeerSlot) {
        listeners.removeAll { $0 == slot }
        packetizer.forget(slot)
    }

    mutating func append(_ frame: VoiceFrame, bytes: UnsafeRawBufferPointer) {
        packetizer.append(frame, bytes: bytes)
    }

    /// The payloads that are due after the frame just appended.
    mutating func payloads() -> [(PeerSlot, [UInt8])] {
        listeners.compactMap { slot in
            packetizer.payload(for: slot, channelSlot: channelSlot).map { (slot, $0) }
        }
    }
}
