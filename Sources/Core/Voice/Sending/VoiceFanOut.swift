package import Primitives
package import Wire

/// Sends this node's voice to the listeners of the talk channel: one payload for each listener.
///
/// Belongs to the node loop, which reports to it what the mesh learns of listeners.
package struct VoiceFanOut {
    private let channel: ChannelID
    /// Index of `channel` in the list that this node sends to its peers.
    private let channelSlot: UInt8
    /// What the encoder is to make.
    package private(set) var encoder: EncoderChoice
    private var talker: TalkerPolicy
    private var packetizer = VoicePacketizer()
    private var listeners: [PeerSlot] = []
    private var policies = [ListenerPolicy](repeating: ListenerPolicy(), count: VoiceLimits.talkersMax)
    private var takesPlain = [Bool](repeating: false, count: VoiceLimits.talkersMax)
    private var isDirect = [Bool](repeating: true, count: VoiceLimits.talkersMax)
    private var choices = [ListenerChoice](repeating: .initial, count: VoiceLimits.talkersMax)
    /// Duration of the latest frame.
    private var duration: FrameDuration
    /// Size of the largest recent frame in bytes; it falls by 1/64 with each frame.
    private var frameBytes = 0
    private var spokenAt: Instant?
    /// Listeners that have yet to get the latest frame, the next one last.
    private var unserved: [PeerSlot] = []

    /// - Parameter channelSlot: the index of `channel` in the list that this node sends to its peers.
    package init(channel: ChannelID, channelSlot: UInt8, wish: TalkerPolicy.Wish) {
        self.channel = channel
        self.channelSlot = channelSlot
        talker = TalkerPolicy(wish)
        encoder = talker.choice(for: [], now: .zero)
        duration = wish.settings.frame
    }

    /// Takes the channels that a peer has reported.
    package mutating func setChannels(_ channels: [ChannelID], of slot: PeerSlot, now: Instant) {
        remove(slot)
        if channels.contains(channel) { listeners.append(slot) }
        chooseEncoder(now: now)
    }

    private mutating func remove(_ slot: PeerSlot) {
        listeners.removeAll { $0 == slot }
        unserved.removeAll { $0 == slot }
    }

    /// Removes a peer whose link has gone; the slot may be given to another peer.
    package mutating func forget(_ slot: PeerSlot, now: Instant) {
        remove(slot)
        packetizer.forget(slot)
        policies[slot.index] = ListenerPolicy()
        choices[slot.index] = .initial
        takesPlain[slot.index] = false
        isDirect[slot.index] = true
        chooseEncoder(now: now)
    }

    /// Notes whether a peer has reported that it takes plain sound.
    package mutating func setTakesPlain(_ isTaken: Bool, of slot: PeerSlot, now: Instant) {
        takesPlain[slot.index] = isTaken
        chooseEncoder(now: now)
    }

    /// Notes whether the path of voice to a peer is direct from now on.
    package mutating func setDirect(_ isReached: Bool, of slot: PeerSlot, now: Instant) {
        isDirect[slot.index] = isReached
        chooseEncoder(now: now)
    }

    /// Takes a listener's report on how it receives this node; comes twice a second, also in silence.
    package mutating func note(_ report: ReceptionReport, from slot: PeerSlot, now: Instant) {
        // A report about silence shows no loss, so the policy learns nothing from it.
        let isNews = spokenAt.map { now - $0 <= VoiceLimits.reportLag } ?? false
        if isNews { policies[slot.index].note(report, now: now) }
        choices[slot.index] = policies[slot.index].choice(
            frame: duration, frameBytes: frameBytes, listeners: listeners.count, now: now)
        packetizer.setScheme(choices[slot.index].scheme, for: slot)
        chooseEncoder(now: now)
    }

    /// Notes that the machine now runs on its battery, or no longer does.
    package mutating func setSavesPower(_ savesPower: Bool, now: Instant) {
        talker.savesPower = savesPower
        chooseEncoder(now: now)
    }

    private mutating func chooseEncoder(now: Instant) {
        let served = listeners.map {
            TalkerPolicy.Listener(
                policy: policies[$0.index], scheme: choices[$0.index].scheme, takesPlain: takesPlain[$0.index],
                isDirect: isDirect[$0.index])
        }
        encoder = talker.choice(for: served, now: now)
    }

    /// Takes the newest frame from the capture thread. Payloads of the frame before it that were not taken are dropped.
    package mutating func append(_ frame: VoiceFrame, bytes: UnsafeRawBufferPointer, now: Instant) {
        (duration, spokenAt) = (frame.duration, now)
        frameBytes = max(frame.byteCount, frameBytes - frameBytes / 64)
        packetizer.append(frame, bytes: bytes)
        unserved.removeAll(keepingCapacity: true)
        unserved.append(contentsOf: listeners.reversed())
    }

    /// Returns the next payload that is due after the frame just appended, with its listener; nil after the last one.
    package mutating func nextPayload() -> (PeerSlot, [UInt8])? {
        while let slot = unserved.popLast() {
            if let payload = packetizer.payload(for: slot, channelSlot: channelSlot) { return (slot, payload) }
        }
        return nil
    }

    /// Returns how a listener is served, and why; nil if it does not listen to this node's channel.
    package func choice(for slot: PeerSlot) -> ListenerChoice? {
        listeners.contains(slot) ? choices[slot.index] : nil
    }
}
