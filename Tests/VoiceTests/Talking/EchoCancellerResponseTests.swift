import Primitives
import Testing
import Voice

/// Half a second with every event for an echo canceller. It learns an echo of 150 ms. It hears a near voice in blocks
/// 45 to 59. From block 70 on the echo is inverted, and the canceller is informed. From block 90 on there is only a
/// near voice.
private struct EchoScene {
    static let blocks = 100
    var far: [Float] = []
    var captured: [Float]

    init() {
        var random = SeededRandom(seed: 5)
        let count = Self.blocks * 240
        // Noise, with a component at 0 Hz and at 24 kHz, because the ends of the spectrum have their own rules.
        far = (0..<count).map { Float(0.01 * random.swing() + 0.005 + ($0 % 2 == 0 ? 0.004 : -0.004)) }
        let near = (0..<count).map { _ in Float(0.01 * random.swing()) }
        for index in 90 * 240..<count { far[index] = 0 }
        captured = [Float](repeating: 0, count: count)
        var fall = 0.3
        for part in 0..<30 {
            let delay = part * 240 + Int(random.below(240))
            let gain = Float(random.below(2) == 0 ? -fall : fall)
            for index in delay..<count { captured[index] += gain * far[index - delay] }
            fall *= 0.93
        }
        for index in 70 * 240..<count { captured[index].negate() }
        for block in Array(45..<60) + Array(90..<100) {
            for index in block * 240..<(block + 1) * 240 { captured[index] += near[index] }
        }
    }
}

extension EchoCanceller {
    fileprivate mutating func process(_ far: ArraySlice<Float>, _ captured: ArraySlice<Float>) -> [Float] {
        var samples = Array(captured)
        far.withUnsafeBufferPointer { played in
            samples.withUnsafeMutableBufferPointer {
                if let reference = played.baseAddress, let heard = $0.baseAddress {
                    process(reference: reference, captured: heard)
                }
            }
        }
        return samples
    }
}

@Suite("echo cancellation, sample by sample")
struct EchoCancellerResponseTests {
    private static let scene = EchoScene()

    private func block(_ number: Int, of samples: [Float]) -> ArraySlice<Float> {
        samples[number * 240..<(number + 1) * 240]
    }

    @Test("the residual is that of a model in double precision")
    func response() throws {
        let recorded = try RecordedResponse.lines(of: "echo-canceller.txt")
        #expect(recorded.count == 32)
        var canceller = EchoCanceller()
        for number in 0..<EchoScene.blocks {
            if number == 70 { canceller.doubtAll() }
            let left = canceller.process(block(number, of: Self.scene.far), block(number, of: Self.scene.captured))
            guard let wanted = recorded.first(where: { $0.name == "block\(number)" })?.values else { continue }
            for (place, value) in zip([0, 120, 239], wanted) {
                let sample = left[place] * 1e6
                #expect(abs(sample - value) < 2, "block \(number), sample \(place): \(sample) for \(value)")
            }
        }
    }

    @Test(
        "after NaN or a huge sample it is silent for a block, and then starts as new",
        arguments: [(Float.nan, true), (.nan, false), (.infinity, true), (1e8, false)])
    func beginsAnew(sample: Float, isPlayed: Bool) {
        let scene = Self.scene
        var old = EchoCanceller()
        var new = EchoCanceller()
        for number in 0..<7 { _ = old.process(block(number, of: scene.far), block(number, of: scene.captured)) }
        var (far, captured) = (block(7, of: scene.far), block(7, of: scene.captured))
        if isPlayed { far[7 * 240 + 5] = sample } else { captured[7 * 240 + 5] = sample }
        #expect(old.process(far, captured).allSatisfy { $0 == 0 })
        for number in 8..<40 {
            let (far, captured) = (block(number, of: scene.far), block(number, of: scene.captured))
            #expect(old.process(far, captured) == new.process(far, captured), "block \(number)")
        }
    }
}
