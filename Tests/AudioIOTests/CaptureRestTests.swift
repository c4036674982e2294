import AudioIO
import Glibc
import Handover
import Primitives
import Testing
import Voice

@Suite("when capture rests")
struct CaptureRestTests {
    private let block = Interval(samples: 240)

    private func closed(samples: Int64) -> CaptureRest {
        var rest = CaptureRest()
        for _ in 0..<(samples / 240) { rest.passed(samples: 240, isClosed: true) }
        return rest
    }

    private func wakeUp(
        _ rest: CaptureRest, nextAt: Instant = .zero, block: Int = 240, buffer: Int = 1_920, now: Instant = .zero
    ) -> Instant? {
        rest.wakeUp(nextAt: nextAt, blockSamples: block, bufferSamples: buffer, now: now)
    }

    @Test("rest begins two seconds after the gate has closed, and ends when it opens")
    func begins() {
        #expect(wakeUp(closed(samples: AudioLimits.restAfterSamples - 240)) == nil)
        var rest = closed(samples: AudioLimits.restAfterSamples)
        #expect(wakeUp(rest) != nil)
        rest.passed(samples: 240, isClosed: false)
        #expect(wakeUp(rest) == nil)
    }

    @Test(
        "a rest lasts for four blocks, for half of the buffer at most, and not for a single block",
        arguments: [
            (240, 1_920, 20), (120, 1_920, 20), (240, 9_600, 20), (240, 960, 10), (240, 480, nil), (960, 1_920, nil),
        ]
            as [(Int, Int, Int64?)])
    func length(block: Int, buffer: Int, milliseconds: Int64?) {
        let until = wakeUp(closed(samples: AudioLimits.restAfterSamples), block: block, buffer: buffer)
        let margin = AudioLimits.captureRestMargin.milliseconds
        #expect((until?.nanoseconds ?? 0) == (milliseconds.map { $0 + margin } ?? 0) * 1_000_000)
    }

    @Test("all blocks that have come are read before the next rest")
    func taking() {
        let rest = closed(samples: AudioLimits.restAfterSamples)
        let now = Instant.zero + .milliseconds(21)
        var (nextAt, taken) = (Instant.zero, 0)
        while wakeUp(rest, nextAt: nextAt, now: now) == nil {
            nextAt = nextAt + block
            taken += 1
        }
        #expect(taken == 4)
        #expect(wakeUp(rest, nextAt: nextAt, now: now) == now + .milliseconds(20))
    }

    @Test("blocks that came during the rest are read together, later ones one by one")
    func blocksWaiting() {
        var rest = CaptureRest()
        rest.rested(until: .zero + .milliseconds(21))
        let table: [(Int64, Int)] = [(0, 4), (1, 3), (5, 3), (10, 2), (15, 1), (20, 1), (100, 1)]
        for (nextAt, blocks) in table {
            func waiting(hasGap: Bool) -> Int {
                rest.blocksWaiting(nextAt: .zero + .milliseconds(nextAt), blockSamples: 240, hasGap: hasGap)
            }
            #expect(waiting(hasGap: false) == blocks)
            // A card that had an overrun while the thread stood still begins anew with an empty buffer.
            #expect(waiting(hasGap: true) == 1)
        }
    }

    @Test("only a block that was complete at the end of the rest has waited")
    func waited() {
        var rest = CaptureRest()
        #expect(!rest.hasWaited(blockEnd: .zero + .milliseconds(1)))
        rest.rested(until: .zero + .milliseconds(20))
        #expect(rest.hasWaited(blockEnd: .zero + .milliseconds(20)))
        #expect(!rest.hasWaited(blockEnd: .zero + .milliseconds(21)))
    }
}

@Suite("the keys as the capture thread sees them", .serialized)
struct PressedKeysTests {
    @Test("a move of the key by another thread ends the rest, and so does the end of a cough")
    func key() throws {
        for isCough in [false, true] {
            let wakeUpEvent = try WakeUpEvent()
            let key = PressedKeys(wakeUpEvent: wakeUpEvent)
            if isCough {
                key.move(to: .held)
                key.setCough(true)
            }
            #expect(!key.mayOpen)
            let pressing = OtherThread { isCough ? key.setCough(false) : key.move(to: .held) }
            let never = AudioBench.now + .seconds(20)
            wakeUpEvent.rest(until: never) {
                pressing.start()
                return false
            }
            pressing.join()
            #expect(AudioBench.now < never && key.mayOpen)
        }
    }

    @Test("late sound is sent or silenced by the position of the key at its own time")
    func lookedAtLate() throws {
        let key = PressedKeys(wakeUpEvent: try WakeUpEvent())
        #expect(key.gateKeys(at: AudioBench.now).isEmpty && !key.wasCoughing(at: AudioBench.now))
        let before = AudioBench.now
        key.move(to: .held)
        let held = AudioBench.now
        #expect(key.gateKeys(at: before).isEmpty && key.gateKeys(at: held + .milliseconds(1)) == .held)
        key.setCough(true)
        #expect(key.wasCoughing(at: held + .seconds(60)))
        key.setCough(false)
        #expect(key.wasCoughing(at: held) && !key.wasCoughing(at: AudioBench.now + .milliseconds(1)))
        #expect(key.gateKeys(at: held + .milliseconds(1)) == .held, "a cough moves no key")
    }

    @Test("late sound goes by the keys that were down at its own time, each from its own press on")
    func pressedInTurn() throws {
        let key = PressedKeys(wakeUpEvent: try WakeUpEvent())
        let (one, two) = (KeySet.key(0), KeySet.key(1))
        key.move(to: .held)
        let first = soon()
        key.move(to: TalkGate.Keys(down: [one, two]))
        let second = soon()
        key.move(to: TalkGate.Keys(down: [one, two], voice: .key(7)))
        #expect(key.gateKeys(at: first) == .held)
        #expect(key.gateKeys(at: second) == TalkGate.Keys(down: [one, two]))
        #expect(key.gateKeys(at: soon()) == TalkGate.Keys(down: [one, two], voice: .key(7)))
        key.move(to: TalkGate.Keys(down: two))
        key.move(to: TalkGate.Keys(down: [one, two]))
        #expect(key.gateKeys(at: second) == TalkGate.Keys(down: two), "a key counts from its latest press on")
    }

    @Test("late sound from before the release of a key is sent, and later sound is not")
    func released() throws {
        let key = PressedKeys(wakeUpEvent: try WakeUpEvent())
        func instant(_ seconds: Int64) -> Instant { Instant(nanoseconds: seconds * 1_000_000_000) }
        key.move(to: .held, at: instant(10))
        key.move(to: .none, at: instant(20))
        #expect(key.gateKeys(at: instant(10)).isEmpty && key.gateKeys(at: instant(11)) == .held)
        #expect(key.gateKeys(at: instant(20)) == .held && key.gateKeys(at: instant(21)).isEmpty)
        #expect(key.gateKeys.isEmpty && !key.mayOpen)
        // A voice-operated key ends by the voice.
        key.move(to: TalkGate.Keys(voice: .first), at: instant(30))
        key.move(to: .none, at: instant(40))
        #expect(key.gateKeys(at: instant(35)).isEmpty)
    }

    /// Returns an instant that is later than all that was done so far, and earlier than all that follows.
    private func soon() -> Instant {
        let instant = AudioBench.now + .microseconds(1)
        while AudioBench.now <= instant {}
        return instant
    }
}

/// Runs `body` on a thread of its own.
private final class OtherThread: @unchecked Sendable {
    private var thread = pthread_t()
    private let body: () -> Void

    init(_ body: @escaping () -> Void) { self.body = body }

    func start() {
        pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<OtherThread>.fromOpaque(context).takeRetainedValue().body()
                return nil
            }, Unmanaged.passRetained(self).toOpaque())
    }

    func join() { pthread_join(thread, nil) }
}
