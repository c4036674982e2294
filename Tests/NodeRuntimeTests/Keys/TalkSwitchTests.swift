import AudioIO
import ControlPlane
import NodeRuntime
import Primitives
import Testing
import Voice

@Suite("The talk key")
struct TalkSwitchTests {
    private let start = Instant(nanoseconds: 1_000_000_000)

    @Test(
        "the effect of orders on the key",
        arguments: [
            (TalkMode.ptt, [TalkOrder.on], true), (.ptt, [.toggle], true), (.ptt, [.toggle, .toggle], false),
            (.latch, [.on, .off], false), (.open, [], true), (.open, [.off], false), (.open, [.off, .toggle], true),
            (.ptt, [], false), (.ptt, [.hold(seconds: 0.5)], true), (.ptt, [.hold(seconds: 0.5), .off], false),
        ])
    func orders(mode: TalkMode, orders: [TalkOrder], isTalking: Bool) {
        var key = TalkSwitch(modes: [mode])
        for order in orders { key.perform(order, now: start) }
        #expect(key.isTalking == isTalking)
    }

    @Test("a hold ends when it is not renewed in time, and not before")
    func holdEnds() {
        var key = TalkSwitch(modes: [.ptt])
        key.perform(.hold(seconds: 0.6), now: start)
        #expect(key.releasesAt == start + .milliseconds(600))
        key.expire(now: start + .milliseconds(599))
        #expect(key.isTalking)
        key.perform(.hold(seconds: 0.6), now: start + .milliseconds(300))
        key.expire(now: start + .milliseconds(600))
        #expect(key.isTalking)
        key.expire(now: start + .milliseconds(900))
        #expect(!key.isTalking)
        #expect(key.releasesAt == nil)
    }

    @Test("a short hold does not end a latched key")
    func holdOfLatched() {
        var key = TalkSwitch(modes: [.latch])
        key.perform(.on, now: start)
        key.perform(.hold(seconds: 0.1), now: start)
        key.expire(now: start + .seconds(10))
        #expect(key.isTalking)
    }

    @Test("a smart key whose press is held again is let go when no hold follows")
    func smartHoldEnds() {
        var key = TalkSwitch(modes: [.smart])
        key.perform(.press, now: start)
        key.perform(.hold(seconds: 1), now: start)
        key.perform(.hold(seconds: 1), now: start + .milliseconds(300))
        #expect(key.releasesAt == start + .milliseconds(1_300))
        key.expire(now: start + .milliseconds(1_299))
        #expect(key.isTalking)
        key.expire(now: start + .milliseconds(1_300))
        #expect(!key.isTalking)
        // A finger that is still there, behind a terminal that stalled, talks again.
        key.perform(.hold(seconds: 1), now: start + .milliseconds(1_400))
        #expect(key.isTalking)
        key.perform(.release, now: start + .milliseconds(1_500))
        #expect(!key.isTalking && key.releasesAt == nil)
    }

    @Test(
        "holds change nothing of what a smart key does at its release",
        arguments: [
            (.release, 400, true), (.release, 401, false), (.tap, 900, true),
        ] as [(TalkOrder, Int64, Bool)])
    func smartHoldAndRelease(order: TalkOrder, milliseconds: Int64, latches: Bool) {
        var key = TalkSwitch(modes: [.smart])
        key.perform(.press, now: start)
        key.perform(.hold(seconds: 1), now: start)
        let up = start + .milliseconds(milliseconds)
        key.perform(order, now: up)
        #expect(key.isTalking == latches && key.releasesAt == nil)
        key.expire(now: up + .seconds(60))
        #expect(key.isTalking == latches)
        // The press that ends a latch silences the key, whatever holds follow it.
        guard latches else { return }
        key.perform(.press, now: up + .seconds(60))
        key.perform(.hold(seconds: 1), now: up + .seconds(60))
        #expect(!key.isTalking && key.releasesAt == nil)
    }

    @Test(
        "a key that a peer closes while it is held stays closed while the hold repeats, and opens at its next press",
        arguments: [
            (.ptt, [.hold(seconds: 1)]), (.smart, [.press, .hold(seconds: 1)]),
        ] as [(TalkMode, [TalkOrder])])
    func closedWhileHeld(mode: TalkMode, press: [TalkOrder]) {
        var key = TalkSwitch(modes: [mode])
        for order in press { key.perform(order, now: start) }
        key.closeAll(now: start + .milliseconds(100))
        for number in 1...10 {
            key.perform(.hold(seconds: 1), now: start + .milliseconds(300 * Int64(number)))
            #expect(!key.isTalking && key.releasesAt == nil, "\(number)")
        }
        key.perform(.release, now: start + .milliseconds(3_100))
        #expect(!key.isTalking)
        for order in press { key.perform(order, now: start + .milliseconds(3_200)) }
        #expect(key.isTalking)
    }

    @Test(
        "a hold after a pause opens a closed key also where no release is reported",
        arguments: [(0.35, 300, 649, 650), (60, 900, 1_899, 1_900)] as [(Double, Int64, Int64, Int64)])
    func closedWithoutRelease(seconds: Double, repeated: Int64, early: Int64, late: Int64) {
        var key = TalkSwitch(modes: [.ptt])
        key.perform(.hold(seconds: seconds), now: start)
        key.closeAll(now: start + .milliseconds(100))
        key.perform(.hold(seconds: seconds), now: start + .milliseconds(repeated))
        var tooEarly = key
        tooEarly.perform(.hold(seconds: seconds), now: start + .milliseconds(early))
        key.perform(.hold(seconds: seconds), now: start + .milliseconds(late))
        #expect(!tooEarly.isTalking && key.isTalking)
    }

    @Test(
        "after off a hold opens the key, unless it repeats one that bounds the press of a smart key",
        arguments: [
            (.smart, [.press, .hold(seconds: 1), .off], false), (.smart, [.press, .off], false),
            (.smart, [.press, .hold(seconds: 1), .off, .off], false),
            (.smart, [.press, .hold(seconds: 1), .toggle], false),
            (.smart, [.on, .press, .hold(seconds: 1), .off], false),
            (.smart, [.press, .hold(seconds: 1), .off, .release], true),
            (.smart, [.hold(seconds: 60), .off], true), (.ptt, [.hold(seconds: 60), .off], true),
        ] as [(TalkMode, [TalkOrder], Bool)])
    func holdAfterOff(mode: TalkMode, orders: [TalkOrder], isTalking: Bool) {
        var key = TalkSwitch(modes: [mode])
        for order in orders { key.perform(order, now: start) }
        #expect(!key.isTalking)
        key.perform(.hold(seconds: 1), now: start + .milliseconds(300))
        #expect(key.isTalking == isTalking)
    }

    @Test(
        "the keys of the capture thread after orders, by mode",
        arguments: [
            (TalkMode.ptt, [TalkOrder.press], TalkGate.Keys.down), (.ptt, [.press, .release], .none),
            (.latch, [.press], .down), (.latch, [.press, .release], .down),
            (.latch, [.press, .release, .press], .none), (.open, [], .down), (.vox, [], .voice),
            (.vox, [.off], .none), (.vox, [.off, .on], .voice), (.vox, [.press], .voice),
            (.smart, [.press], .down), (.smart, [.press, .tap], .down), (.smart, [.press, .release], .down),
            (.smart, [.press, .tap, .press], .none), (.smart, [.on], .down), (.smart, [.on, .off], .none),
            (.smart, [.toggle], .down), (.smart, [.toggle, .toggle], .none),
            (.smart, [.hold(seconds: 1)], .down),
            (.smart, [.tap], .none), (.smart, [.press, .off, .tap], .none), (.ptt, [.tap], .none),
            (.ptt, [.press, .tap], .down), (.latch, [.tap], .none),
        ] as [(TalkMode, [TalkOrder], TalkGate.Keys)])
    func position(mode: TalkMode, orders: [TalkOrder], gate: TalkGate.Keys) {
        var key = TalkSwitch(modes: [mode])
        for order in orders { key.perform(order, now: start) }
        #expect(key.gateKeys == gate)
    }

    @Test("a cough silences in every mode and does not move the key", arguments: TalkMode.allCases)
    func cough(mode: TalkMode) {
        var key = TalkSwitch(modes: [mode])
        key.perform(.on, now: start)
        key.setSent(.first)
        key.perform(.cough(seconds: 2), now: start)
        #expect(key.isCoughing && !key.isTalking && !key.gateKeys.isEmpty)
        #expect(key.releasesAt == start + .seconds(2))
        key.expire(now: start + .milliseconds(1_999))
        #expect(key.isCoughing)
        key.expire(now: start + .seconds(2))
        #expect(!key.isCoughing && key.isTalking)
        key.perform(.cough(seconds: nil), now: start)
        key.expire(now: start + .seconds(60))
        #expect(key.isCoughing)
        // A short touch of the cough key does not end a cough that lasts until `uncough`.
        key.perform(.cough(seconds: 0.8), now: start)
        key.expire(now: start + .seconds(60))
        #expect(key.isCoughing)
        key.perform(.uncough, now: start)
        #expect(!key.isCoughing)
    }

    @Test(
        "a key that is held beyond its limit is ignored until it has been released",
        arguments: [(TalkMode.ptt, TalkOrder.press, TalkOrder.release), (.ptt, .on, .off), (.smart, .press, .release)])
    func stuck(mode: TalkMode, down: TalkOrder, up: TalkOrder) {
        var key = TalkSwitch(modes: [mode], keyLimit: .seconds(10))
        key.perform(down, now: start)
        #expect(key.releasesAt == start + .seconds(10))
        key.expire(now: start + .milliseconds(9_999))
        #expect(key.isTalking && !key.isStuck)
        key.expire(now: start + .seconds(10))
        #expect(!key.isTalking && key.isStuck && key.gateKeys.isEmpty)
        key.perform(down, now: start + .seconds(11))
        #expect(!key.isTalking)
        key.perform(up, now: start + .seconds(12))
        key.perform(down, now: start + .seconds(13))
        #expect(key.isTalking && !key.isStuck)
    }

    @Test("a hold that is renewed for ever, as by an object on the key, counts as stuck")
    func stuckRepeats() {
        var key = TalkSwitch(modes: [.ptt], keyLimit: .seconds(10))
        for tenth in 0..<150 {
            let now = start + .milliseconds(Int64(tenth) * 100)
            key.expire(now: now)
            key.perform(.hold(seconds: 0.35), now: now)
            #expect(key.isTalking == (tenth < 100), "\(tenth)")
        }
        key.expire(now: start + .seconds(20))
        key.perform(.hold(seconds: 0.35), now: start + .seconds(20))
        #expect(key.isTalking)
    }

    @Test("a latched, open or voice-operated key is never stuck", arguments: [TalkMode.latch, .open, .vox])
    func neverStuck(mode: TalkMode) {
        var key = TalkSwitch(modes: [mode], keyLimit: .seconds(10))
        key.perform(.on, now: start)
        key.expire(now: start + .seconds(1_000))
        #expect(!key.isStuck && !key.gateKeys.isEmpty && key.releasesAt == nil)
    }

    @Test("with vox or half-duplex, talking is reported by what is sent and not by the key")
    func followsVoice() {
        for var key in [TalkSwitch(modes: [.vox]), TalkSwitch(modes: [.open], isHalfDuplex: true)] {
            #expect(!key.isTalking)
            key.perform(.on, now: start)
            #expect(!key.isTalking && !key.gateKeys.isEmpty, "the key is down and waits")
            key.setSent(.first)
            #expect(key.isTalking)
            key.setSent([])
            #expect(!key.isTalking)
        }
    }

    @Test("the end of a spurt counts as lost when no frame has come between two looks")
    func lostEnd() {
        var key = TalkSwitch(modes: [.vox])
        var looks: [Bool] = []
        func look() { looks.append(key.missesSpurtEnd()) }
        look()
        key.setSent(.first)
        look()
        key.noteSent()
        look()
        look()
        look()
        key.setSent([])
        look()
        look()
        #expect(looks == [false, false, false, true, true, false, false])
    }
}

extension TalkGate.Keys {
    /// The first key is down.
    fileprivate static let down = TalkGate.Keys(down: .first)
    /// The first key is voice-operated.
    fileprivate static let voice = TalkGate.Keys(voice: .first)
}
