import ControlPlane
import NodeRuntime
import Primitives
import Testing

@Suite("The talk key")
struct TalkSwitchTests {
    private let start = Instant(nanoseconds: 1_000_000_000)

    @Test(
        "what an order makes of the key",
        arguments: [
            (TalkMode.ptt, [TalkOrder.on], true), (.ptt, [.toggle], true), (.ptt, [.toggle, .toggle], false),
            (.latch, [.on, .off], false), (.open, [], true), (.open, [.off], false), (.open, [.off, .toggle], true),
            (.ptt, [], false), (.ptt, [.hold(seconds: 0.5)], true), (.ptt, [.hold(seconds: 0.5), .off], false),
        ])
    func orders(mode: TalkMode, orders: [TalkOrder], isTalking: Bool) {
        var key = TalkSwitch(mode: mode)
        for order in orders { key.obey(order, now: start) }
        #expect(key.isTalking == isTalking)
    }

    @Test("a held key falls back when nobody renews it, and not before")
    func holdEnds() {
        var key = TalkSwitch(mode: .ptt)
        key.obey(.hold(seconds: 0.6), now: start)
        #expect(key.releasesAt == start + .milliseconds(600))
        key.expire(now: start + .milliseconds(599))
        #expect(key.isTalking)
        key.obey(.hold(seconds: 0.6), now: start + .milliseconds(300))
        key.expire(now: start + .milliseconds(600))
        #expect(key.isTalking)
        key.expire(now: start + .milliseconds(900))
        #expect(!key.isTalking)
        #expect(key.releasesAt == nil)
    }

    @Test("a short hold does not end a latched key")
    func holdOfLatched() {
        var key = TalkSwitch(mode: .latch)
        key.obey(.on, now: start)
        key.obey(.hold(seconds: 0.1), now: start)
        key.expire(now: start + .seconds(10))
        #expect(key.isTalking)
    }
}
