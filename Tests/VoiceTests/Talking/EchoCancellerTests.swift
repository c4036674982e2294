import Glibc
import Primitives
import Testing
import Voice

/// A far voice, the room it passes, and a near voice. All are made here, so that each part is known.
private struct Room {
    private var random = SeededRandom(seed: 77)
    private var taps: [(delay: Int, gain: Float)]

    /// 40 ms, then reflections that fall by 60 dB in 0.2 s.
    init(seed: UInt64 = 77) {
        random = SeededRandom(seed: seed)
        taps = [(1_920, 0.3)]
        for _ in 0..<100 {
            let late = Int(random.below(4_000))
            let fall = Float(pow(10, -3 * Double(late) / 9_600))
            taps.append((1_920 + late, (random.below(2) == 0 ? 0.06 : -0.06) * fall))
        }
    }

    func echo(of far: [Float]) -> [Float] {
        var echo = [Float](repeating: 0, count: far.count)
        for tap in taps {
            for index in tap.delay..<far.count { echo[index] += tap.gain * far[index - tap.delay] }
        }
        return echo
    }
}

/// Syllables of noise with a falling spectrum and some pauses, at about -20 dBFS.
private func voice(seconds: Int, seed: UInt64) -> [Float] {
    var random = SeededRandom(seed: seed)
    var smooth: Float = 0
    return (0..<seconds * 48_000).map { index in
        smooth += (Float(random.below(1 << 20)) / Float(1 << 19) - 1 - smooth) * 0.3
        let swing = sin(2 * .pi * (Double(index) / 12_000 + Double(seed) / 3))
        return 0.5 * smooth * Float(max(0, swing)) * (index / 96_000 % 4 == 3 ? 0 : 1)
    }
}

private func cancelled(_ captured: [Float], reference: [Float], reportedAt reported: Int? = nil) -> [Float] {
    var canceller = EchoCanceller()
    var samples = captured
    for start in stride(from: 0, through: samples.count - 240, by: 240) {
        if start == reported { canceller.doubtAll() }
        samples.withUnsafeMutableBufferPointer { block in
            reference.withUnsafeBufferPointer { far in
                guard let captured = block.baseAddress, let played = far.baseAddress else { return }
                canceller.process(reference: played + start, captured: captured + start)
            }
        }
    }
    return samples
}

private func decibels(_ samples: some Collection<Float>) -> Double {
    10 * log10(Double(samples.reduce(0) { $0 + $1 * $1 }) / Double(max(1, samples.count)) + 1e-12)
}

@Suite("echo cancellation")
struct EchoCancellerTests {
    private let far = voice(seconds: 14, seed: 1)
    private let late = (6 * 48_000)..<(14 * 48_000)

    @Test("an echo with 40 ms and a room is at least 30 dB lower after six seconds")
    func echoReturnLoss() {
        let echo = Room().echo(of: far)
        let loss = decibels(echo[late]) - decibels(cancelled(echo, reference: far)[late])
        #expect(30 <= loss, "\(loss) dB")
    }

    @Test("during double talk the near voice stays, and the echo is at least 8 dB lower")
    func doubleTalk() {
        let (echo, near) = (Room().echo(of: far), voice(seconds: 14, seed: 2))
        let heard = cancelled(zip(echo, near).map { $0 + $1 }, reference: far)
        let rest = zip(heard, near).map { $0 - $1 }
        let loss = decibels(echo[late]) - decibels(rest[late])
        #expect(8 <= loss, "\(loss) dB")
        #expect(abs(decibels(heard[late]) - decibels(near[late])) < 1)
    }

    @Test("without a far voice the near voice passes unchanged")
    func nearAlone() {
        let near = voice(seconds: 2, seed: 2)
        #expect(cancelled(near, reference: [Float](repeating: 0, count: near.count)) == near)
    }

    @Test("after a move of the loudspeaker the new echo is learned within five seconds")
    func anotherWay() {
        let far = voice(seconds: 24, seed: 1)
        let (before, after) = (Room().echo(of: far), Room(seed: 5).echo(of: far).map { -$0 })
        let moved = 12 * 48_000
        let echo = Array(before[..<moved] + after[moved...])
        let heard = cancelled(echo, reference: far)
        let window = (moved + 5 * 48_000)..<far.count
        let loss = decibels(echo[window]) - decibels(heard[window])
        #expect(20 <= loss, "\(loss) dB")
    }

    @Test("after a reported new tie it is as good as before within a second")
    func tiedAnew() {
        let far = voice(seconds: 16, seed: 1)
        let (echo, moved) = (Room().echo(of: far), 12 * 48_000)
        // 1 ms later from then on, as after a card that ran dry.
        let later = Array(echo[..<moved] + echo[(moved - 48)..<(echo.count - 48)])
        let window = (moved + 48_000)..<(moved + 3 * 48_000)
        func loss(reportedAt reported: Int?) -> Double {
            decibels(later[window]) - decibels(cancelled(later, reference: far, reportedAt: reported)[window])
        }
        #expect(30 <= loss(reportedAt: moved), "\(loss(reportedAt: moved)) dB")
        #expect(loss(reportedAt: nil) + 6 <= loss(reportedAt: moved), "\(loss(reportedAt: nil)) dB without the report")
    }

    @Test("without the reference the echo stays, which shows that the tests above can fail")
    func withoutReference() {
        let echo = Room().echo(of: far)
        let heard = cancelled(echo, reference: voice(seconds: 14, seed: 9))
        #expect(abs(decibels(echo[late]) - decibels(heard[late])) < 3)
    }

    @Test("NaN becomes silence, and is not learned")
    func noNumber() {
        var echo = Room().echo(of: far)
        echo[24_000] = .nan
        echo[24_300] = .infinity
        let heard = cancelled(echo, reference: far)
        #expect(heard.allSatisfy { $0.isFinite })
        #expect(decibels(heard[late]) < decibels(echo[late].filter(\.isFinite)) - 20)
    }
}
