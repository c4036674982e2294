import Primitives
import Testing
import Voice
import Wire

@Suite("the end of a spurt at a listener")
struct SpurtEndTests {
    private typealias Packet = ReceivingBench.Packet

    private let offset: Int64 = 9_372 - 97_240

    @Test(
        "a late copy of the end of an earlier spurt does not change the end of the present one, also if numbers wrap",
        arguments: [(1, 2), (255, 0), (127, 128)] as [(UInt8, UInt8)])
    func overtaken(first: UInt8, second: UInt8) {
        var bench = ReceivingBench()
        let earlier = Packet(start: 97_000, spurt: first, flags: .spurtEnd)
        bench.talk(earlier, frames: 0..<8, offset: offset)
        let start: Int64 = 102_000
        bench.talk(Packet(start: start, spurt: second, flags: .spurtEnd), frames: 0..<8, offset: offset)
        var copy = earlier
        copy.start += 7 * 240
        bench.send(copy, at: start + 8 * 240 + offset + 1)
        let end = start + 8 * 240
        let sound = bench.play(until: end + offset + 4_800, from: start + offset)
        #expect(sound.contains(NumberedCodec.value(at: end - 1)), "the second spurt is heard up to its end")
        #expect(bench.statistics.lostSamples == 0 && bench.statistics.concealedSamples == 0)
        #expect(!bench.statistics.isTalking)
    }

    @Test("a listener hears the end where the talker goes on with others, although more packets come for it")
    func others() {
        // In blocks of 1.25 ms, a second such packet comes before the sound has reached the end.
        var bench = ReceivingBench(blockSamples: 60)
        let first = Packet(start: 97_000, frame: .ms2_5)
        bench.talk(first, frames: 0..<16, offset: offset)
        for number in 16..<40 {
            let age = UInt8(2 * (number - 15))
            var packet = first
            packet.start += Int64(number) * 120
            packet.copies = [age]
            packet.lines = HeardLines([], former: .line(0), formerAge: age)
            bench.send(packet, at: packet.start + 120 + offset)
        }
        let sound = bench.play(until: 97_000 + 80 * 120 + offset, blocks: 60)
        #expect(sound.contains(NumberedCodec.value(at: 97_000 + 16 * 120 - 1)))
        #expect(bench.statistics.lostSamples == 0 && bench.statistics.concealedSamples == 0)
        #expect(!bench.statistics.isTalking)
    }
}
