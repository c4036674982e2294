import Channels
import Commands
import ControlPlane
import NodeRuntime
import Primitives
import Testing

extension ConsoleKeys {
    /// One key, worked by the space bar.
    init(mode: TalkMode) { self.init([TerminalKey(name: nil, letter: "1", mode: mode)]) }
}

@Suite("keys in a terminal")
struct ConsoleKeysTests {
    private let start = Instant(nanoseconds: 5_000_000_000)

    /// Milliseconds at which a keyboard that repeats after `first` and then every `gap` sends a key
    /// held for `held`.
    private static func presses(first: Int, gap: Int, held: Int) -> [Int] {
        [0] + Array(stride(from: first, to: held, by: gap))
    }

    /// Feeds spaces at these milliseconds to the keys and the keys to the talk switch; the
    /// milliseconds in which it talked.
    private func talking(_ presses: [Int], mode: TalkMode = .ptt, until end: Int) -> [Int] {
        var keys = ConsoleKeys(mode: mode)
        var talk = TalkSwitch(modes: [mode])
        return (0..<end).filter { millisecond in
            let now = start + .milliseconds(Int64(millisecond))
            talk.expire(now: now)
            let bytes = presses.contains(millisecond) ? [UInt8(ascii: " ")] : []
            for case .talk(let order, _) in keys.read(bytes, at: now) { talk.perform(order, now: now) }
            return talk.isTalking
        }
    }

    @Test("of the acts before the node answers, the ends of presses still count, each once, or the end of the node")
    func endings() {
        let acts: [ConsoleKeys.Act] = [
            .answer, .talk(.press, key: "a"), .talk(.release, key: "a"), .talk(.hold(seconds: 1)),
            .talk(.cough(seconds: 1)), .talk(.release, key: "a"), .talk(.tap, key: "b"), .talk(.toggle),
        ]
        #expect(ConsoleKeys.endings(in: acts) == [.talk(.release, key: "a"), .talk(.tap, key: "b")])
        #expect(ConsoleKeys.endings(in: acts + [.stop, .stop]) == [.stop])
    }

    @Test("before the node has told its keys, they have the same names, so that a press at the start keeps its state")
    func names() throws {
        let paths = StandardPaths(environment: ["HOME": "/tmp"], user: 0, folderExists: { _ in false })
        let options = try RunResolution.resolve(
            options: RunSettings(), file: RunSettings(), paths: paths, hostName: "host")
        let book = KeyBook(options.keys, mode: options.talk) { _ in ChannelID(high: 1, low: 2) }
        #expect(options.terminalKeys.compactMap(\.name) == book.entries.map(\.name))
    }

    @Test("keys that a reload has changed are worked in their new mode; the others keep their state")
    func bound() throws {
        func document(_ second: String, _ third: String = "") -> [TerminalKey] {
            func key(_ name: String, _ letter: String, _ mode: String) -> String {
                #"{"name": "\#(name)", "terminal_key": "\#(letter)", "mode": "\#(mode)", "down": false, "#
                    + #""talking": false, "stuck": false, "channels": [], "peers": [], "reply": false, "all": true, "#
                    + #""reaches": []}"#
            }
            let keys = [key("a", "1", "smart"), key("b", "2", second)] + (third.isEmpty ? [] : [key("c", "x", third)])
            let list = keys.joined(separator: ", ")
            return KeysDocument(json: #"{"schema": "partyline.keys/1", "keys": [\#(list)]}"#).terminalKeys
        }
        var keys = ConsoleKeys(document("ptt"))
        #expect(keys.read("12".utf8, at: start) == [.talk(.press, key: "a"), .talk(.hold(seconds: 0.8), key: "b")])
        keys.bind(document("latch", "latch"))
        let soon = start + .milliseconds(100)
        #expect(
            keys.read("2x".utf8, at: soon) == [.talk(.toggle, key: "b"), .talk(.toggle, key: "c")])
        #expect(
            keys.read("".utf8, at: start + ConsoleKeys.pressHold) == [.talk(.tap, key: "a")], "the first was tapped")
    }

    @Test(
        "a held key talks at once, without a gap, and ends a third of a second after it is let go",
        arguments: [(250, 92), (250, 33), (500, 33), (500, 40), (660, 40), (790, 25)])
    func held(first: Int, gap: Int) {
        let presses = ConsoleKeysTests.presses(first: first, gap: gap, held: 3_000)
        let talking = talking(presses, until: 6_000)
        let last = presses[presses.count - 1]
        #expect(talking == Array(0..<(last + 350)))
    }

    @Test("a tap talks for the time of a first repeat, and no longer")
    func tap() { #expect(talking([0], until: 3_000) == Array(0..<800)) }

    @Test("a tap and then a held key do not chop")
    func tapThenHold() {
        let presses = [0] + ConsoleKeysTests.presses(first: 660, gap: 33, held: 2_000).map { $0 + 300 }
        let talking = talking(presses, until: 5_000)
        #expect(talking == Array(0..<(presses[presses.count - 1] + 350)))
    }

    @Test("repeats that a network bunches or holds up do not chop")
    func bunched() {
        let presses = [0, 500, 533, 566, 760, 761, 762, 800, 1_020, 1_021, 1_050]
        #expect(talking(presses, until: 3_000) == Array(0..<1_400))
    }

    @Test("in latch mode a press toggles and its repeats do not")
    func latch() {
        #expect(talking([100, 130, 160, 190], mode: .latch, until: 400) == Array(100..<400))
        #expect(talking([100, 300], mode: .latch, until: 400) == Array(100..<300))
    }

    @Test("a smart key: a tap talks on until the next press, a held key as long as it is held")
    func smart() {
        #expect(talking([100], mode: .smart, until: 3_000) == Array(100..<3_000))
        #expect(talking([100, 2_000], mode: .smart, until: 4_000) == Array(100..<2_000))
        let held = ConsoleKeysTests.presses(first: 500, gap: 33, held: 2_000)
        #expect(talking(held, mode: .smart, until: 5_000) == Array(0..<(held[held.count - 1] + 350)))
    }

    @Test("a smart key tapped twice quickly is silent again, and the next tap talks on")
    func smartTwice() {
        #expect(talking([0, 300, 2_000], mode: .smart, until: 4_000) == Array(0..<650) + Array(2_000..<4_000))
    }

    @Test("each letter and digit works a talk key, or has a meaning of its own and is no key of a table")
    func letters() {
        for byte in Array("abcdefghijklmnopqrstuvwxyz0123456789".utf8) {
            let letter = Character(UnicodeScalar(byte))
            let toggle = ConsoleKeys.Act.talk(.toggle, key: "k")
            var keys = ConsoleKeys([TerminalKey(name: "k", letter: letter, mode: .latch)])
            #expect((keys.read([byte], at: start) == [toggle]) == KeyTable.isFree(letter), "\(letter)")
        }
        #expect(ConsoleLetter.allCases.allSatisfy { !KeyTable.isFree($0.rawValue) })
    }

    @Test(
        "what bytes mean",
        arguments: [
            (" ", TalkMode.ptt, .talk(.hold(seconds: 0.8))),
            ("  ", .ptt, .talk(.hold(seconds: 0.35))), (" ", .latch, .talk(.toggle)), ("  ", .latch, .talk(.toggle)),
            ("c", .open, .talk(.cough(seconds: 0.8))), ("cc", .vox, .talk(.cough(seconds: 0.35))),
            (" ", .smart, .talk(.press)), ("  ", .vox, nil), (" ", .open, nil), ("q", .open, .stop),
            (" Q", .ptt, .stop), ("a", .ptt, .answer), ("A", .vox, .answer), ("x", .ptt, nil), ("", .ptt, nil),
            // F2, an arrow, and a space before one.
            ("\u{1B}OQ", .ptt, nil), ("\u{1B}[A", .latch, nil), (" \u{1B}[21q", .latch, .talk(.toggle)),
        ] as [(String, TalkMode, ConsoleKeys.Act?)])
    func bytes(text: String, mode: TalkMode, act: ConsoleKeys.Act?) {
        var keys = ConsoleKeys(mode: mode)
        #expect(keys.read(text.utf8, at: start) == [act].compactMap { $0 })
    }
}
