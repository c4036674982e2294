package import Primitives
package import Wire

/// Sends this node's voice to the listeners of the channels on which it talks: one payload for each listener, whatever
/// the number of channels.
///
/// Belongs to the node loop, which reports to it what the mesh learns of listeners.
package struct VoiceFanOut {
    /// The channels on which this node talks.
    package private(set) var targets: [ChannelID]
    /// What the encoder is to make.
    package private(set) var encoder: EncoderChoice
    private var talker: TalkerPolicy
    private var packetizer = VoicePacketizer()
    /// Times that a listener has come, wrapping. The encoder then makes frames with which a decoder can begin.
    package private(set) var joins: UInt8 = 0
    /// By slot: the channels to which the peer listens.
    private var lists = [ListenerList](repeating: ListenerList(), count: VoiceLimits.talkersMax)
    /// Peers that listen to one of the targets.
    private var listeners: [PeerSlot] = []
    /// Peers that no longer listen, and have yet to get the end of their spurt.
    private var leaving: [PeerSlot] = []
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

    /// - Parameter targets: the channels on which this node talks.
    package init(targets: [ChannelID], wish: TalkerPolicy.Wish) {
        self.targets = targets
        talker = TalkerPolicy(wish)
        encoder = talker.choice(for: [], now: .zero)
        duration = wish.settings.frame
    }

    /// Talks on these channels from the next frame on.
    package mutating func setTargets(_ channels: [ChannelID], now: Instant) {
        guard channels != targets else { return }
        targets = channels
        for slot in (0..<VoiceLimits.talkersMax).map(PeerSlot.init(index:)) where lists[slot.index].generation != 0 {
            update(slot, isRetargeted: true)
        }
        chooseEncoder(now: now)
    }

    /// Takes the list of channels to which a peer listens.
    package mutating func setList(_ list: ListenerList, of slot: PeerSlot, now: Instant) {
        guard list != lists[slot.index] else { return }
        lists[slot.index] = list
        update(slot, isRetargeted: false)
        chooseEncoder(now: now)
    }

    private mutating func update(_ slot: PeerSlot, isRetargeted: Bool) {
        let address = lists[slot.index].address(of: targets)
        let isListener = listeners.contains(slot)
        packetizer.setAddress(address, of: slot, isRetargeted: isRetargeted)
        if address == .nobody {
            remove(slot)
            if packetizer.isRunning(for: slot) { leaving.append(slot) }
        } else if !isListener {
            leaving.removeAll { $0 == slot }
            listeners.append(slot)
            joins &+= 1
        }
    }

    private mutating func remove(_ slot: PeerSlot) {
        listeners.removeAll { $0 == slot }
        leaving.removeAll { $0 == slot }
        unserved.removeAll { $0 == slot }
    }

    /// Removes a peer whose link has gone; the slot may be given to another peer.
    package mutating func forget(_ slot: PeerSlot, now: Instant) {
        remove(slot)
        packetizer.forget(slot)
        lists[slot.index] = ListenerList()
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
        leaving.removeAll { !packetizer.isRunning(for: $0) }
        unserved.append(contentsOf: leaving)
        unserved.append(contentsOf: listeners.reversed())
    }

    /// Returns the next payload that is due after the frame just appended, with its listener; nil after the last one.
    package mutating func nextPayload() -> (PeerSlot, [UInt8])? {
        while let slot = unserved.popLast() {
            if let payload = packetizer.payload(for: slot) { return (slot, payload) }
        }
        return nil
    }

    /// Returns how a listener is served, and why; nil if it listens to none of this node's channels.
    package func choice(for slot: PeerSlot) -> ListenerChoice? {
        listeners.contains(slot) ? choices[slot.index] : nil
    }
}
