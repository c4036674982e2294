import NodeRuntime
import Primitives
import Testing
import Voice

@Suite("several talk keys")
struct SeveralKeysTests {
    private let start = Instant(nanoseconds: 1_000_000_000)
    private static let modes: [TalkMode] = [.ptt, .latch, .smart, .vox, .open]

    @Test(
        "an order moves its own key alone",
        arguments: [
            (0, [TalkOrder.press], [0, 4]), (0, [.press, .release], [4]), (1, [.press, .release], [1, 4]),
            (1, [.press, .release, .press], [4]), (2, [.press, .tap], [2, 4]), (2, [.press], [2, 4]),
            (3, [.off], [4]), (4, [.off], []), (4, [.off, .toggle], [4]), (0, [.hold(seconds: 1)], [0, 4]),
        ])
    func orders(key: Int, orders: [TalkOrder], down: [Int]) {
        var talk = TalkSwitch(modes: Self.modes)
        for order in orders { talk.perform(order, key: key, now: start) }
        #expect(talk.gateKeys.down == KeySet(down.map(KeySet.key)))
        #expect(talk.gateKeys.voice == (key == 3 && orders == [.off] ? [] : .key(3)))
    }

    @Test("a node talks by the keys that are down, and by a voice-operated one while its frames are sent")
    func talking() {
        var talk = TalkSwitch(modes: [.ptt, .vox])
        #expect(talk.talkingKeys.isEmpty)
        talk.perform(.press, key: 0, now: start)
        talk.setSent(.key(0))
        #expect(talk.talkingKeys == .key(0), "the frames of another key are no voice")
        talk.setSent([.key(0), .key(1)])
        #expect(talk.talkingKeys == [.key(0), .key(1)])
        talk.perform(.cough(seconds: nil), key: 1, now: start)
        #expect(talk.talkingKeys.isEmpty && talk.gateKeys.down == .key(0))
    }

    @Test("the talk of a person begins and ends with a press and a cough, not with a voice, and not with an open key")
    func talkingByPress() {
        var talk = TalkSwitch(modes: [.latch, .vox, .open])
        talk.setSent([.key(1), .key(2)])
        #expect(talk.isTalking && !talk.isTalkingByPress)
        talk.perform(.press, key: 0, now: start)
        #expect(talk.isTalkingByPress)
        talk.perform(.cough(seconds: nil), now: start)
        #expect(!talk.isTalkingByPress)
        talk.perform(.uncough, now: start)
        #expect(talk.isTalkingByPress)
        talk.closeAll(now: start)
        #expect(!talk.isTalkingByPress)
    }

    @Test("with half-duplex the talk of a person begins when the key has the floor")
    func talkingByPressInHalfDuplex() {
        var talk = TalkSwitch(modes: [.ptt], isHalfDuplex: true)
        talk.perform(.press, now: start)
        #expect(!talk.isTalkingByPress, "others talk")
        talk.setSent(.key(0))
        #expect(talk.isTalkingByPress)
        talk.perform(.release, now: start)
        #expect(!talk.isTalkingByPress)
    }

    @Test("the modes of the keys that talk, each once, and none while the node is silent")
    func talkingModes() {
        var talk = TalkSwitch(modes: [.latch, .ptt, .ptt, .vox])
        #expect(talk.talkingModes.isEmpty)
        for key in 1...2 { talk.perform(.press, key: key, now: start) }
        #expect(talk.talkingModes == [.ptt], "the first key is up")
        talk.perform(.press, key: 0, now: start)
        #expect(talk.talkingModes == [.latch, .ptt])
        talk.perform(.cough(seconds: nil), now: start)
        #expect(talk.talkingModes.isEmpty)
    }

    @Test("each key has its own end of a hold and its own guard")
    func ends() {
        var talk = TalkSwitch(modes: [.ptt, .ptt], keyLimit: .seconds(10))
        talk.perform(.hold(seconds: 2), key: 0, now: start)
        talk.perform(.press, key: 1, now: start + .seconds(1))
        #expect(talk.releasesAt == start + .seconds(2))
        talk.expire(now: start + .seconds(2))
        #expect(talk.gateKeys.down == .key(1) && talk.releasesAt == start + .seconds(11))
        talk.expire(now: start + .seconds(11))
        #expect(talk.gateKeys.isEmpty && talk.isStuck && talk.stuckKeys == .key(1))
        talk.perform(.press, key: 0, now: start + .seconds(12))
        #expect(talk.gateKeys.down == .key(0), "another key talks meanwhile")
    }

    @Test("a key may get other targets when it is up, not stuck, and none of its frames is under way")
    func idle() {
        var talk = TalkSwitch(modes: [.ptt, .ptt], keyLimit: .seconds(10))
        talk.perform(.press, key: 1, now: start)
        #expect(talk.isIdle(0) && !talk.isIdle(1))
        talk.expire(now: start + .seconds(10))
        #expect(talk.stuckKeys == .key(1) && !talk.isIdle(1), "a finger is still on it")
        talk.setSent(.key(1))
        talk.perform(.release, key: 1, now: start + .seconds(11))
        #expect(talk.stuckKeys.isEmpty && !talk.isIdle(1), "its last frame is under way")
        talk.setSent([])
        #expect(talk.isIdle(1))
    }

    @Test(
        "a pressed key gets another mode when it is up, and one that no finger holds gets it at once",
        arguments: [
            (TalkMode.ptt, [TalkOrder.press], [TalkOrder.release]), (.ptt, [.hold(seconds: 1)], [.off]),
            (.latch, [.press, .release], [.press]), (.smart, [.press, .tap], [.press]), (.smart, [.press], [.off]),
            (.ptt, [], []), (.ptt, [.press, .release], []), (.open, [], []), (.vox, [], []), (.open, [.off], []),
        ])
    func changed(mode: TalkMode, before: [TalkOrder], up: [TalkOrder]) {
        for next in [TalkMode.ptt, .latch, .smart, .open, .vox] where next != mode {
            var talk = TalkSwitch(modes: [.ptt, mode])
            for order in before { talk.perform(order, key: 1, now: start) }
            talk.change(to: next, of: 1)
            #expect(talk.keys[1].mode == (up.isEmpty ? next : mode))
            #expect(talk.nextMode(of: 1) == (up.isEmpty ? nil : next))
            for order in up { talk.perform(order, key: 1, now: start + .seconds(2)) }
            #expect(talk.keys[1].mode == next && talk.nextMode(of: 1) == nil)
            let startsDown = (next == .open || next == .vox) && before != [.off]
            #expect(talk.keys[1].isDown == startsDown && talk.keys[0].mode == .ptt)
        }
    }

    @Test("a key that is changed back before it was up keeps its mode; the end of a hold, and a closing, let it go")
    func changedBack() {
        var talk = TalkSwitch(modes: [.ptt, .ptt])
        for key in 0...1 {
            talk.perform(.hold(seconds: 1), key: key, now: start)
            talk.change(to: .latch, of: key)
        }
        talk.change(to: .ptt, of: 0)
        talk.expire(now: start + .seconds(1))
        #expect(talk.keys.map(\.mode) == [.ptt, .latch])
        talk.perform(.press, key: 1, now: start + .seconds(2))
        talk.change(to: .smart, of: 1)
        talk.closeAll(now: start + .seconds(3))
        #expect(talk.keys.map(\.mode) == [.ptt, .smart])
    }

    @Test("a key that would talk elsewhere is switched off alone, in each mode, and opens when it is switched on")
    func closedAlone() {
        for key in Self.modes.indices {
            var talk = TalkSwitch(modes: Self.modes)
            for index in Self.modes.indices { talk.perform(.on, key: index, now: start) }
            talk.close(.key(key), now: start + .seconds(1))
            #expect(talk.downKeys == KeySet(Self.modes.indices.map(KeySet.key)).subtracting(.key(key)))
            talk.perform(.on, key: key, now: start + .seconds(2))
            #expect(talk.keys[key].isDown)
        }
    }

    @Test("a key that is closed stays off in a mode that starts down, until it is switched on", arguments: 0...2)
    func closedBeforeAnotherMode(way: Int) {
        for mode in [TalkMode.open, .vox] {
            var talk = TalkSwitch(modes: [.latch])
            talk.perform(.press, now: start)
            talk.change(to: mode, of: 0)
            switch way {
            case 0: talk.closeAll(now: start + .seconds(1))
            case 1: talk.close(.key(0), now: start + .seconds(1))
            default: talk.closePressed(now: start + .seconds(1))
            }
            #expect(talk.keys[0].mode == mode && talk.downKeys.isEmpty)
            talk.perform(.on, now: start + .seconds(2))
            #expect(talk.downKeys == .key(0))
        }
    }

    @Test("a request to close the microphone switches every key off")
    func closed() {
        var talk = TalkSwitch(modes: Self.modes)
        for key in Self.modes.indices { talk.perform(.on, key: key, now: start) }
        talk.closeAll(now: start + .seconds(1))
        #expect(talk.gateKeys.isEmpty)
        talk.perform(.press, key: 0, now: start + .seconds(2))
        #expect(talk.gateKeys.down == .key(0), "a key works again afterwards")
    }

    @Test("after a sleep of the machine the keys that were pressed are up; open and voice-operated keys stay down")
    func slept() {
        let modes: [TalkMode] = [.ptt, .latch, .smart, .open, .vox]
        var talk = TalkSwitch(modes: modes)
        for key in modes.indices { talk.perform(.on, key: key, now: start) }
        talk.closePressed(now: start + .seconds(1))
        #expect(talk.keys.map(\.isDown) == [false, false, false, true, true])
        talk.perform(.press, key: 1, now: start + .seconds(2))
        #expect(talk.keys[1].isDown)
    }

    @Test("a key that is made comes last, or takes the place of an idle one with its own mode")
    func made() {
        var talk = TalkSwitch(modes: [.open])
        talk.set(.ptt, of: 1)
        talk.perform(.on, key: 1, now: start)
        #expect(talk.gateKeys.down == [.key(0), .key(1)])
        talk.perform(.off, key: 1, now: start)
        talk.set(.latch, of: 1)
        #expect(talk.gateKeys.down == .key(0) && talk.keys.map(\.mode) == [.open, .latch])
        for order in [TalkOrder.press, .release] { talk.perform(order, key: 1, now: start) }
        #expect(talk.gateKeys.down == [.key(0), .key(1)], "a latch stays down")
    }
}
