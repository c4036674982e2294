import Channels
import Mesh
import Node
import Primitives
import Voice
import Wire

/// The sound side of one process, with the parts of a real node: a talker's sender, a listener's receiver, and two
/// sound cards that give and want one block at a time. The fan-out of the voice is in the node itself.
final class SimVoice {
    /// Length of a block of either card.
    static let block = Interval.milliseconds(5)
    private static let blockSamples = 240
    /// Lateness at which a card has run dry.
    private static let dryAfter = Interval.microseconds(2_500)
    /// Playback skips at most this much of a gap, as in a real node. If the gap was longer, the jitter buffers adapt to
    /// the rest by themselves.
    private static let gapSkippedMax = Interval.milliseconds(100)
    /// Greatest number of coded frames that wait for a busy node loop. Further frames are dropped, as by a full ring.
    private static let waitingFramesMax = 128
    /// The most blocks over which a frame can extend, before its last one.
    private static let blocksInFrameMax = VoiceLimits.frameSamplesMax / blockSamples + 1
    /// Longest sound that a microphone's device keeps while the process reads nothing. After a longer stall all of it
    /// is lost.
    private static let keptMax = Interval.milliseconds(40)
    /// Number of blocks between two reports of playback to the node loop.
    private static let publishedEveryBlocks: UInt64 = 10

    /// A frame that the capture thread has coded and the node loop has not sent yet.
    struct Coded {
        var frame: VoiceFrame
        var bytes: [UInt8]
    }

    /// An entry of the playback thread's ring. The thread handles it before it renders the next block.
    private enum Order {
        case payload([UInt8], PeerSlot, HeardLines, arrival: Instant)
        case clock(SampleTime, PeerSlot, arrival: Instant)
        case open(PeerSlot)
        case close(PeerSlot)
        case line(LineOrder)
    }

    let channel: ChannelID
    /// The number of `channel`.
    let channelNumber: Int
    private var otherKeys: OtherKeys
    /// The keys that a scenario presses, in place of the drawn ones.
    var heldKeys: KeySet?
    /// Their targets, if the scenario has given them other ones than `SpokenTo` knows.
    var heldTo: SpokenTo?
    /// The latest blocks of the microphone, newest last: the sample time after each, and the keys that were down in it.
    private var pressedBlocks: [(end: SampleTime, keys: KeySet)] = []
    /// Whether the last frame was the last one of a spurt, or there was none.
    private var isBetweenSpurts = true
    /// The keys to whose targets the latest full frame goes.
    private var lastKeys: KeySet = .first
    /// Nil if the person keeps to one channel.
    var hopping: ChannelHopping?
    /// When the node last carried out a person's order about its channels, such as to join or part one; nil if it never
    /// did.
    var channelsChangedAt: Instant?
    private var receiver: VoiceReceiver
    private var sender: VoiceSender
    private let pen: SimCodec.Pen
    private let notebook = FrameNotebook()
    private let rule: SpeechRule
    private let isTalker: Bool
    private var random: SeededRandom
    private let driftPartsPerMillion: Int64

    private var isKeyDown = false
    private var keyTurnsAt: Instant
    /// Whether the drawn talk keys of the node count as up, so that the node says nothing. Keys that a scenario presses
    /// (`heldKeys`) work all the same.
    var isMuted = false
    /// The keys by which the node talks, as it has last reported to its mesh, and their targets. `since` is when the
    /// nodes that may know of the talk last changed.
    var announcedTalk = (keys: KeySet(), to: SpokenTo(), since: Instant.zero)
    private var waiting: [Coded] = []
    /// By slot, the peer that last held the slot. It stays after the slot closes, because its sound still fades out.
    private(set) var holders = [Int?](repeating: nil, count: VoiceLimits.talkersMax)
    private var openSlots: [PeerSlot] = []
    private var ring: [Order] = []
    private var spoken: [(stamp: VoiceStamp, keys: KeySet)] = []
    /// By slot.
    private var published = [VoiceStatistics](repeating: VoiceStatistics(), count: VoiceLimits.talkersMax)
    /// When the cards last ran, on the node's own clock.
    private var ranAt: Instant
    private var blocks: UInt64 = 0
    private let samples: UnsafeMutableBufferPointer<Float>

    init(
        _ rule: SpeechRule, node: Int, life: UInt32, random: SeededRandom, keys: SeededRandom, now: Instant,
        localNow: Instant
    ) {
        self.rule = rule
        self.random = random
        channelNumber = Int(self.random.below(UInt64(rule.channelCount)))
        channel = SpeechRule.channel(channelNumber)
        otherKeys = OtherKeys(count: rule.keyCount - 1, random: keys, now: now)
        isTalker = node < rule.talkerCount
        let most = Int64(rule.driftPartsPerMillionMax)
        driftPartsPerMillion = Int64(self.random.below(UInt64(2 * most + 1))) - most
        let profile = rule.profile
        pen = SimCodec.Pen(talker: node, life: life)
        // The media clock starts so near its wrap that it wraps within the first minute.
        var corner = random
        let start = UInt32.max - UInt32(corner.below(UInt64(60 * SampleTime.rateHertz)))
        sender = VoiceSender(
            encoder: SimCodec.encoder(pen), duration: profile.frame, start: SampleTime(samples: start))
        receiver = VoiceReceiver(decoders: SimCodec.decoders(notebook), outputChannels: 1)
        keyTurnsAt = now + Exponential.interval(mean: rule.pauseFor, using: &self.random)
        ranAt = localNow
        samples = .allocate(capacity: Self.blockSamples)
        samples.initialize(repeating: 0)
    }

    deinit { samples.deallocate() }

    // MARK: The sound cards

    /// Time until the cards have the next block, on the node's clock.
    var untilNextBlock: Interval { Interval(nanoseconds: Self.block.nanoseconds + 5 * driftPartsPerMillion) }

    /// Captures one block of the microphone, and renders one block for the output. Returns the frames that were decoded
    /// for the output.
    ///
    /// - Parameters:
    ///   - encoder: what the node wants the encoder to make.
    ///   - independentRequests: counts the requests for independent frames, wrapping.
    func turn(
        now: Instant, localNow: Instant, encoder: EncoderSettings, independentRequests: UInt8
    ) -> [FrameNotebook.Sounded] {
        let gap = localNow - ranAt - untilNextBlock
        ranAt = localNow
        let hasRunDry = Self.dryAfter < gap
        if hasRunDry { receiver.stoodStill(now: localNow) }
        sender.follow(encoder)
        sender.follow(independentRequests: independentRequests)
        capture(now: now, late: hasRunDry ? gap : .zero)
        for order in ring { perform(order) }
        ring.removeAll(keepingCapacity: true)
        if hasRunDry {
            skip(min(gap, Self.gapSkippedMax), localNow: localNow)
            _ = notebook.take()
        }
        receiver.render(into: samples, now: localNow)
        blocks += 1
        if hasPublished {
            for slot in openSlots { published[slot.index] = receiver.statistics(of: slot) }
        }
        return notebook.take()
    }

    /// Renders the sound that was due while the card was stopped, and discards it.
    private func skip(_ gap: Interval, localNow: Instant) {
        var left = Int(gap.samples)
        while 0 < left {
            let count = min(left, Self.blockSamples)
            receiver.render(into: UnsafeMutableBufferPointer(rebasing: samples[..<count]), now: localNow)
            left -= count
        }
    }

    private func perform(_ order: Order) {
        switch order {
        case .payload(let bytes, let slot, let lines, let arrival):
            bytes.withUnsafeBytes { receiver.insert(slot, payload: $0, on: lines, arrival: arrival) }
        case .clock(let time, let slot, let arrival): receiver.clock(slot, sampleTime: time, arrival: arrival)
        case .open(let slot): receiver.openPeer(slot)
        case .close(let slot): receiver.closePeer(slot)
        case .line(let order):
            guard let setting = order.setting else { return receiver.closeLine(order.line) }
            receiver.setLine(order.line, to: LineSound(ear: setting.ear))
        }
    }

    /// - Parameter late: by how much this read of the microphone is late.
    private func capture(now: Instant, late: Interval) {
        if isTalker, keyTurnsAt <= now {
            isKeyDown.toggle()
            let mean = isKeyDown ? rule.talkFor : rule.pauseFor
            keyTurnsAt = now + Exponential.interval(mean: mean, using: &random)
        }
        otherKeys.advance(now: now)
        pen.now = now
        if Self.keptMax < late {
            sender.skip(lostSamples: Int(late.samples))
            pressedBlocks = []
        } else {
            for _ in 0..<(Int(late.samples) + Self.blockSamples / 2) / Self.blockSamples { takeBlock() }
        }
        takeBlock()
    }

    private func takeBlock() {
        let silence = UnsafeBufferPointer(start: Self.silence.baseAddress, count: Self.blockSamples)
        let drawn: KeySet = isKeyDown && !isMuted ? otherKeys.down.union(.first) : []
        let pressed = heldKeys ?? drawn
        sender.push(silence, keys: pressed)
        pressedBlocks = pressedBlocks.suffix(Self.blocksInFrameMax) + [(sender.sampleTime, pressed)]
        withUnsafeTemporaryAllocation(byteCount: VoiceLimits.frameBytesMax, alignment: 16) { room in
            while let frame = sender.nextFrame(into: room) {
                let bytes = Array(room.prefix(frame.byteCount))
                if !frame.flags.contains(.again), let stamp = VoiceStamp(bytes) {
                    let keys = pressedKeys(in: frame)
                    // The frame of silence behind the last word goes to the listeners of that word, even if a key is
                    // pressed while the frame is filled.
                    isBetweenSpurts = frame.flags.contains(.spurtEnd)
                    if !keys.isEmpty, !isBetweenSpurts { lastKeys = keys }
                    spoken.append((stamp, lastKeys))
                }
                if waiting.count < Self.waitingFramesMax { waiting.append(Coded(frame: frame, bytes: bytes)) }
            }
        }
    }

    /// Returns the keys to whose targets a frame goes: those that were down in the block in which it began, or those of
    /// its last block if none was. The first frame of a spurt begins with the last press in it.
    private func pressedKeys(in frame: VoiceFrame) -> KeySet {
        let blocks = pressedBlocks.drop { $0.end.distance(after: frame.sampleTime) <= 0 }.map(\.keys)
        if isBetweenSpurts { return blocks.split(whereSeparator: \.isEmpty).last?.first ?? [] }
        let atBeginning = blocks.first ?? []
        return atBeginning.isEmpty ? blocks.last ?? [] : atBeginning
    }

    /// Returns the stamps and keys of the frames coded since the last call, also of frames that are never sent.
    func takeSpoken() -> [(stamp: VoiceStamp, keys: KeySet)] {
        defer { spoken.removeAll(keepingCapacity: true) }
        return spoken
    }

    private nonisolated(unsafe) static let silence: UnsafeMutableBufferPointer<Float> = {
        let silence = UnsafeMutableBufferPointer<Float>.allocate(capacity: blockSamples)
        silence.initialize(repeating: 0)
        return silence
    }()

    // MARK: The node loop

    /// Returns the frames coded since the last call, for the node loop to send.
    func takeCoded() -> [Coded] {
        defer { waiting.removeAll(keepingCapacity: true) }
        return waiting
    }

    var mediaTime: SampleTime { sender.sampleTime }

    /// Whether playback has just reported to the node loop, as twenty times a second.
    var hasPublished: Bool { blocks % Self.publishedEveryBlocks == 0 }

    /// Whether the media clock must be given to the mesh again: ten times a second.
    var isClockDue: Bool { blocks % 20 == 0 }

    /// Returns a reception report for each open slot, from what playback has published; empty unless reports are due,
    /// twice a second.
    func reportsDue() -> [(PeerSlot, ReceptionReport)] {
        guard blocks % 100 == 0 else { return [] }
        return openSlots.map { ($0, published[$0.index].report) }
    }

    func hear(_ payload: [UInt8], in slot: PeerSlot, on lines: HeardLines, localNow: Instant) {
        ring.append(.payload(payload, slot, lines, arrival: localNow))
    }

    func follow(_ order: LineOrder) { ring.append(.line(order)) }

    func note(_ clock: SampleTime, of slot: PeerSlot, localNow: Instant) {
        ring.append(.clock(clock, slot, arrival: localNow))
    }

    func open(_ slot: PeerSlot, for peer: Int) {
        holders[slot.index] = peer
        published[slot.index] = VoiceStatistics()
        openSlots.append(slot)
        ring.append(.open(slot))
    }

    func close(_ slot: PeerSlot) {
        openSlots.removeAll { $0 == slot }
        ring.append(.close(slot))
    }

    // MARK: State for observers

    /// Whether the talker in a slot sounds on a line (one channel at the output) of this listener. A frame that still
    /// waited when its line was closed is decoded, but not heard.
    func isAudible(_ slot: Int) -> Bool { !receiver.lines(of: PeerSlot(index: slot)).isEmpty }

    /// Samples of a peer's private talk that have been heard since its slot was opened.
    func privateSamples(of slot: PeerSlot) -> UInt64 { published[slot.index].privateSamples }

    /// The receiver's statistics of a peer since its slot was opened; nil while it has none.
    func statistics(of peer: Int) -> VoiceStatistics? {
        openSlots.first { holders[$0.index] == peer }.map { receiver.statistics(of: $0) }
    }

    /// Returns the receiver's statistics of a peer since its slot was opened, as text for people.
    func account(of peer: Int) -> String {
        guard let slot = openSlots.first(where: { holders[$0.index] == peer }) else { return "no slot" }
        let seen = receiver.statistics(of: slot)
        return "\(seen.receivedFrames) came, \(seen.lateFrames) late, \(seen.lostSamples / 48) ms lost, "
            + "\(seen.concealedSamples / 48) ms made up, \(seen.bufferedFrames) wait, "
            + "\(seen.isTalking ? "talking" : "silent"), target \(seen.targetSamples / 48) ms"
    }

    /// The open slots whose talker still counts as talking, or whose buffer still holds frames.
    var leftovers: [PeerSlot] {
        openSlots.filter {
            let statistics = receiver.statistics(of: $0)
            return statistics.isTalking || 0 < statistics.bufferedFrames
        }
    }
}

extension SpeechRule {
    /// Returns what a person who chose this profile wants the encoder to make.
    static func wish(for profile: VoiceProfile) -> TalkerPolicy.Wish {
        TalkerPolicy.Wish(
            EncoderSettings(frame: profile.frame, bitsPerSecond: profile.bitsPerSecond),
            frameSamples: profile.frameSamples)
    }

    /// Returns the channel with this number. Number 0 is `SimLimits.channel`, the channel of runs that draw no
    /// speech.
    static func channel(_ number: Int) -> ChannelID {
        ChannelID(high: SimLimits.channel.high, low: SimLimits.channel.low + UInt64(number))
    }
}
