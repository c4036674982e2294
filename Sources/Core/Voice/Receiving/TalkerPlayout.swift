import Primitives
import Wire

/// One talker at the listener: payloads go in, samples come out at their time.
///
/// ```
///            first frame due in this block           end of the spurt reached, starved 0.5 s,
///  idle ────────────────────────────────▶ playing ──────────────────────────────▶ idle
///             decoder reset, position set    │ ▲        or a frame of the next spurt: ending,
///                                            │ │        until the decoded sound is played
///                                            └─┘ before samples: correction; per frame: step, pauseCut
/// ```
/// `PlayoutPolicy` decides when a frame is due, and how the delay changes (`beginning`, `correction`, `step`,
/// `pauseCut`). A spurt starts when its first frame is due; one with pre-roll, or directly after other sound, starts at
/// once. Within a spurt the `RateAdjuster` corrects too much and too little delay by single samples. Missing delay of
/// at least 2.5 ms, or of a shorter frame, is inserted as concealed sound, in steps of that length; in a gap 0.5 ms are
/// enough for a step. If the delay is more than 60 ms above the allowed one, sound is cut out.
struct TalkerPlayout: BitwiseCopyable {
    private enum Phase: BitwiseCopyable {
        case idle
        case playing(spurt: UInt8)
        case ending
    }

    private(set) var statistics = VoiceStatistics()
    private var phase = Phase.idle
    private var jitterBuffer = JitterBuffer()
    private var arrivals = TalkerArrivals()
    private var loss = LossStatistics()
    private var timeline = SampleTimeline()
    private var playout = PlayoutBuffer()
    private var level = LevelMeter()
    private var decoder: TalkerDecoder
    /// Length of the frames of the running spurt.
    private var frameSamples = Self.frameSamplesAtFirst
    private(set) var sounding = SoundingLines()
    private var spurtEnd = SpurtEnd()
    /// Whether the next spurt begins with pre-roll. Such a spurt is started at once, and its delay is reduced while it
    /// plays.
    private var hasPreRoll = false
    private var concealed = 0
    private var starved = 0
    /// Fade factor at the end of the buffered sound, 0 … 1: below 1 at the start of a spurt and in a gap.
    private var presence: Float = 0
    /// Whether the buffered sound ends in a gap: in sound that is made up, or in the silence after it.
    var isMadeUp: Bool { presence < 1 }
    /// Samples of delay that the playout buffer lacks of its target; negative if it has too much.
    private var playoutDeficit: Int64 = 0
    /// Delay that the sound may have, from `PlayoutPolicy.allowedDelay`.
    private var allowedDelay: Int64 = 0

    init(decoder: VoiceDecoder) {
        self.decoder = TalkerDecoder(decoder)
    }

    func destroy() {
        decoder.destroy()
        jitterBuffer.destroy()
        arrivals.destroy()
        loss.destroy()
        playout.destroy()
    }

    /// Forgets the peer that had this slot.
    mutating func reset() {
        jitterBuffer.removeAll()
        arrivals.removeAll()
        loss.removeAll()
        timeline = SampleTimeline()
        playout.restart(at: .min / 2)
        statistics = VoiceStatistics()
        level = LevelMeter()
        (phase, spurtEnd, hasPreRoll) = (.idle, SpurtEnd(), false)
        sounding = SoundingLines()
        (frameSamples, playoutDeficit) = (Self.frameSamplesAtFirst, 0)
    }

    /// Counts samples that people have heard as private talk.
    mutating func countPrivate(samples: Int) { statistics.privateSamples &+= UInt64(samples) }

    /// Adapts what is measured to a jump of the playback card's clock.
    mutating func shift(by samples: Int64) {
        arrivals.shift(by: samples)
        loss.shift(by: samples)
    }
}

// MARK: - In

extension TalkerPlayout {
    /// Takes a payload that came at `arrival`, in samples of the playback card. `readiness` says when its frames can
    /// be used.
    mutating func insert(
        _ payload: consuming VoicePayloadReader, on heard: HeardLines, arrival: Int64, readiness: Readiness
    ) {
        let header = payload.header
        let newest = timeline.position(of: header.sampleTime)
        while let block = payload.next() {
            let start = newest &- Int64(block.age) &* Int64(VoiceLimits.gridSamples)
            let lines = heard.lines(ofAge: block.age)
            if block.age == 0 {
                let end = start &+ Int64(block.duration.samples)
                recordArrival(of: header, newest: start, end: end, arrival: arrival)
                // The newest block says whether the spurt ends here for this listener, although the talker goes on.
                if lines.isEmpty {
                    spurtEnd.shorten(to: start, of: header.spurt)
                } else if header.flags.contains(.spurtEnd) {
                    spurtEnd.set(end, of: header.spurt)
                }
            }
            guard !lines.isEmpty else { continue }
            insert(block, start: start, on: lines, header: header, readiness: readiness)
        }
    }

    /// Takes the talker off these lines, to which the listener no longer listens.
    mutating func close(_ closed: LineSet) {
        jitterBuffer.close(closed)
        sounding.close(closed)
    }

    /// Notes the talker's media clock from a control block, which may come in talk or in silence.
    mutating func updateClock(_ time: SampleTime, arrival: Int64) {
        arrivals.addTransit(end: timeline.position(of: time), arrival: arrival)
    }

    private mutating func recordArrival(of header: VoicePayloadHeader, newest: Int64, end: Int64, arrival: Int64) {
        arrivals.addTransit(end: end, arrival: arrival)
        loss.countPacket(
            spurt: header.spurt, position: newest, step: (end &- newest) * Int64(header.bundling.frameCount),
            at: arrival)
        // Every packet of the pre-roll burst carries the flag, since the first one may be lost.
        if header.flags.contains(.preRoll), !isPlaying(header.spurt) { hasPreRoll = true }
    }

    private func isPlaying(_ spurt: UInt8) -> Bool {
        if case .playing(let playing) = phase { playing == spurt } else { false }
    }

    private var isIdle: Bool { if case .idle = phase { true } else { false } }

    private mutating func insert(
        _ block: VoiceBlock, start: Int64, on lines: LineSet, header: VoicePayloadHeader, readiness: Readiness
    ) {
        let samples = block.duration.samples
        switch jitterBuffer.insert(
            start: start, samples: samples, spurt: header.spurt, sound: block.sound, isPlain: block.isPlain,
            lines: lines)
        {
        case .duplicate: return
        case .refused:
            statistics.refusedFrames &+= 1
        case .stored:
            let end = start &+ Int64(samples)
            let isLate = start < playout.next
            if end <= playout.next { _ = jitterBuffer.discard(endingBy: playout.next) }
            statistics.receivedFrames &+= 1
            if isLate { statistics.lateFrames &+= 1 }
            loss.countFrame(isLate: isLate, at: readiness.usable)
            guard !header.flags.contains(.preRoll), !readiness.isExcused else { return }
            let packetsBack = Int(block.age) * VoiceLimits.gridSamples / (header.bundling.frameCount * samples)
            arrivals.addFrame(
                end: end, readiness: readiness, frameSamples: samples, isLate: isLate, isIdle: isIdle,
                wasLost: (1...VoiceLimits.copiesMax).contains(packetsBack))
        }
    }
}

// MARK: - Out

extension TalkerPlayout {
    /// Fills `output` with this talker's sound for the block that starts at `blockStart`; returns false if the talker
    /// is silent in the whole block.
    mutating func render(into output: UnsafeMutablePointer<Float>, count: Int, blockStart: Int64) -> Bool {
        loss.advance(to: blockStart)
        var done = 0
        var hasSounded = false
        // Bounds the work: a hostile peer can send frames that start and end spurts many times, but a block starts at
        // most two.
        var startsLeft = 2
        while done < count {
            switch phase {
            case .playing(let spurt):
                correctDelay(at: blockStart &+ Int64(done))
                done += play(spurt, into: output + done, count: count - done)
                hasSounded = true
            case .ending:
                done += playRest(into: output + done, count: count - done)
                hasSounded = true
            case .idle:
                let left = count - done
                startsLeft -= 1
                let wait = startsLeft < 0 ? left : start(at: blockStart &+ Int64(done), within: left) ?? left
                Samples.silence(output + done, count: wait)
                done += wait
            }
        }
        sounding.play(upTo: playout.playing)
        finish(output, count: count, hasSounded: hasSounded)
        return hasSounded
    }

    /// Starts a spurt if its first frame is due within `count` samples of `now`. Returns the number of silent samples
    /// before that frame; nil if no spurt starts.
    private mutating func start(at now: Int64, within count: Int) -> Int? {
        while let first = jitterBuffer.first(after: playout.next),
            let timing = timing(frameSamples: Int64(first.samples))
        {
            let isSeamless = first.start == playout.next
            switch PlayoutPolicy.beginning(
                of: first, timing: timing, startsAtOnce: isSeamless || hasPreRoll, now: now, count: count)
            {
            case .later:
                return nil
            case .missed(let position):
                statistics.lateFrames &+= UInt64(jitterBuffer.discard(endingBy: position))
            case .start(let position, let silence):
                begin(first, at: position)
                return silence
            }
        }
        return nil
    }

    /// When sound in frames of `frameSamples` is due; nil before anything came.
    private func timing(frameSamples: Int64) -> PlayoutPolicy.Timing? {
        arrivals.quickestTransit.map {
            PlayoutPolicy.Timing(quickestTransit: $0, target: arrivals.targetSamples, frameSamples: frameSamples)
        }
    }

    private mutating func begin(_ first: JitterBuffer.Waiting, at position: Int64) {
        decoder.begin(isPlain: first.isPlain)
        // If the new spurt follows the old one directly, the delay continues, and so does the allowed delay.
        if position != playout.next { allowedDelay = 0 }
        playout.restart(at: position)
        spurtEnd.forget(upTo: position)
        frameSamples = Int64(first.samples)
        (concealed, starved, presence, hasPreRoll) = (0, 0, 0, false)
        sounding.begin(on: first.lines)
        phase = .playing(spurt: first.spurt)
        statistics.isTalking = true
    }

    /// Compares the playout buffer's position with the position that is due. Where `PlayoutPolicy.correction` asks for
    /// it, starts to insert or remove one sample, or cuts sound out.
    private mutating func correctDelay(at now: Int64) {
        guard let timing = timing(frameSamples: frameSamples) else { return }
        playoutDeficit = timing.deficit(of: playout.playing, at: now)
        allowedDelay = PlayoutPolicy.allowedDelay(before: allowedDelay, target: timing.target, deficit: playoutDeficit)
        switch PlayoutPolicy.correction(
            deficit: playoutDeficit, target: timing.target, allowed: allowedDelay,
            isSlipping: playout.rateAdjuster.isRunning)
        {
        case .none:
            break
        case .slip(let direction):
            playout.rateAdjuster.start(direction)
            statistics.slippedSamples &+= 1
        case .cut:
            let due = timing.position(dueAt: now)
            statistics.slippedSamples &+= UInt64(clamping: due &- playout.playing)
            playout.jump(to: due)
            _ = jitterBuffer.discard(endingBy: due)
            (presence, playoutDeficit) = (0, 0)
        }
    }

    /// Plays up to `count` samples of a spurt and returns their number. If the spurt ends, there may be fewer.
    private mutating func play(_ spurt: UInt8, into output: UnsafeMutablePointer<Float>, count: Int) -> Int {
        let needed = playout.needed(for: count)
        while playout.count < needed {
            guard take(step(spurt, wanted: needed - playout.count)) else {
                fadeOut()
                playout.rateAdjuster.stop()
                phase = .ending
                return playRest(into: output, count: count)
            }
        }
        playout.play(into: output, count: count)
        return count
    }

    /// Plays what has been decoded of a spurt that is over; returns the number of samples.
    private mutating func playRest(into output: UnsafeMutablePointer<Float>, count: Int) -> Int {
        let rest = min(playout.count, count)
        playout.play(into: output, count: rest)
        if playout.count == 0 {
            phase = .idle
            statistics.isTalking = false
        }
        return rest
    }

    /// Makes up 2.5 ms that fade to silence, unless other sound follows. A talker fades out by itself at the end of its
    /// spurt, but not if it goes on talking to others only. No sound is missing, so this counts as no loss.
    private mutating func fadeOut() {
        let count = VoiceLimits.codedFrameSamplesMin
        guard 0 < presence else { return }
        if let next = jitterBuffer.first(after: playout.next), next.start < playout.next &+ Int64(count) { return }
        decoder.makeUp(count)
        Ramp.apply(to: decoder.samples, count: count, from: presence, to: 0)
        presence = 0
        playout.append(decoder.samples, count: count, moving: 0)
    }

    private func step(_ spurt: UInt8, wanted: Int) -> PlayoutPolicy.Step {
        let covering = jitterBuffer.covering(playout.next)
        return PlayoutPolicy.step(
            in: PlayoutPolicy.Situation(
                position: playout.next, wanted: wanted, frameSamples: Int(frameSamples), spurt: spurt,
                end: spurtEnd.position(of: spurt), covering: covering,
                next: covering == nil ? jitterBuffer.first(after: playout.next) : nil,
                concealed: concealed, starved: starved, playoutDeficit: playoutDeficit))
    }

    /// Takes a step; returns false if the spurt is over.
    private mutating func take(_ step: PlayoutPolicy.Step) -> Bool {
        // `close` has taken the newest decoded frame off its last line: this node no longer listens there. So nothing
        // is missing, and the spurt is over.
        if case .play = step {} else if sounding.ahead.isEmpty { return false }
        switch step {
        case .play(_, let skipping):
            guard let frame = jitterBuffer.covering(playout.next) else { return false }
            decode(frame, skipping: skipping)
        case .conceal(let count):
            fillIn(count, moving: count)
            concealed += count
            statistics.lostSamples &+= UInt64(count)
        case .stretch(let count):
            fillIn(count, moving: 0)
            playoutDeficit -= Int64(count)
            statistics.slippedSamples &+= UInt64(count)
        case .silence(let count):
            playout.append(nil, count: count, moving: count)
            starved += count
            presence = 0
        case .end:
            return false
        }
        return true
    }

    private mutating func decode(_ frame: JitterBuffer.Waiting, skipping: Int) {
        sounding.decode(on: frame.lines, at: playout.next)
        // Made-up plain sound fades sooner than `presence` falls.
        let before = presence * decoder.loudness
        let power = decoder.decode(jitterBuffer.take(frame), of: frame)
        let moving = frame.samples - skipping
        let cut = PlayoutPolicy.pauseCut(deficit: playoutDeficit, power: power, count: moving)
        let count = moving - cut
        playoutDeficit += Int64(cut)
        statistics.slippedSamples &+= UInt64(cut)
        let start = decoder.samples + skipping
        if presence < 1 { Ramp.apply(to: start, count: min(count, Self.fadeInSamplesMax), from: before, to: 1) }
        playout.append(start, count: count, moving: moving)
        frameSamples = Int64(frame.samples)
        (concealed, starved, presence) = (0, 0, 1)
    }

    /// Conceals `count` samples, at most 20 ms, with a fade from 1 to 0 in 100 ms. The position advances by `moving`.
    private mutating func fillIn(_ count: Int, moving: Int) {
        decoder.makeUp(count)
        let end = max(0, presence - Float(count) / Float(VoiceLimits.concealSamplesMax))
        Ramp.apply(to: decoder.samples, count: count, from: presence, to: end)
        presence = end
        playout.append(decoder.samples, count: count, moving: moving)
        statistics.concealedSamples &+= UInt64(count)
    }

    private mutating func finish(_ output: UnsafeMutablePointer<Float>, count: Int, hasSounded: Bool) {
        guard hasSounded else { return }
        level.measure(UnsafeBufferPointer(start: output, count: count))
        statistics.playedSamples &+= UInt64(count)
    }

    /// Returns the statistics, with the values that are computed only on request.
    func currentStatistics() -> VoiceStatistics {
        var all = statistics
        all.lines = sounding.now
        all.frameSamples = Int32(truncatingIfNeeded: frameSamples)
        all.targetSamples = Int32(clamping: arrivals.targetSamples)
        all.delaySamples = Int32(clamping: arrivals.targetSamples &- playoutDeficit)
        all.jitterSamples = Int32(clamping: arrivals.histogram.quantile(0.95))
        all.bufferedFrames = Int32(clamping: jitterBuffer.waitingCount)
        all.levelDecibels = statistics.isTalking ? level.decibels : LevelMeter.floorDecibels
        (all.lossPermille, all.lossRunTenths, all.latePermille) = loss.rates()
        return all
    }

    /// 2.5 ms.
    private static let fadeInSamplesMax = 120
    /// 5 ms: the frame length before the first spurt.
    private static let frameSamplesAtFirst: Int64 = 240
}
