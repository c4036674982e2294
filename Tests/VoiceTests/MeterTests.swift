import Testing
import Voice

#if canImport(Glibc)
import Glibc
#endif

@Suite("level meters")
struct MeterTests {
    private func measured(_ value: Float, count: Int, by meter: inout LevelMeter) {
        [Float](repeating: value, count: count).withUnsafeBufferPointer { meter.measure($0) }
    }

    @Test("decibels are 10 · log10 of the power to 0.05 dB, with a floor")
    func decibels() {
        for exponent in stride(from: -9.9, to: 2, by: 0.037) {
            let exact = Float(10 * exponent)
            let read = Decibels.ofPower(Float(pow(10, exponent)), floor: -100)
            #expect(abs(read - exact) <= 0.05, "\(exponent)")
        }
        for power in [0, -1, .nan, .infinity, 1e-10, 1e-11] as [Float] {
            #expect(Decibels.ofPower(power, floor: -100) == -100)
        }
        #expect(Decibels.ofPower(1, floor: -100) == 0)
        #expect(Decibels.ofPower(1e-8, floor: -60) == -60)
    }

    @Test("each block moves the mean square by its share of 100 ms, at most completely")
    func window() {
        var meter = LevelMeter()
        #expect(meter.decibels == -100)
        measured(1, count: 480, by: &meter)
        #expect(abs(meter.decibels + 10) < 0.06)
        measured(0, count: 480, by: &meter)
        #expect(abs(meter.decibels + 10.46) < 0.06)
        measured(0.5, count: 9_600, by: &meter)
        #expect(abs(meter.decibels + 6.02) < 0.06)
        measured(0.5, count: 0, by: &meter)
        #expect(abs(meter.decibels + 6.02) < 0.06)
        // Half a window: the mean of a quarter and zero.
        measured(0, count: 2_400, by: &meter)
        #expect(abs(meter.decibels + 9.03) < 0.06)
    }

    @Test("a single loud sample counts, wherever it lies in a block", arguments: 0..<11)
    func loudSample(at index: Int) {
        var block = [Float](repeating: 0, count: 11)
        block[index] = -0.5
        var meter = LevelMeter()
        block.withUnsafeBufferPointer { meter.measure($0) }
        let power = 0.25 / 11 * Float(block.count) / 4_800
        #expect(abs(meter.decibels - Decibels.ofPower(power, floor: -100)) < 0.01)
    }
}
