import Primitives
import TestKit
import Testing
import Voice
import Wire

@Suite("the lines on which a talker sounds")
struct ReceivedLinesTests {
    private static let frame = 240
    private let slot = PeerSlot(index: 2)

    /// A receiver with two output channels, and one talker of constant loudness on it.
    private struct Bench: ~Copyable {
        var receiver: VoiceReceiver
        private var now = Instant(nanoseconds: 1_000_000_000_000)
        private var block = [Float](repeating: 0, count: 2 * ReceivedLinesTests.frame)
        private var frames = 0
        private let slot: PeerSlot

        init(_ slot: PeerSlot, _ value: Float = 0.1) {
            receiver = VoiceReceiver(decoders: ConstantCodec.decoders(value), outputChannels: 2)
            self.slot = slot
            receiver.openPeer(slot)
            _ = play()
        }

        /// Plays 5 ms; returns the last sample of each ear.
        mutating func play() -> (left: Float, right: Float) {
            now += .milliseconds(5)
            block.withUnsafeMutableBufferPointer { receiver.render(into: $0, now: now) }
            return (block[2 * ReceivedLinesTests.frame - 2], block[2 * ReceivedLinesTests.frame - 1])
        }

        /// Brings one frame on these lines, and plays 5 ms.
        mutating func hear(_ lines: LineSet) -> (left: Float, right: Float) {
            let payload = [UInt8](unsafeUninitializedCapacity: 100) { buffer, count in
                let header = VoicePayloadHeader(
                    flags: [], address: .first, spurt: 1,
                    sampleTime: SampleTime(samples: UInt32(frames * ReceivedLinesTests.frame)), bundling: .single)
                var writer = VoicePayloadWriter(into: UnsafeMutableRawBufferPointer(buffer), header: header)
                _ = [7].withUnsafeBytes { writer.append(VoiceBlock(age: 0, duration: .ms5, sound: $0)) }
                count = writer.byteCount
            }
            frames += 1
            payload.withUnsafeBytes { receiver.insert(slot, payload: $0, on: HeardLines(lines), arrival: now) }
            return play()
        }
    }

    /// Returns the loudness of a talker that has been on these lines for 150 ms.
    private func loudness(_ bench: inout Bench, _ lines: LineSet) -> (left: Float, right: Float) {
        var last: (left: Float, right: Float) = (0, 0)
        for _ in 0..<30 { last = bench.hear(lines) }
        return last
    }

    @Test("a talker sounds at the level of its line, on several lines at the loudest level, and in all their ears")
    func levels() {
        var bench = Bench(slot)
        let whole = loudness(&bench, .line(0))
        #expect(0 < whole.left && whole.left == whole.right)
        bench.receiver.setLine(0, to: LineSound(gain: 0.5))
        bench.receiver.setLine(1, to: LineSound(gain: 0.25, ear: .left))
        bench.receiver.setLine(2, to: LineSound(gain: 0.75, ear: .right))
        let half = loudness(&bench, .line(0))
        #expect(abs(half.left - whole.left / 2) < 1e-4 && half.left == half.right)
        let left = loudness(&bench, .line(1))
        #expect(0 < left.left && left.right == 0)
        let right = loudness(&bench, .line(2))
        #expect(right.left == 0 && left.left < right.right)
        let both = loudness(&bench, [.line(1), .line(2)])
        #expect(abs(both.left - 0.75 * whole.left) < 1e-4 && both.left == both.right)
    }

    @Test("the second output has the lines that sound there, at its own level, and lines change together")
    func second() {
        var bench = Bench(slot)
        bench.receiver.openSecond(gain: 0.5)
        bench.receiver.setLine(1, to: LineSound(gain: 0.5, isAtSecond: false))
        func atSecond(_ bench: borrowing Bench) -> Float {
            var sample: Float = 0
            bench.receiver.passOnSecond { left, _ in sample = left[Self.frame - 1] }
            return sample
        }
        let whole = loudness(&bench, .line(0)).left
        #expect(abs(atSecond(bench) - whole / 2) < 1e-4)
        let half = loudness(&bench, .line(1)).left
        #expect(abs(half - whole / 2) < 1e-4 && atSecond(bench) == 0)
        _ = loudness(&bench, [.line(0), .line(1)])
        #expect(abs(atSecond(bench) - whole / 2) < 1e-4)
        bench.receiver.setMaster(to: 0.5)
        _ = loudness(&bench, .line(0))
        #expect(abs(atSecond(bench) - whole / 4) < 1e-4)
    }

    @Test("the gain of the whole mix stays between 0 and 1, and a gain that is no number is 1")
    func master() {
        var bench = Bench(slot)
        let whole = loudness(&bench, .line(0)).left
        for (gain, expected) in [(2, 1), (-1, 0), (.nan, 1), (0.5, 0.5)] as [(Float, Float)] {
            bench.receiver.setMaster(to: gain)
            #expect(abs(loudness(&bench, .line(0)).left - whole * expected) < 1e-4, "\(gain)")
        }
    }

    @Test("a talker on several lines is programme only if all of them carry programme")
    func programme() {
        var sound = LineSound(programmeDim: 0.25)
        sound.add(LineSound(programmeDim: 0.5))
        #expect(sound.programmeDim == 0.5)
        sound.add(LineSound())
        #expect(sound.programmeDim == nil)
        sound.add(LineSound(programmeDim: 0.5))
        #expect(sound.programmeDim == nil)
    }

    @Test("a closed line falls silent within two blocks, without concealment, also for frames that wait")
    func closing() {
        var bench = Bench(slot)
        _ = loudness(&bench, .line(0))
        bench.receiver.closeLine(0)
        _ = bench.play()
        for _ in 0..<40 { #expect(bench.play() == (0, 0)) }
        let statistics = bench.receiver.statistics(of: slot)
        #expect(statistics.concealedSamples == 0 && statistics.lostSamples == 0 && !statistics.isTalking)
    }

    @Test("blocks without a line are not taken, and end the spurt without concealment")
    func unheard() {
        var bench = Bench(slot)
        #expect(0 < loudness(&bench, .line(3)).left)
        for _ in 0..<40 { _ = bench.hear([]) }
        let statistics = bench.receiver.statistics(of: slot)
        #expect(!statistics.isTalking && statistics.lostSamples == 0)
        #expect(0 < loudness(&bench, .line(3)).left, "the talker is heard again")
    }

    @Test("there are as many lines as bits in a label: the places, private talk, and talk to all")
    func limits() {
        #expect(VoiceLimits.linesMax == WireLimits.channelsListenedMax + 2)
        #expect(VoiceLimits.privateLine == WireLimits.channelsListenedMax)
    }

    @Test("private talk is counted while people hear it: not what is faint or muted, and not what is on other lines")
    func privateTalk() {
        let line = VoiceLimits.privateLine
        for (name, value, setUp, lines) in [
            ("heard", 0.1, { _, _ in }, .line(line)),
            ("with a channel", 0.1, { _, _ in }, [.line(0), .line(line)]),
            ("faint", 0.003, { _, _ in }, .line(line)),
            ("muted", 0.1, { $0.setGain($1, to: 0) }, .line(line)),
            ("on a muted line", 0.1, { receiver, _ in receiver.setLine(line, to: LineSound(gain: 0)) }, .line(line)),
            ("on a channel", 0.1, { _, _ in }, .line(0)),
        ] as [(String, Float, (inout VoiceReceiver, PeerSlot) -> Void, LineSet)] {
            var bench = Bench(slot, value)
            setUp(&bench.receiver, slot)
            _ = loudness(&bench, lines)
            let counted = bench.receiver.statistics(of: slot).privateSamples
            #expect((0 < counted) == (name == "heard" || name == "with a channel"), "\(name): \(counted)")
        }
    }

    @Test("a payload sounds if its newest block is on a line, or an older one by the former label")
    func empty() {
        let lines = HeardLines(.line(1), former: .line(2), formerAge: 8)
        #expect(!lines.isEmpty && HeardLines([]).isEmpty && HeardLines([], former: [], formerAge: 1).isEmpty)
        #expect(!HeardLines([], former: .line(1), formerAge: 1).isEmpty)
    }
}

/// A talker goes from line 0 to line 1, whose frames come while others wait to be played. Each sample of the sound
/// shows its place.
@Suite("the lines of frames that wait")
struct WaitingLinesTests {
    private static let start: Int64 = 4_800
    private static let frame = 240
    private static let last = 150
    /// From a frame's end to the arrival of the latest frame of its four.
    private static let transit: Int64 = 480
    /// Half of level, one ear, and lowered by the talk before.
    private static let other = LineSound(gain: 0.25, ear: .left, programmeDim: 0.5)
    /// The level of `other` in its ear.
    private static let otherLevel = 0.25 * 0.5 * Float(2).squareRoot()
    /// Samples around the change in which the last sample of a block may belong to either line.
    private static let edge = 8.0

    /// Frames come four at a time, so that some wait while others are played.
    private static func delay(_ number: Int) -> Int64? { Int64(3 - number % 4) * Int64(frame) }

    private static func speak(_ bench: inout ReceivingBench, on lines: HeardLines, frames: Range<Int>) {
        let packet = ReceivingBench.Packet(start: start, lines: lines)
        bench.talk(packet, frames: frames, offset: transit, delay: delay)
    }

    /// Plays everything. Expects that each block sounds as the line of its sound says, where the first frame on line 1
    /// is number `change`. Returns how many blocks sounded on line 0 while that frame waited.
    @discardableResult
    private func play(_ bench: inout ReceivingBench, change: Int) -> Int {
        let arrival = Self.start + Int64((change / 4 + 1) * 4 * Self.frame) + Self.transit
        bench.receiver.outputChannels = 2
        bench.receiver.setLine(1, to: Self.other)
        var waited = 0
        while bench.position < Self.start + Int64((Self.last + 8) * Self.frame) {
            let begin = bench.position
            let value = bench.play(channels: 2).last ?? 0
            let place = NumberedCodec.position(of: value) - Double(Int(Self.start) + change * Self.frame)
            // At first the delay grows.
            guard -20 * Double(Self.frame) < place else { continue }
            let lines = bench.receiver.lines(of: bench.slot)
            let (left, right) = (bench.output[2 * Self.frame - 2] / value, bench.output[2 * Self.frame - 1] / value)
            if place < -Self.edge {
                #expect(lines == .line(0) && abs(left - 1) < 0.01 && left == right, "\(place): \(left) \(right)")
                if arrival <= begin { waited += 1 }
            } else if Self.edge < place {
                #expect(lines == .line(1), "\(place)")
                // Level and ear change in 10 ms.
                guard Self.edge + Double(2 * Self.frame) < place else { continue }
                #expect(abs(left - Self.otherLevel) < 0.01 && right == 0, "\(place): \(left) \(right)")
            }
        }
        return waited
    }

    @Test("level, ear and duck change when the first frame on the other line is played, and not when it comes")
    func queued() {
        var bench = ReceivingBench()
        Self.speak(&bench, on: HeardLines(.line(0)), frames: 0..<122)
        Self.speak(&bench, on: HeardLines(.line(1)), frames: 122..<Self.last)
        let waited = play(&bench, change: 122)
        #expect(0 < waited, "no frame has waited")
    }

    @Test(
        "the age of the former label decides on which lines a block is",
        arguments: [(4, 122), (8, 121), (12, 120), (0, 120)] as [(UInt8, Int)])
    func former(age: UInt8, change: Int) {
        var bench = ReceivingBench()
        Self.speak(&bench, on: HeardLines(.line(0)), frames: 0..<120)
        // The packets of two frames are lost; copies are in the next one.
        let copies = ReceivingBench.Packet(
            start: Self.start, copies: [4, 8], lines: HeardLines(.line(1), former: .line(0), formerAge: age))
        bench.talk(copies, frames: 122..<123, offset: Self.transit, delay: Self.delay)
        Self.speak(&bench, on: HeardLines(.line(1)), frames: 123..<Self.last)
        play(&bench, change: change)
    }
}

/// Decodes every frame as the same sound.
private enum ConstantCodec {
    static func decoders(_ value: Float) -> [VoiceDecoder] {
        (0..<VoiceLimits.talkersMax).map { _ in
            let state = UnsafeMutablePointer<Float>.allocate(capacity: 1)
            state.initialize(to: value)
            return VoiceDecoder(
                state: UnsafeMutableRawPointer(state),
                decode: { state, _, _, samples, count in
                    samples.update(repeating: state.load(as: Float.self), count: Int(count))
                    return count
                },
                reset: { _ in }, destroy: { $0.deallocate() })
        }
    }
}
