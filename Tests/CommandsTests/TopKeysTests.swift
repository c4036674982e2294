import Commands
import NodeRuntime
import Primitives
import Testing

@Suite("The keys of partyline top")
struct TopKeysTests {
    private static let start = Instant.zero + .seconds(10)

    private func acts(_ mode: TalkMode, _ text: String) -> [TopKeys.Act] {
        var keys = TopKeys(mode: mode)
        return keys.read(Array(text.utf8), at: Self.start)
    }

    @Test(
        "a reported press and release work the key as a hand does",
        arguments: [
            (.ptt, [.talk(.hold(seconds: TopKeys.holdSeconds), key: nil), .talk(.release, key: nil)]),
            (.latch, [.talk(.toggle, key: nil)]),
            (
                .smart,
                [
                    .talk(.press, key: nil), .talk(.hold(seconds: TopKeys.holdSeconds), key: nil),
                    .talk(.release, key: nil),
                ]
            ), (.open, []), (.vox, []),
        ] as [(TalkMode, [TopKeys.Act])])
    func reported(mode: TalkMode, wanted: [TopKeys.Act]) {
        #expect(acts(mode, "\u{1B}[32u\u{1B}[32;1:2u\u{1B}[32;1:3u") == wanted)
    }

    @Test(
        "a reported key that stays down is held again before the node lets it go",
        arguments: [(TalkMode.ptt, TalkOrder.release), (.smart, .off)])
    func heldAgain(mode: TalkMode, up: TalkOrder) {
        var keys = TopKeys(mode: mode)
        _ = keys.read(Array("\u{1B}[32;1:1u".utf8), at: Self.start)
        let due = keys.dueAt ?? .distantFuture
        #expect(due == Self.start + TopKeys.holdAgain)
        #expect(keys.read([], at: due) == [.talk(.hold(seconds: TopKeys.holdSeconds), key: nil)])
        #expect(keys.read([], at: due) == [])
        #expect(TopKeys.holdAgain.milliseconds * 2 < Int64(TopKeys.holdSeconds * 1_000))
        #expect(keys.letGo() == [.talk(up, key: nil)] && keys.dueAt == nil && keys.letGo() == [])
    }

    @Test("a typed smart key is held until it is known whether it was tapped, and as long as it repeats")
    func typedSmart() {
        let hold = TopKeys.Act.talk(.hold(seconds: TopKeys.holdSeconds), key: nil)
        var keys = TopKeys(mode: .smart)
        #expect(keys.read([0x20], at: Self.start) == [.talk(.press, key: nil), hold])
        #expect(keys.read([], at: Self.start + TopKeys.holdAgain) == [hold])
        var tapped = keys
        #expect(tapped.read([], at: Self.start + ConsoleKeys.pressHold) == [.talk(.tap, key: nil)])
        #expect(tapped.dueAt == nil)
        let repeated = Self.start + .milliseconds(500)
        #expect(keys.read([0x20], at: repeated) == [])
        #expect(keys.read([], at: Self.start + TopKeys.holdAgain * 2) == [hold])
        #expect(keys.read([], at: repeated + ConsoleKeys.repeatHold) == [.talk(.release, key: nil)])
        #expect(keys.dueAt == nil)
    }

    @Test("coughing works the same way")
    func cough() {
        var keys = TopKeys(mode: .latch)
        #expect(
            keys.read(Array("\u{1B}[99u".utf8), at: Self.start) == [
                .talk(.cough(seconds: TopKeys.holdSeconds), key: nil)
            ])
        #expect(keys.read(Array("\u{1B}[99;1:3u".utf8), at: Self.start) == [.talk(.uncough, key: nil)])
    }

    @Test("a terminal that reports no releases works the key as in partyline run")
    func typed() {
        var (keys, console) = (TopKeys(mode: .ptt), ConsoleKeys(mode: .ptt))
        for milliseconds in [0, 500, 533, 566, 3_000] as [Int64] {
            let now = Self.start + .milliseconds(milliseconds)
            let wanted = console.read([0x20], at: now).map { act -> TopKeys.Act in
                if case .talk(let order, _) = act { .talk(order, key: nil) } else { .leave }
            }
            #expect(keys.read([0x20], at: now) == wanted)
        }
    }

    @Test("the digit of each talk key works that key, and both may be down")
    func digits() {
        var keys = TopKeys(mode: .ptt, keys: TopScreenTests.keys.keys)
        let hold = TalkOrder.hold(seconds: TopKeys.holdSeconds)
        #expect(
            keys.read(Array("\u{1B}[50u\u{1B}[52u".utf8), at: Self.start) == [
                .talk(hold, key: "old"), .talk(hold, key: "everybody"),
            ])
        #expect(keys.read(Array("\u{1B}[50;1:3u".utf8), at: Self.start) == [.talk(.release, key: "old")])
        #expect(keys.read(Array("1".utf8), at: Self.start).count == 1)
        #expect(keys.letGo() == [.talk(.release, key: "everybody")])
    }

    @Test(
        "the letter of a talk key works it also with Caps Lock, as in partyline run",
        arguments: ["b", "B", "\u{1B}[98u"])
    func capital(text: String) {
        var bound = Array(TopScreenTests.keys.keys.prefix(2))
        bound[1].terminalKey = "b"
        var keys = TopKeys(mode: .ptt, keys: bound)
        let names = keys.read(Array(text.utf8), at: Self.start).map { act -> String? in
            if case .talk(.hold, let name) = act { name } else { nil }
        }
        #expect(names == ["old"])
    }

    @Test("a digit that is bound to no talk key works none", arguments: ["1", "\u{1B}[49u"])
    func unbound(text: String) {
        var keys = TopKeys(mode: .ptt, keys: Array(TopScreenTests.keys.keys.dropFirst()))
        #expect(keys.read(Array(text.utf8), at: Self.start) == [])
        #expect(keys.read(Array("c".utf8), at: Self.start).count == 1)
    }

    @Test("talk keys that have changed are let go, and those of now are bound")
    func bind() {
        var keys = TopKeys(mode: .ptt, keys: TopScreenTests.keys.keys)
        _ = keys.read(Array("\u{1B}[50u".utf8), at: Self.start)
        #expect(keys.bind(mode: .ptt, keys: TopScreenTests.keys.keys) == [])
        #expect(keys.bind(mode: .latch, keys: []) == [.talk(.release, key: "old")])
        #expect(keys.read(Array("2".utf8), at: Self.start) == [])
        #expect(keys.read(Array(" ".utf8), at: Self.start) == [.talk(.toggle, key: nil)])
    }

    @Test(
        "other keys answer, leave, draw anew, or stand for a signal",
        arguments: [
            ("q", [.leave]), ("Q", [.leave]), ("\u{0C}", [.redraw]), ("\u{1B}[113u", [.leave]),
            ("\u{1B}[108;5u", [.redraw]), ("\u{1B}[99;5u", [.interrupt]), ("\u{1B}[122;5u", [.suspend]),
            ("\u{1B}[113;5u", []), ("x", []), ("a", [.answer]), ("\u{1B}[97u", [.answer]),
        ] as [(String, [TopKeys.Act])])
    func others(text: String, wanted: [TopKeys.Act]) { #expect(acts(.ptt, text) == wanted) }

    @Test(
        "a key that is down is let go before top ends or is stopped, and is not held again",
        arguments: [
            ("\u{1B}[113u", .leave), ("q", .leave), ("\u{1B}[99;5u", .interrupt), ("\u{1B}[122;5u", .suspend),
        ] as [(String, TopKeys.Act)])
    func letGo(text: String, end: TopKeys.Act) {
        var keys = TopKeys(mode: .ptt)
        _ = keys.read(Array("\u{1B}[32u\u{1B}[99u".utf8), at: Self.start)
        #expect(
            keys.read(Array(text.utf8), at: Self.start) == [
                .talk(.release, key: nil), .talk(.uncough, key: nil), end,
            ])
        #expect(keys.dueAt == nil)
    }
}

@Suite("What a terminal reports of keys")
struct KeyReportsTests {
    private func keys(_ pieces: String...) -> [KeyReports.Key] {
        var reports = KeyReports()
        return pieces.flatMap { reports.read(Array($0.utf8)) }
    }

    @Test("presses, repeats and releases, with and without the details that are left out")
    func reports() {
        #expect(keys("\u{1B}[32u") == [.down(32, isControl: false)])
        #expect(keys("\u{1B}[97:65;2:2;65u") == [.down(97, isControl: false)])
        #expect(keys("\u{1B}[32;1:3u") == [.up(32)])
        #expect(keys("\u{1B}[99;5u") == [.down(99, isControl: true)])
        #expect(keys("\u{1B}[32;;32u") == [.down(32, isControl: false)])
    }

    @Test("a sequence that comes in pieces is one key")
    func pieces() { #expect(keys("\u{1B}[3", "2;1:", "3ux") == [.up(32), .typed(0x78)]) }

    @Test(
        "sequences of other keys, broken ones and a lone Escape mean nothing",
        arguments: [
            "\u{1B}", "\u{1B}[A", "\u{1B}[1;5A", "\u{1B}OP", "\u{1B}[u", "\u{1B}[;u", "\u{1B}[32;1:9u", "\u{1B}[[A",
            "\u{1B}[[C",
        ])
    func nothing(text: String) {
        var reports = KeyReports()
        #expect(reports.read(Array(text.utf8)) == [])
        #expect(reports.read([0x71]) == [.typed(0x71)])
    }

    @Test("a sequence without an end is dropped")
    func endless() {
        let digits = String(repeating: "1", count: 31)
        #expect(keys("\u{1B}[" + digits + "q") == [.typed(0x31), .typed(0x71)])
    }
}
