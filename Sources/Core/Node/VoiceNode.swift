package import Channels
package import Mesh
package import Primitives
package import Voice
import Wire

/// One node of the party line as a value: the mesh, and over it the channel directory, the channels to which the node
/// listens, and the fan-out of its own voice. Both shells run it: `NodeRuntime` with sockets and cards, the simulator
/// with virtual time.
///
/// It is not copyable, as `MeshNode` is not.
///
/// The shell calls `handle`, `perform` or `queue`. Then it takes `nextLineOrder()`, `runUntilOutput()` and
/// `nextNote()` until nil, and sleeps until `nextDeadline`:
///
///     MeshInput ──► handle ──► MeshNode ──► outputs ──────────────────────────► runUntilOutput()
///                                 ▲  ▲         │ lists, reports, paths
///                                 │  └───────┐ ▼
///     own frame ─► queue ─────────┼─ .voice ─┤ VoiceFanOut ──► encoder, independentRequests (read by the shell)
///                                 │          │ ▲ targets: TalkKeys
///     command ──► perform ──► Listening ─────┴─┴─► lines of the output ───────► nextLineOrder()
///                                 ▲
///     payload of a peer ──► heardLines: the lines on which it sounds
///
/// The mesh is joined with the directory, the calls and the codes of channels in `VoiceNode+Parts.swift`. What these
/// parts tell the shell comes out of `nextNote()`.
///
/// The encoder and the receiver are not here: they run on the threads of the sound cards.
package struct VoiceNode: ~Copyable {
    /// The shell reads its status here.
    package internal(set) var mesh: MeshNode
    /// The shell reads here how each listener is served, and what the encoder is to make.
    package private(set) var voice: VoiceFanOut
    /// The shell reads the channels of the mesh here.
    package internal(set) var directory: ChannelDirectory
    /// Whether the directory or a key has changed since the node last looked for renamed channels.
    var mayFollow = true
    /// The shell reads here who calls, and what has become of own calls.
    package internal(set) var calls: Calls
    /// The shell reads here which channels with a code this node holds.
    package internal(set) var codes: ChannelCodes
    /// What directory, calls and codes have told and the shell has yet to take.
    var notes: [NodeNote] = []
    /// The shell reads here to which channels the node listens.
    package internal(set) var listening: Listening
    /// The shell reads here to whom the keys speak.
    package private(set) var keys: TalkKeys
    /// The keys by which this node talks now.
    private var talkingKeys: KeySet = []
    /// Which peer's private talk began to sound last.
    private var privateTalk = PrivateTalk()
    /// Payloads of peers that do not sound here.
    package private(set) var unplayed = UnplayedPayloads()
    /// Orders that the shell has not taken yet.
    private var lineOrders: [LineOrder] = []
    /// The `now` of the input in progress, or of the last one; at first the latest `now` of the mesh. This node may
    /// follow a renaming before its first input, and then hands the mesh an input of that instant.
    var handledAt: Instant
    private var hasLeft = false
    /// To whom this node shows that it talks, and the channels on which it talks; nil if the mesh knows them.
    private var untoldTalk: ShownTalk?
    private var untoldTally: [ChannelID]?

    /// - Parameters:
    ///   - mesh: its configuration has the channels to which `listening` listens.
    ///   - wish: the encoder that the user wants.
    ///   - directory, calls: know the channels to which `listening` listens.
    ///   - codes: hold the channels with a code that `listening` has.
    ///   - keys: to whom the talk keys speak.
    package init(
        _ mesh: consuming MeshNode, listening: Listening, wish: TalkerPolicy.Wish, directory: ChannelDirectory,
        calls: Calls, codes: ChannelCodes, keys: TalkKeys = TalkKeys()
    ) {
        handledAt = mesh.handledAt
        self.mesh = mesh
        self.listening = listening
        self.directory = directory
        self.calls = calls
        self.codes = codes
        self.keys = keys
        voice = VoiceFanOut(keys: keys.targets(listening.list), wish: wish)
        lineOrders = listening.startDirectives.compactMap(LineOrder.init)
    }

    /// - Precondition: Every output was taken. `now` is not before that of the last call.
    package mutating func handle(_ input: MeshInput, now: Instant) {
        handledAt = now
        switch input {
        case .command(.leave): hasLeft = true
        case .command(.setChannels(let channels, _)):
            directory.handle(.listens(channels), now: now)
            calls.handle(.listens(channels), now: now)
        case .deadline:
            runDirectory(now: now)
            runCalls(now: now)
            runCodes(now: now)
        default: break
        }
        mesh.handle(input, now: now)
    }

    /// Carries out an order about the channels of this node.
    ///
    /// - Throws: `ListeningRefusal` if the order has no effect.
    /// - Precondition: Every output was taken. `now` is not before that of the last call.
    package mutating func perform(_ command: ListeningCommand, now: Instant) throws(ListeningRefusal) {
        handledAt = now
        perform(try listening.handle(command))
    }

    mutating func perform(_ directives: [ListeningDirective]) {
        for directive in directives {
            switch directive {
            case .advertise(let channels, let talks):
                handle(.command(.setChannels(channels, talks: talks)), now: handledAt)
            case .advertiseGrants(let grants): handle(.command(.setGrants(grants)), now: handledAt)
            case .closeLine, .setLine: lineOrders.append(contentsOf: LineOrder(directive).map { [$0] } ?? [])
            }
        }
        // A key that has targets of its own leaves out, too, a channel on which the node only listens now.
        retarget(now: handledAt)
    }

    /// Queues a frame of this node's own voice for each listener to which the keys of the frame speak. Nothing is sent
    /// yet: `runUntilOutput` hands the frame to the mesh. Frames come in the order of capture.
    ///
    /// - Parameter bytes: the coded frame. They are read during the call only.
    /// - Precondition: Every output was taken. `now` is not before that of the last call.
    package mutating func queue(_ frame: VoiceFrame, bytes: UnsafeRawBufferPointer, now: Instant) {
        handledAt = now
        voice.append(frame, bytes: bytes, now: now)
    }

    /// Gives a talk key other targets, from the next frame on. `keys.count` is the number of the next new key.
    ///
    /// - Precondition: Every output was taken. `now` is not before that of the last call. There are at most
    ///   `TalkLimits.keysMax` keys.
    package mutating func setKey(_ key: Int, to targets: KeyTargets, now: Instant) {
        handledAt = now
        keys.set(targets, of: key)
        mayFollow = true
        retarget(now: now)
    }

    /// Notes the keys that are down from now on, whether or not this node talks by them: a cough, the talk of others or
    /// a missing voice may hold them back. A reply goes to the peer that was the caller when its key went down.
    ///
    /// Call it before `setTalking`, and before the first frame that the keys cause is sent.
    package mutating func setDown(_ keys: KeySet) { voice.setDown(keys, now: handledAt) }

    /// Notes the keys by which this node talks from now on; none if it falls silent. The peers that may know of it are
    /// told.
    ///
    /// - Precondition: Every output was taken. `now` is not before that of the last call.
    package mutating func setTalking(by keys: KeySet, now: Instant) {
        handledAt = now
        talkingKeys = keys
        showTalk()
    }

    /// Notes the peer to which a reply goes from now on, because it has called this node or its private talk sounds. A
    /// reply whose key is down stays with its peer.
    package mutating func setCaller(_ caller: NodeID) {
        voice.setCaller(caller, now: handledAt)
    }

    /// Takes the samples of a peer's private talk that people have heard here since its slot was opened
    /// (`VoiceStatistics.privateSamples`). If its talk has begun to sound, the peer is the caller from now on.
    ///
    /// Call it at each payload of private talk. The count lags behind the payloads, so call it also twice a second, and
    /// before `setDown`.
    package mutating func countPrivateTalk(heard samples: UInt64, from slot: PeerSlot, now: Instant) {
        guard privateTalk.hear(samples, from: slot, now: now), let node = voice.peer(in: slot) else { return }
        setCaller(node)
    }

    private mutating func retarget(now: Instant) {
        voice.setKeys(keys.targets(listening.list), now: now)
        showTalkAgain()
    }

    mutating func followByKeys(_ old: ChannelID, to new: ChannelID) {
        keys.follow(old, to: new)
        retarget(now: handledAt)
    }

    /// Talk to all, or on a channel without a code, is shown to every peer. Other talk is shown to the peers that have
    /// proved the code of one of its channels, and to those to which it is said privately.
    private mutating func showTalk() {
        let targets = voice.targets(of: talkingKeys)
        let knowing = targets.peers + codes.peers(knowing: targets.channels)
        let shown: ShownTalk =
            targets.isToAll || targets.channels.contains { !$0.hasCode }
            ? .everybody
            : knowing.isEmpty ? .nobody : .only(knowing)
        (untoldTalk, untoldTally) = (shown, targets.channels)
    }

    /// Shows talk anew: the targets of keys have changed, other peers know its channels, or a session has begun.
    mutating func showTalkAgain() {
        if !talkingKeys.isEmpty { showTalk() }
    }

    /// Sets whether the machine runs on its battery. On battery the encoder makes the longest frames that the wish
    /// allows.
    package mutating func setSavesPower(_ savesPower: Bool, now: Instant) {
        voice.setSavesPower(savesPower, now: now)
    }

    /// Returns the lines on which a voice payload of a peer sounds here; nil if it sounds on none, which is counted.
    /// Ask it for each output `voice`, before the next output is taken.
    package mutating func heardLines(of payload: [UInt8], from slot: PeerSlot) -> HeardLines? {
        guard let header = payload.withUnsafeBytes({ try? VoicePayloadHeader(reading: $0) }) else {
            unplayed.malformed += 1
            return nil
        }
        guard let lines = lines(of: header, from: slot) else {
            unplayed.unknownGeneration += 1
            return nil
        }
        guard !lines.isEmpty else {
            let isRefused = listening.refuses(header.address.label, of: voice.peer(in: slot))
            if isRefused { unplayed.notGranted += 1 } else { unplayed.notListened += 1 }
            return nil
        }
        return lines
    }

    /// Returns the lines of the labels in a header. Private talk and talk to all need no generation. Nil if a label has
    /// places of a generation that the peer cannot hold, and no private talk or talk to all that is granted.
    private func lines(of header: VoicePayloadHeader, from slot: PeerSlot) -> HeardLines? {
        let (generation, node) = (header.address.generation, voice.peer(in: slot))
        func bits(_ label: VoiceLabel) -> UInt16? {
            listening.lines(of: label, generation: generation, from: slot, of: node) { codes.hasProved($0, slot) }
        }
        guard let newest = bits(header.address.label) else { return nil }
        guard let former = header.former else { return HeardLines(LineSet(rawValue: newest)) }
        return bits(former.label).map {
            HeardLines(LineSet(rawValue: newest), former: LineSet(rawValue: $0), formerAge: former.age)
        }
    }

    /// Returns the next order for the lines of the output; nil if there is none. The shell carries an order out before
    /// it delivers any more voice.
    package mutating func nextLineOrder() -> LineOrder? { lineOrders.isEmpty ? nil : lineOrders.removeFirst() }

    /// Returns the next output; nil if there is none. While the mesh has no output, this feeds the mesh what waits for
    /// it: voice of this node, and what its parts send. If the output concerns a listener of this node's voice, the
    /// fan-out has already been updated. An output that is for a part alone is not returned.
    package mutating func runUntilOutput() -> MeshOutput? {
        while true {
            if let output = mesh.nextOutput() {
                // Most outputs are datagrams, which are for the shell alone.
                if case .send = output { return output }
                if isTaken(output) { continue }
                return output
            }
            guard feedMesh() else { return nil }
        }
    }

    /// Updates the parts of this node by an output of the mesh. Returns whether the output was for them alone.
    // Not inlined, nor is `feedMesh`: their code is long and hardly ever runs, and inside `runUntilOutput` it displaced
    // code from the cache of the processor after every input.
    @inline(never)
    private mutating func isTaken(_ output: borrowing MeshOutput) -> Bool {
        if handOverToCodes(output) || handOver(output) || handOverToCalls(output) { return true }
        update(by: output)
        return false
    }

    /// Hands the mesh the next thing that it is to send for a part of this node; returns false if there is none.
    @inline(never)
    private mutating func feedMesh() -> Bool {
        if sendForDirectory() || sendForCalls() || sendForCodes() || followRenaming() || tellTalk() { return true }
        // One payload at a time: each becomes its datagrams before the next one is made.
        guard let (slot, payload) = voice.nextPayload() else { return false }
        mesh.handle(.voice(payload, to: slot), now: handledAt)
        return true
    }

    /// Tells the mesh to whom this node shows its talk, and on which channels it talks; returns false if the mesh
    /// knows.
    private mutating func tellTalk() -> Bool {
        guard !hasLeft else { return false }
        if let shown = untoldTalk.take() {
            mesh.handle(.talking(shown), now: handledAt)
            return true
        }
        guard let tally = untoldTally.take() else { return false }
        mesh.handle(.tally(tally), now: handledAt)
        return true
    }

    /// The latest instant at which the shell must call again; nil where there is none.
    package var nextDeadline: MeshDeadline? {
        mutating get {
            let ofMesh = mesh.nextDeadline
            let own = min(directory.nextDeadline, min(calls.nextDeadline, codes.nextDeadline))
            guard !hasLeft, own < ofMesh?.at ?? .distantFuture else { return ofMesh }
            let reason: MeshTimer =
                own == directory.nextDeadline ? .table : own == calls.nextDeadline ? .call : .channelCode
            return MeshDeadline(at: own, reason: reason)
        }
    }

    /// Updates fan-out and listening if the output tells something about a listener, or about this node's list at a
    /// peer.
    private mutating func update(by output: borrowing MeshOutput) {
        switch output {
        case .peerReport(let report, let slot): voice.add(report, from: slot, now: handledAt)
        case .peerTakesPlain(let isTaken, let slot): voice.setTakesPlain(isTaken, of: slot, now: handledAt)
        case .event(.pathChanged(let slot, _, let path, _)):
            voice.setDirect(path == .direct, of: slot, now: handledAt)
        case .peerListens(let channels, let generation, let slot):
            voice.setList(ListenerList(channels: channels, generation: generation), of: slot, now: handledAt)
        case .channelsAdvertised(let channels, let generation, let slot):
            listening.handle(.advertised(channels, generation: generation, to: slot))
        case .peerHoldsChannels(let generation, let slot):
            listening.handle(.confirmed(generation: generation, by: slot))
        case .event(.peerUp(let slot, let node, _, _)):
            voice.setPeer(node, of: slot, now: handledAt)
            listening.handle(.peerUp(slot, node))
        case .event(.peerDown(let slot, _, _, _)):
            voice.forget(slot, now: handledAt)
            privateTalk.forget(slot)
        default: break
        }
    }
}

/// An order for one line of the output.
package struct LineOrder: Hashable, Sendable {
    package var line: Int
    /// Nil if the line is closed.
    package var setting: LineSetting?

    /// Nil if the directive is not about a line.
    init?(_ directive: ListeningDirective) {
        switch directive {
        case .closeLine(let line): (self.line, setting) = (line, nil)
        case .setLine(let line, let setting): (self.line, self.setting) = (line, setting)
        case .advertise, .advertiseGrants: return nil
        }
    }
}

/// Voice payloads of linked peers that do not sound here, since the start.
package struct UnplayedPayloads: Hashable, Sendable {
    /// Payloads whose header breaks a rule.
    package var malformed: UInt64 = 0
    /// Payloads that are labelled by a list that the peer cannot hold.
    package var unknownGeneration: UInt64 = 0
    /// Payloads on channels to which this node does not listen.
    package var notListened: UInt64 = 0
    /// Payloads of private talk, or of talk to all, that this node has not granted.
    package var notGranted: UInt64 = 0

    /// The counts that are not zero, with their names.
    package var counted: [(name: String, value: UInt64)] {
        let all: [(name: String, value: UInt64)] = [
            ("voiceMalformed", malformed), ("voiceOfUnknownGeneration", unknownGeneration),
            ("voiceNotListened", notListened), ("voiceNotGranted", notGranted),
        ]
        return all.filter { $0.value != 0 }
    }
}
