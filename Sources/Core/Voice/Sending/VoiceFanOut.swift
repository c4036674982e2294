package import Primitives
package import Wire

/// Sends this node's voice to those to whom its pressed keys speak: one payload for each listener, whatever the number
/// of keys and channels.
///
/// Belongs to the node loop, which reports to it what the mesh learns of listeners. Each frame has the keys that were
/// pressed when it began. Together their targets say who gets the frame.
package struct VoiceFanOut {
    /// To whom the frames go.
    private var keys: SpokenKeys
    /// What the encoder is to make.
    package private(set) var encoderChoice: EncoderChoice
    private var talker: TalkerPolicy
    private var packetizer = VoicePacketizer()
    /// Counts the requests for independent frames, wrapping: one for each listener that comes other than by an added
    /// key. After each change of this number the encoder makes frames with which a decoder can begin.
    package private(set) var independentRequests: UInt8 = 0
    /// By slot: the channels to which the peer listens.
    private var lists = [ListenerList](repeating: ListenerList(), count: VoiceLimits.talkersMax)
    /// By slot: the peer that has a link.
    private var nodes = [NodeID?](repeating: nil, count: VoiceLimits.talkersMax)
    /// Peers that get the frames of the keys pressed last.
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
    private var listenersDue: [PeerSlot] = []

    /// - Parameter keys: to whom each key speaks, at most `TalkLimits.keysMax`.
    package init(keys: [KeyTargets], wish: TalkerPolicy.Wish) {
        self.keys = SpokenKeys(keys)
        talker = TalkerPolicy(wish)
        encoderChoice = talker.choice(for: [], now: .zero)
        duration = wish.settings.frame
    }

    /// Changes to whom the keys speak, from the next frame on.
    package mutating func setKeys(_ targets: [KeyTargets], now: Instant) {
        guard keys.setTargets(targets) else { return }
        retarget(.keysChanged, now: now)
    }

    /// Notes the keys that are down from now on, before the first frame that they cause comes.
    package mutating func setDown(_ down: KeySet, now: Instant) {
        keys.setDown(down)
        chooseEncoder(now: now)
    }

    /// Notes the peer that last called this node, or whose private talk began to sound last. The keys of a reply speak
    /// to it when they go down next.
    package mutating func setCaller(_ caller: NodeID, now: Instant) {
        keys.caller = caller
        chooseEncoder(now: now)
    }

    /// The peer that last called this node, or whose private talk began to sound last.
    package var caller: NodeID? { keys.caller }

    /// The peer to which a reply goes whose key is down now, or is pressed next.
    package var replyPeer: NodeID? { keys.replyPeer }

    /// The peer that has a link in this slot.
    package func peer(in slot: PeerSlot) -> NodeID? { nodes[slot.index] }

    /// The targets of these keys together: of those that are down, and of others as if they were pressed now. The peer
    /// to which a reply goes is among their `peers`.
    package func targets(of pressed: KeySet) -> KeyTargets { keys.targets(of: pressed) }

    /// Takes the peer whose link has come up in a slot.
    package mutating func setPeer(_ node: NodeID, of slot: PeerSlot, now: Instant) {
        nodes[slot.index] = node
        update(slot, .listenerChanged)
        chooseEncoder(now: now)
    }

    /// Takes the list of channels to which a peer listens.
    package mutating func setList(_ list: ListenerList, of slot: PeerSlot, now: Instant) {
        guard list != lists[slot.index] else { return }
        lists[slot.index] = list
        update(slot, .listenerChanged)
        chooseEncoder(now: now)
    }

    /// Why a listener is addressed in another way.
    private enum Cause {
        /// The targets of keys have changed.
        case keysChanged
        /// Other talk keys are down for the next frame. If one was added, the frame is one with which a decoder can
        /// begin.
        case otherKeys
        case listenerChanged
    }

    private mutating func retarget(_ cause: Cause, now: Instant) {
        for index in 0..<VoiceLimits.talkersMax { update(PeerSlot(index: index), cause) }
        chooseEncoder(isRetargeted: true, now: now)
    }

    private mutating func update(_ slot: PeerSlot, _ cause: Cause) {
        let address = address(of: slot)
        let isListener = listeners.contains(slot)
        packetizer.setAddress(address, of: slot, isRetargeted: cause != .listenerChanged)
        if address.label.isEmpty {
            remove(slot)
            if packetizer.isRunning(for: slot) { leaving.append(slot) }
        } else if !isListener {
            leaving.removeAll { $0 == slot }
            listeners.append(slot)
            if cause != .otherKeys { independentRequests &+= 1 }
        }
    }

    private func address(of slot: PeerSlot) -> VoiceAddress {
        let (list, spoken) = (lists[slot.index], keys.spoken)
        var label = list.label(of: spoken.channels)
        if let node = nodes[slot.index] {
            if spoken.peers.contains(node) { label.insert(.privately) }
            if spoken.isToAll { label.insert(.toAll) }
        }
        return label.isEmpty ? .nobody : VoiceAddress(label: label, generation: list.generation)
    }

    private mutating func remove(_ slot: PeerSlot) {
        listeners.removeAll { $0 == slot }
        leaving.removeAll { $0 == slot }
        listenersDue.removeAll { $0 == slot }
    }

    /// Removes a peer whose link has gone; the slot may be given to another peer.
    package mutating func forget(_ slot: PeerSlot, now: Instant) {
        remove(slot)
        packetizer.forget(slot)
        lists[slot.index] = ListenerList()
        nodes[slot.index] = nil
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
    package mutating func setDirect(_ isDirect: Bool, of slot: PeerSlot, now: Instant) {
        self.isDirect[slot.index] = isDirect
        chooseEncoder(now: now)
    }

    /// Adds a listener's report on how it receives this node; comes twice a second, also in silence.
    package mutating func add(_ report: ReceptionReport, from slot: PeerSlot, now: Instant) {
        // A report about silence shows no loss, so the policy learns nothing from it.
        if hasJustSpoken(now: now) { policies[slot.index].add(report, now: now) }
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

    private mutating func chooseEncoder(isRetargeted: Bool = false, now: Instant) {
        let isPlainTaken = isPlainTakenByAll
        let served = listeners.map {
            TalkerPolicy.Listener(
                policy: policies[$0.index], scheme: choices[$0.index].scheme,
                takesPlain: takesPlain[$0.index] && isPlainTaken, isDirect: isDirect[$0.index])
        }
        encoderChoice = talker.choice(
            for: served, isSounding: hasJustSpoken(now: now), isRetargeted: isRetargeted, now: now)
    }

    private func hasJustSpoken(now: Instant) -> Bool { spokenAt.map { now - $0 <= VoiceLimits.reportLag } ?? false }

    /// Whether each linked peer to which some key speaks takes plain sound; true if no plain sound is wished. A key
    /// that is up counts too: it may be pressed within a frame.
    private var isPlainTakenByAll: Bool {
        guard talker.wish.isPlain else { return true }
        let every = keys.targets(of: KeySet(rawValue: .max))
        return nodes.indices.allSatisfy { index in
            guard let node = nodes[index], !takesPlain[index] else { return true }
            return !every.isToAll && !every.peers.contains(node) && lists[index].label(of: every.channels).isEmpty
        }
    }

    /// Takes the newest frame from the capture thread. Payloads of the frame before it that were not taken are dropped.
    package mutating func append(_ frame: VoiceFrame, bytes: UnsafeRawBufferPointer, now: Instant) {
        (duration, spokenAt) = (frame.duration, now)
        frameBytes = max(frame.byteCount, frameBytes - frameBytes / 64)
        if keys.take(frame) { retarget(.otherKeys, now: now) }
        packetizer.append(frame, bytes: bytes)
        listenersDue.removeAll(keepingCapacity: true)
        leaving.removeAll { !packetizer.isRunning(for: $0) }
        listenersDue.append(contentsOf: leaving)
        for slot in listeners.reversed() where mayGet(frame, slot) { listenersDue.append(slot) }
    }

    /// A frame may have been made before its newest listener came. Plain sound begins only at a peer that takes it.
    private func mayGet(_ frame: VoiceFrame, _ slot: PeerSlot) -> Bool {
        !frame.flags.contains(.plain) || takesPlain[slot.index] || packetizer.isRunning(for: slot)
    }

    /// Returns the next payload that is due after the frame just appended, with its listener; nil after the last one.
    package mutating func nextPayload() -> (PeerSlot, [UInt8])? {
        while let slot = listenersDue.popLast() {
            if let payload = packetizer.payload(for: slot) { return (slot, payload) }
        }
        return nil
    }

    /// Returns how a listener is served, and why; nil if it gets no frames of the keys pressed last.
    package func choice(for slot: PeerSlot) -> ListenerChoice? {
        listeners.contains(slot) ? choices[slot.index] : nil
    }
}

/// A peer's list of channels to which it listens, as this node holds it (docs/WIRE.md, "Carrier frames", CHANNELS).
package struct ListenerList: Hashable, Sendable {
    /// The channels in the peer's order: a voice label names a channel by its place in this list.
    package var channels: [ChannelID]
    /// The generation of the list; 0 before the first one.
    package var generation: UInt8

    package init(channels: [ChannelID] = [], generation: UInt8 = 0) {
        self.channels = channels
        self.generation = generation
    }

    /// Returns the label that tells this peer for which channels of its list a frame to `targets` is; empty if the peer
    /// listens to none of them, or its list is not known.
    package func label(of targets: [ChannelID]) -> VoiceLabel {
        var label: VoiceLabel = []
        guard generation != 0 else { return label }
        for (place, channel) in channels.prefix(WireLimits.channelsListenedMax).enumerated()
        where targets.contains(channel) {
            label.insert(.place(place))
        }
        return label
    }
}
