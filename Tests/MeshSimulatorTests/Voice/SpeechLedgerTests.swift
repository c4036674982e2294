import MeshSimulator
import Primitives
import Testing

@Suite("The ledger of spoken and played frames")
struct SpeechLedgerTests {
    private static let begin = Instant.zero + .seconds(10)

    private func stamp(_ sequence: UInt32, life: UInt32 = 1, at milliseconds: Int64 = 0) -> VoiceStamp {
        VoiceStamp(talker: 0, life: life, sequence: sequence, spokenAt: Self.begin + .milliseconds(milliseconds))
    }

    private func ledger(spoken: ClosedRange<UInt32>) -> SpeechLedger {
        var ledger = SpeechLedger(nodeCount: 2, span: Self.begin...(Self.begin + .seconds(5)))
        for sequence in spoken { ledger.addSpoken(stamp(sequence), to: [1]) }
        return ledger
    }

    @Test("frames are counted, and the latest delay is kept")
    func counts() {
        var ledger = ledger(spoken: 5...8)
        ledger.addSounded(stamp(5), at: 1, now: Self.begin + .milliseconds(20))
        ledger.addSounded(stamp(6), at: 1, now: Self.begin + .milliseconds(30))
        ledger.addSounded(stamp(7), at: 1, now: Self.begin + .milliseconds(25))
        ledger.addSounded(stamp(8), at: 1, now: Self.begin + .milliseconds(25))
        #expect(
            ledger.hearing(of: 0, at: 1)
                == SpeechLedger.Hearing(
                    spoken: 4, sounded: 4, addressed: 4, missingRunMax: 0, delayMax: .milliseconds(30)))
    }

    @Test("frames that were said to others are spoken, and not addressed")
    func toOthers() {
        var ledger = ledger(spoken: 1...2)
        ledger.addSpoken(stamp(3), to: [])
        #expect(ledger.hearing(of: 0, at: 1).spoken == 3)
        #expect(ledger.hearing(of: 0, at: 1).addressed == 2)
    }

    @Test("missing frames in a row are counted at the beginning, in the middle and at the end")
    func missing() {
        var ledger = ledger(spoken: 1...10)
        #expect(ledger.hearing(of: 0, at: 1).missingRunMax == 10)
        ledger.addSounded(stamp(3), at: 1, now: Self.begin)
        #expect(ledger.hearing(of: 0, at: 1).missingRunMax == 7)
        ledger.addSounded(stamp(7), at: 1, now: Self.begin)
        ledger.addSounded(stamp(9), at: 1, now: Self.begin)
        #expect(ledger.hearing(of: 0, at: 1).missingRunMax == 3)
        #expect(ledger.hearing(of: 0, at: 1).sounded == 3)
    }

    @Test("frames from before or after the span, or from an earlier life, do not count")
    func outside() {
        var ledger = ledger(spoken: 1...3)
        ledger.addSpoken(stamp(9, at: -1), to: [1])
        ledger.addSpoken(stamp(10, at: 5_001), to: [1])
        #expect(ledger.hearing(of: 0, at: 1).spoken == 3)
        ledger.addSpoken(stamp(1, life: 2), to: [1])
        ledger.addSounded(stamp(2), at: 1, now: Self.begin)
        #expect(ledger.hearing(of: 0, at: 1).spoken == 1)
        #expect(ledger.hearing(of: 0, at: 1).sounded == 0)
    }

    @Test("a frame that was coded at the first instant of the span, before the ledger existed, does not count")
    func beforeLedger() {
        var ledger = ledger(spoken: 5...6)
        ledger.addSounded(stamp(4), at: 1, now: Self.begin)
        #expect(ledger.hearing(of: 0, at: 1).sounded == 0)
        #expect(ledger.hearing(of: 0, at: 1).missingRunMax == 2)
    }
}
