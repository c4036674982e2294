// The receiving half of the voice path under libFuzzer: two talkers whose payloads, their times and the listener's
// wishes are chosen by the input, with the decoder of libopus. The output is always a whole block of finite samples
// below full scale.

import OpusCodec
import Primitives
import Voice

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzListening(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var script = ListeningScript(UnsafeBufferPointer(start: start, count: count))
    listener.restart(outputChannels: script.byte() & 1 == 0 ? 1 : 2)
    while !script.isOver { listener.perform(&script) }
    for _ in 0..<8 { listener.render(480) }
    return 0
}

/// The input, read from its front. After its end every byte is 0.
private struct ListeningScript {
    private var rest: UnsafeBufferPointer<UInt8>.SubSequence

    init(_ bytes: UnsafeBufferPointer<UInt8>) { rest = bytes[...] }

    var isOver: Bool { rest.isEmpty }
    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }
    mutating func word() -> Int16 { Int16(byte()) << 8 | Int16(byte()) }

    mutating func bytes(_ count: Int) -> [UInt8] {
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }
}

/// The state of a decoder that has none.
nonisolated(unsafe) private let nothing = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)

/// One for all programs: to make 64 talkers takes a hundred times as long as a program.
nonisolated(unsafe) private var listener = Listener()

private struct Listener: ~Copyable {
    private var receiver: VoiceReceiver
    private var now = Instant.zero + .seconds(100)
    /// The media clock of the talkers.
    private var talked = SampleTime(samples: 0)

    init() {
        let silent = VoiceDecoder(
            state: nothing, decode: { _, _, _, _, _ in 0 }, reset: { _ in }, destroy: { _ in })
        // Only two talkers speak: decoders for all would take most of the time.
        var decoders = [VoiceDecoder](repeating: silent, count: VoiceLimits.talkersMax)
        for talker in 0...1 { decoders[talker] = (try? .opus()) ?? silent }
        receiver = VoiceReceiver(decoders: decoders, outputChannels: 1)
    }

    /// Ends what the program before has left.
    mutating func restart(outputChannels: Int) {
        for talker in 0...1 { receiver.closePeer(PeerSlot(index: talker)) }
        for line in 0..<VoiceLimits.linesMax { receiver.closeLine(line) }
        receiver.isLoudnessMatched = false
        receiver.setMaster(to: 1)
        receiver.outputChannels = outputChannels
        render(480)
        for talker in 0...1 { receiver.openPeer(PeerSlot(index: talker)) }
    }

    mutating func perform(_ script: inout ListeningScript) {
        let choice = script.byte()
        let slot = PeerSlot(index: Int(choice >> 7))
        switch choice & 0xF {
        case 0...5: insert(&script, from: slot, isTimed: choice & 1 == 0)
        case 6...9: render(1 + Int(script.byte()) * 4)
        case 10:
            now += .microseconds(Int64(UInt16(bitPattern: script.word())) * 100)
            render(240)
        case 11:
            let time = talked.advanced(by: Int32(script.word()))
            receiver.clock(slot, sampleTime: time, arrival: now - .microseconds(Int64(script.byte()) * 100))
        case 12: if choice & 0x10 == 0 { receiver.closePeer(slot) } else { receiver.openPeer(slot) }
        case 13: wish(&script, for: slot)
        case 14: receiver.stoodStill(now: now)
        default: receiver.expectBlocks(of: 1 + Int(script.byte()))
        }
    }

    /// - Parameter isTimed: whether the sample time of the payload is near the talker's clock, and not what the input
    ///   says.
    private mutating func insert(_ script: inout ListeningScript, from slot: PeerSlot, isTimed: Bool) {
        let heard = HeardLines(
            LineSet(rawValue: UInt16(script.byte())), former: LineSet(rawValue: 2), formerAge: script.byte() & 0x1F)
        let shift = Int32(Int8(bitPattern: script.byte())) * 60
        let age = Interval.microseconds(Int64(script.byte()) * 100)
        var payload = script.bytes(Int(UInt16(bitPattern: script.word()) & 0x7FF))
        if isTimed, 9 <= payload.count {
            let time = talked.advanced(by: shift).samples
            for index in 0..<4 { payload[5 + index] = UInt8(truncatingIfNeeded: time >> UInt32(24 - 8 * index)) }
        }
        payload.withUnsafeBytes { receiver.insert(slot, payload: $0, on: heard, arrival: now - age) }
    }

    private mutating func wish(_ script: inout ListeningScript, for slot: PeerSlot) {
        let (kind, value) = (script.byte(), Float(script.word()) / 256)
        let line = Int(kind >> 4)
        switch kind & 7 {
        case 0: receiver.setGain(slot, to: value)
        case 1: receiver.setPan(slot, to: value)
        case 2: receiver.setPriority(slot, to: 0 < value)
        case 3: receiver.closeLine(line)
        case 4: receiver.isLoudnessMatched = 0 < value
        case 5: if 0 < value { receiver.openSecond(gain: value) } else { receiver.startBeep(.call) }
        case 6: receiver.setMaster(to: value)
        default:
            receiver.setLine(
                line,
                to: LineSound(gain: value, ear: value < 1 ? .left : .both, programmeDim: value < 0 ? value : nil))
        }
    }

    mutating func render(_ count: Int) {
        let size = count * receiver.outputChannels
        // What the receiver leaves out stays no number.
        var block = [Float](repeating: .nan, count: size)
        block.withUnsafeMutableBufferPointer { receiver.render(into: $0, now: now) }
        precondition(block.allSatisfy { abs($0) <= 1 }, "a sample beyond full scale, or none")
        for talker in 0...1 { _ = receiver.statistics(of: PeerSlot(index: talker)) }
        receiver.passOnSecond { left, right in
            for index in 0..<count { precondition(abs(left[index]) <= 1 && abs(right[index]) <= 1) }
        }
        let length = Interval(samples: count)
        now += length
        talked = talked.advanced(by: Int32(count))
    }
}
