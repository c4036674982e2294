import Commands
import NodeRuntime
import Testing

@Suite("The screen of partyline top")
struct TopScreenTests {
    private static let none = ChannelsDocument(
        json: #"{"schema": "partyline.channels/1", "channels": [], "privately": [], "to_all": []}"#)

    private static func key(_ name: String, _ letter: String, _ more: String) -> KeysDocument.Key {
        KeysDocument.Key(
            json: #"{"name": "\#(name)", "terminal_key": "\#(letter)", "mode": "ptt", "stuck": false, \#(more)}"#)
    }

    /// Four keys: one speaks, one goes to a channel that is gone, one replies, and one waits for the others.
    static var keys: KeysDocument {
        var keys = KeysDocument(json: #"{"schema": "partyline.keys/1", "keys": []}"#)
        let up = #""down": false, "talking": false"#
        keys.keys = [
            key(
                "main", "1",
                #""down": true, "talking": true, "peers": [],"#
                    + #""channels": [{"name": "lights", "exists": true, "deleted": false}],"#
                    + #""reply": false, "all": false, "reaches": ["LX-DESK", "LX"]"#),
            key(
                "old", "2",
                up + #", "peers": [], "reply": false, "all": false,"#
                    + #""channels": [{"name": "gone", "exists": false, "deleted": false}],"#
                    + #""reaches": []"#),
            key(
                "boss", "3",
                up + #", "channels": [], "peers": [{"name": "OPS", "linked": false}], "reply": true,"#
                    + #""reply_to": "LX", "all": false, "reaches": ["LX"]"#),
            key(
                "everybody", "4",
                up + #", "channels": [], "peers": [], "reply": false, "all": true, "reaches": ["LX-DESK", "LX"]"#),
        ]
        return keys
    }

    /// The only key of a node that is on no channel.
    private static var oneKey: KeysDocument {
        var keys = keys
        keys.keys = [
            key(
                "talk", "1",
                #""down": false, "talking": false, "channels": [], "peers": [], "reply": false, "all": false,"#
                    + #""reaches": []"#)
        ]
        return keys
    }

    static var view: TopView {
        var status = StatusTextTests.status
        status.audio.talking = true
        status.node.channel = "lights"
        status.peers.insert(
            .sample("LX", "5a0e-4411", 3, "up", leader: false) {
                $0.path = "direct"
                ($0.rttMs, $0.lossInPct, $0.lossOutPct, $0.quality) = (1.2, 0, 0, 4.3)
                ($0.levelDbfs, $0.talking, $0.gainDb) = (-12, true, -6)
                ($0.profile.role, $0.profile.colour) = ("lighting", "#ffb300")
            }, at: 1)
        var view = TopView(status: status, channels: ChannelTableTests.document, keys: keys)
        view.events = [
            TopView.Event(time: "14:03:05", text: "LX-DESK is here"),
            TopView.Event(time: "14:03:07", text: "the link to OPS is down: silent, and no probe was answered"),
        ]
        view.eventCount = 2
        return view
    }

    /// A node that has just started, and knows nobody.
    static var alone: TopView {
        var status = StatusTextTests.status
        (status.health, status.peers) = ([], [])
        (status.mesh.peersKnown, status.mesh.linksUp, status.mesh.cliqueComplete) = (0, 0, true)
        (status.audio.levelInDbfs, status.audio.levelOutDbfs) = (nil, nil)
        status.node.channel = ""
        return TopView(status: status, channels: none, keys: oneKey)
    }

    /// A mesh of 40 peers and twelve channels, with more events than a person can read.
    static var crowded: TopView {
        var view = view
        view.status.peers = (1...40).map { number in
            .sample("BELT \(number)", "0000-0000", 1, number == 3 ? "down" : "up", leader: true) {
                ($0.path, $0.rttMs, $0.quality, $0.talking) = ("direct", 2, 4.4, number == 33)
                ($0.levelDbfs, $0.retryInS, $0.failures) = (number == 33 ? -20 : -99, number == 3 ? 8 : nil, 0)
            }
        }
        let channel = view.channels.channels[0]
        view.channels.channels += (1...8).map { number in
            var other = channel
            (other.name, other.joined, other.talkKeys, other.talking) = ("spare \(number)", false, [], [])
            other.members = (1...20).map { "BELT \($0)" }
            return other
        }
        view.events += (1...30).map { TopView.Event(time: "14:04:00", text: "event \($0)") }
        view.eventsLeftOut = 12_345
        return view
    }

    private static let sizes = [(80, 24), (80, 25), (132, 50), (200, 12), (40, 10), (20, 5), (3, 2), (1, 1), (79, 7)]

    @Test("every row of the terminal is filled and none is too long, at every size", arguments: Self.sizes)
    func size(columns: Int, rows: Int) {
        var called = Self.crowded
        (called.status.node.calls, called.status.node.doNotDisturb) = (OpenCallTests.calls, true)
        for view in [Self.view, Self.alone, Self.crowded, called] {
            let lines = TopScreen(view, columns: columns, rows: rows, paint: .plain).lines
            #expect(lines.count == rows)
            for line in lines { #expect(Columns.width(line) <= columns, "\(line)") }
        }
    }

    @Test("no column is cut at any width from 60 to 140: who talks stands at the end of each row")
    func widths() {
        for columns in 60...140 {
            let lines = TopScreen(Self.view, columns: columns, rows: 30, paint: .plain).lines
            let wide = lines.filter { columns < Columns.width($0) }
            #expect(wide == [], "\(columns)")
            #expect(lines[1].hasSuffix(" in #####..... -31  out #######... -18"), "\(columns): \(lines[1])")
            let headings = lines.filter { $0.hasPrefix("  CHANNEL ") || $0.hasPrefix("  NAME ") }
            let words = headings.map { $0.split(separator: " ").filter { $0 != "ROLE" }.joined(separator: " ") }
            #expect(words == ["CHANNEL LEVEL EAR USE MEMBERS", "NAME STATE PATH RTT LOSS Q LEVEL T"], "\(columns)")
            #expect(headings.last?.contains(" ROLE ") == (68 <= columns), "\(columns)")
            for (mark, end) in [("> LX-DESK ", " ######.... -22 *"), ("< LX ", " ########.. -12 *")] {
                #expect(lines.contains { $0.hasPrefix(mark) && $0.hasSuffix(end) }, "\(columns): \(lines)")
            }
            #expect(lines.contains { $0.hasPrefix("< DIMMER ") && $0.hasSuffix(" -40 m") }, "\(columns): \(lines)")
        }
    }

    @Test("a closed mesh on the network has a line in the head, and a sentence for a screen reader")
    func closedMeshNear() {
        var view = Self.alone
        #expect(!TopChanges.all(view).contains(MeshAccess.closedMeshIsHere))
        view.status.node.closedMeshNear = true
        let lines = TopScreen(view, columns: 80, rows: 24, paint: .plain).lines
        #expect(lines.count == 24 && lines[3] == MeshAccess.closedMeshIsHere)
        #expect(TopChanges.all(view).contains(MeshAccess.closedMeshIsHere))
    }

    @Test("a taller terminal shows every channel and peer, and the latest events")
    func tall() {
        let lines = TopScreen(Self.crowded, columns: 100, rows: 80, paint: .plain).lines.joined(separator: "\n")
        for number in 1...40 { #expect(lines.contains(" BELT \(number) ")) }
        for number in 1...8 { #expect(lines.contains(" spare \(number) ")) }
        #expect(lines.contains("event 30\n") && !lines.contains("event 1\n"))
    }

    @Test("names that look alike once they are cut have their short ids")
    func alike() {
        var view = Self.view
        (view.status.peers[0].name, view.status.peers[1].name) = ("Stage manager", "Stage managex")
        let wide = TopScreen(view, columns: 100, rows: 30, paint: .plain).lines.joined(separator: "\n")
        #expect(wide.contains("> Stage manager ") && wide.contains("< Stage managex "))
        (view.status.peers[0].name, view.status.peers[1].name) = ("Stage manager left", "Stage manager right")
        let narrow = TopScreen(view, columns: 80, rows: 30, paint: .plain).lines.joined(separator: "\n")
        #expect(narrow.contains("> Sta~ 91c3-0b11 ") && narrow.contains("< Sta~ 5a0e-4411 "))
    }

    @Test("where rows are few, who talks and what is joined is shown first")
    func few() {
        let lines = TopScreen(Self.crowded, columns: 80, rows: 18, paint: .plain).lines.joined(separator: "\n")
        #expect(lines.contains("BELT 33") && lines.contains("> lights") && !lines.contains("BELT 40"))
    }

    @Test("the channels of the talk keys stand first, then the joined ones, then the others, whatever their names are")
    func channelOrder() {
        var view = Self.view
        let template = view.channels.channels[0]
        view.channels.channels = (1...9).map { number in
            var channel = template
            (channel.name, channel.joined, channel.talkKeys) = ("code:\(number)", number.isMultiple(of: 2), [])
            return channel
        }
        view.channels.channels.append(template)
        let lines = TopScreen(view, columns: 80, rows: 30, paint: .plain).lines
        let shown = lines.drop { !$0.hasPrefix("  CHANNEL") }.dropFirst().prefix { $0.contains("LX!") }
        let names = shown.map { $0.split(separator: " ").prefix(2).joined(separator: " ") }
        #expect(
            Array(names.prefix(5)) == ["> lights", "* code:2", "* code:4", "* code:6", "* code:8"], "\(lines)")
    }

    @Test("what the network sent cannot steer the terminal")
    func escapes() {
        let hostile = "a\u{1B}[2J\u{07}\u{202E}b\u{9B}31m\nc"
        var view = Self.view
        (view.status.node.name, view.status.node.channel, view.status.node.mesh) = (hostile, hostile, hostile)
        (view.status.health, view.trouble) = ([hostile], hostile)
        (view.status.audio.input, view.status.audio.talkMode) = (hostile, hostile)
        view.status.peers[0].name = hostile
        view.status.peers[1].path = hostile
        view.status.peers[2].state = hostile
        view.status.node.calls = OpenCallTests.calls
        (view.status.node.calls[1].name, view.status.node.calls[1].text) = (hostile, hostile)
        view.channels.channels[0].name = hostile
        view.channels.channels[0].members = [hostile]
        (view.keys.keys[0].name, view.keys.keys[0].mode, view.keys.keys[1].terminalKey) = (hostile, hostile, hostile)
        view.events = [TopView.Event(time: "14:00:00", text: hostile)]
        let lines =
            TopScreen(view, columns: 80, rows: 24, paint: .plain).lines + TopChanges.all(view)
            + TopChanges.between(Self.alone, view)
        let bad = lines.joined().unicodeScalars.filter {
            $0.value < 0x20 || (0x7F...0x9F).contains($0.value) || $0.value == 0x202E
        }
        #expect(bad.isEmpty)
    }

    @Test(
        "the plain form has a sentence for the state of a link",
        arguments: [
            ("up", "is linked"), ("verifying", "is linked, and silent at the moment"),
            ("connecting", "is being linked"),
            ("inviting", "is being linked"), ("awaitingInvite", "is being linked"),
            ("awaitingDecision", "waits for a person to decide about the link"),
            ("quarantined", "has no link, and is tried again from time to time"), ("down", "has no link"),
            ("newer", "is newer"),
        ])
    func states(state: String, sentence: String) {
        var view = Self.view
        (view.status.peers[1].state, view.status.peers[1].presence) = (state, "suspected")
        #expect(TopChanges.all(view).contains("LX \(sentence)"))
        view.status.peers[1].presence = "dead"
        #expect(TopChanges.all(view).contains("LX \(state == "down" ? "is dead" : sentence)"))
    }

    @Test("the plain form has a hidden channel while this node is on it, and the talkers there")
    func hiddenChannel() {
        var view = Self.view
        view.channels.channels[0].hidden = true
        let lines = TopChanges.all(view)
        #expect(lines.contains { $0.hasPrefix("channel lights: ") } && lines.contains("LX talks on lights"))
    }

    @Test("the plain form has the id of a peer whose name this node or another peer has too")
    func namesakes() {
        var view = Self.view
        (view.status.peers[0].name, view.status.peers[1].name) = (view.status.node.name, "OPS")
        view.status.peers[2].name = "OPS"
        let lines = TopChanges.all(view).joined(separator: "\n")
        for peer in view.status.peers.prefix(3) { #expect(lines.contains("\n\(peer.name) (\(peer.shortId)) ")) }
    }

    @Test("the plain form marks a peer whose name is known under another key, and tells on which channel it talks")
    func suspect() {
        var view = Self.view
        view.status.peers[1].otherKey = "ID2"
        // As the node lists it.
        view.channels.channels[0].talking = ["?LX"]
        let lines = TopChanges.all(view)
        #expect(lines.contains("?LX is linked") && lines.contains("?LX talks on lights"), "\(lines)")
        // Before a node knows the name of a peer, it lists the id.
        (view.status.peers[1].otherKey, view.status.peers[1].name) = (nil, "")
        view.channels.channels[0].talking = ["5a0e-4411"]
        #expect(TopChanges.all(view).contains("5a0e-4411 talks on lights"))
    }

    @Test("the second line of a talk key stands where it does, also below a name in wide letters")
    func wideKey() {
        var keys = Self.keys
        keys.keys[0].name = "調光"
        #expect(KeysTable(keys, paint: .plain).lines[2] == KeysTable(Self.keys, paint: .plain).lines[2])
    }

    @Test("colour adds no columns")
    func colour() {
        let plain = TopScreen(Self.view, columns: 80, rows: 24, paint: .plain).lines
        let coloured = TopScreen(Self.view, columns: 80, rows: 24, paint: .coloured).lines
        #expect(coloured != plain)
        #expect(coloured.map { $0.replacing(/\u{1B}\[[0-9;]+m/, with: "") } == plain)
    }

    @Test("a peer's name is in the peer's colour, and the rest of the row in its tone")
    func ownColour() {
        let lines = TopScreen(Self.view, columns: 80, rows: 24, paint: .coloured).lines
        #expect(lines.contains { $0.contains("\u{1B}[38;5;214mLX            \u{1B}[0m") })
    }

    @Test("a node with a single key has no row of keys, and eight keys take two rows")
    func keyRows() {
        var view = Self.alone
        func rows() -> [String] {
            TopScreen(view, columns: 80, rows: 24, paint: .plain).lines.dropFirst(2).prefix {
                $0.hasPrefix("keys ") || $0.hasPrefix("     ")
            }
        }
        view.keys.keys = Array(Self.keys.keys.prefix(1))
        #expect(rows() == [])
        view.keys.keys = Self.keys.keys + Self.keys.keys
        #expect(rows().count == 2 && rows().last?.hasSuffix(" +2") == true)
    }

    @Test("the second row tells where the keys that are down speak, each target once")
    func targets() {
        var view = Self.view
        for index in view.keys.keys.indices { view.keys.keys[index].talking = index != 1 }
        view.keys.keys[3].channels = view.keys.keys[0].channels
        let row = TopScreen(view, columns: 120, rows: 24, paint: .plain).lines[1]
        #expect(row.contains(" on lights, @OPS (not linked), reply to LX, all "))
    }

    @Test("the second row has the mode of each key that talks, and of the first key while this node is silent")
    func talkModes() {
        var view = Self.view
        view.keys.keys[3].mode = "latch"
        func row() -> String { TopScreen(view, columns: 120, rows: 24, paint: .plain).lines[1] }
        (view.keys.keys[0].talking, view.keys.keys[3].talking) = (false, true)
        #expect(row().hasPrefix(" TALKING  latch on all "), "\(row())")
        (view.keys.keys[0].talking, view.keys.keys[1].talking) = (true, true)
        #expect(row().hasPrefix(" TALKING  ptt+latch on lights, gone (no such channel), all "), "\(row())")
        for index in view.keys.keys.indices { view.keys.keys[index].talking = false }
        view.status.audio.talking = false
        #expect(row().hasPrefix(" silent  ptt on lights "), "\(row())")
    }

    @Test("a node that does not answer is shown as such, above all other trouble")
    func trouble() {
        var view = Self.view
        view.trouble = "the node did not answer within 1.0 s"
        #expect(TopScreen(view, columns: 80, rows: 24, paint: .plain).lines.contains("! " + (view.trouble ?? "")))
    }
}

@Suite("The level meter")
struct LevelMeterTests {
    @Test(
        "six decibels a character, from -60 to full scale",
        arguments: [
            (nil, ".........."), (-Double.infinity, ".........."), (-.nan, ".........."), (-60, ".........."),
            (-30, "#####....."), (-6, "#########."), (0, "##########"), (20, "##########"),
        ] as [(Double?, String)])
    func meter(level: Double?, text: String) { #expect(LevelMeter.text(level) == text) }
}
