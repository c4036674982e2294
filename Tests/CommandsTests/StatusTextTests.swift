import Commands
import NodeRuntime
import Testing

@Suite("Status as text")
struct StatusTextTests {
    static var status: StatusDocument {
        var status = StatusDocument(
            json: #"""
                {
                  "schema": "partyline.status/1",
                  "node": {
                    "name": "FOH", "profile": {}, "id": "ID", "short_id": "4f2a-91c0", "instance": 17, "boot": "0",
                    "uptime_s": 8040, "mesh": "partyline", "mesh_closed": false, "left_behind": false,
                    "closed_mesh_near": false, "admission": "open", "calls": [], "do_not_disturb": false,
                    "channel": "main", "channels": ["main"],
                    "listen": ["192.0.2.1:7400"],
                    "control": "/s", "guest": false,
                    "version": "0.1.0", "advertised": true, "warnings": []
                  },
                  "audio": {
                    "input": "alsa:default", "output": "alsa:default", "state": "running", "talk_mode": "ptt",
                    "talk_modes": [], "talking": false, "key_count": 1, "keys_down": [], "profile": "low",
                    "period_ms": 5, "buffer_ms": 10, "frame_ms": 5, "bitrate_kbps": 64, "encoder_why": "as asked",
                    "xruns_capture": 0, "xruns_playback": 2,
                    "level_in_dbfs": -31, "level_out_dbfs": -18.4, "dim_db": 0, "real_time": "yes"
                  },
                  "mesh": {
                    "peers_known": 4, "links_up": 3, "clique_complete": false, "digest_agree": 3, "local_health": 0,
                    "pairs_relayed": 0, "counters": {"ghosts_dropped": 2}
                  },
                  "discovery": {"avahi": "running", "beacon": "quiet"},
                  "health": ["peer DIMMER: loss 7.1 % in"], "peers": [],
                  "matrix": {"ids": [], "names": [], "rows": []}
                }
                """#)
        status.peers = [
            .sample("LX-DESK", "91c3-0b11", 42, "up", leader: true) {
                $0.path = "direct"
                ($0.rttMs, $0.jitterMs, $0.lossInPct, $0.lossOutPct, $0.bufferMs) = (0.6, 0.2, 0, 0, 20)
                ($0.quality, $0.levelDbfs, $0.talking) = (4.4, -22, true)
                $0.voiceOut = StatusDocument.Peer.VoiceOut(
                    json: #"{"copies_at": [1], "frames_per_packet": 1, "why": "no loss, 1 copy 1 packet later"}"#)
            },
            .sample("DIMMER", "2be0-7701", 9, "up", leader: false) {
                $0.path = "via LX-DESK"
                ($0.rttMs, $0.jitterMs, $0.lossInPct, $0.lossOutPct, $0.bufferMs) = (8, 6.1, 7.1, 0.4, 60)
                ($0.quality, $0.levelDbfs, $0.muted) = (3.7, -40, true)
                $0.voiceOut = StatusDocument.Peer.VoiceOut(
                    json: #"{"copies_at": [1, 2], "frames_per_packet": 1, "#
                        + #""why": "prepared for 7 % loss, 2 copies 1,2 packets later"}"#)
            },
            .sample("OPS", "0a77-ffff", 5, "down", leader: true) {
                ($0.retryInS, $0.failures, $0.lastFailure) = (4, 4, "refused")
            },
        ]
        return status
    }

    @Test("volume, priority and a chosen pan of a peer have a line below the peers; what is as at first has none")
    func heard() {
        var status = Self.status
        let mix = StatusDocument.Peer.Mix(json: #"{"pan": -40, "pan_auto": true, "priority": false, "loudness_db": 3}"#)
        (status.peers[0].mix, status.peers[1].mix) = (mix, mix)
        #expect(!StatusText(status, paint: .plain).lines.contains { $0.hasPrefix("heard") })
        (status.peers[0].gainDb, status.peers[2].gainDb) = (-60, -6)
        status.peers[1].mix?.priority = true
        status.peers[1].mix?.panAuto = false
        let line = "heard   LX-DESK -60.0 dB  DIMMER priority, pan -40"
        #expect(StatusText(status, paint: .plain).lines.contains(line), "OPS is not linked")
        #expect(PeerTable(status.peers, paint: .plain).lines.last == line)
    }

    @Test("a name that is known under another key has a mark, and the keys for which the person vouches have a line")
    func keys() {
        var status = Self.status
        status.peers[0].otherKey = "ID2"
        (status.peers[0].recording, status.peers[0].talksTo, status.peers[0].profile.role) = (true, "you", "light")
        (status.peers[1].trust, status.peers[2].trust) = ("verified", "trusted")
        let lines = StatusText(status, paint: .plain).lines
        #expect(lines.contains { $0.hasPrefix("> ?LX-DESK     91c3-0b11") })
        #expect(lines.contains("keys    verified: DIMMER"), "OPS is not linked")
        #expect(lines.contains("talk    privately to you: ?LX-DESK") && lines.contains("record  by ?LX-DESK"))
        #expect(lines.contains("roles   ?LX-DESK: light"))
        #expect(lines.contains("sending to ?LX-DESK: no loss, 1 copy 1 packet later"))
        #expect(LiveLine.text(status, columns: 200).contains("?LX-DESK (privately) talking"))
    }

    /// The line `voice` of a status whose part about the own voice was changed.
    private static func voice(_ change: (inout StatusDocument.Speaking) -> Void) -> [String] {
        var status = Self.status
        var speaking = StatusDocument.Speaking(
            json: #"{"stages": [], "level_before_dbfs": -40, "coughing": false, "key_stuck": false}"#)
        change(&speaking)
        status.audio.speaking = speaking
        return StatusText(status, paint: .plain).lines.drop { !$0.hasPrefix("voice") }.prefix {
            $0.hasPrefix("voice") || $0.hasPrefix(" ")
        }
    }

    @Test("the own voice has a line where there is something to say")
    func speaking() {
        #expect(Self.voice { _ in }.isEmpty)
        #expect(Self.voice { $0.voiceHeard = false } == ["voice   vox closed"])
        #expect(
            Self.voice { ($0.coughing, $0.floor) = (true, "taken") } == ["voice   COUGH: microphone off  floor taken"])
        #expect(Self.voice { $0.keyStuck = true } == ["voice   KEY STUCK: let go until it has been up"])
        let all = Self.voice {
            $0.stages = ["echo-cancel", "denoise", "high-pass", "howl-guard", "gate", "agc"]
            ($0.gateOpen, $0.agcDb, $0.howls, $0.howlDb, $0.sideToneDb) = (true, 4.2, 2, -12, -20)
        }
        #expect(
            all == [
                "voice   before -40 dBFS  echo-cancel  denoise  high-pass  howls 2 -12 dB",
                "        gate open  agc 4 dB  side tone -20 dB",
            ])
    }

    @Test("a healthy node alone says so in few lines")
    func alone() {
        var status = Self.status
        status.health = []
        status.peers = []
        status.mesh.counters = [:]
        (status.mesh.peersKnown, status.mesh.linksUp, status.mesh.digestAgree) = (0, 0, 0)
        status.mesh.cliqueComplete = true
        let lines = StatusText(status, paint: .plain).lines
        #expect(lines.first == "health  ok  open mesh: anybody on this network can listen")
        #expect(lines.last == "no peers known yet" && lines.contains("mesh    nobody else to link with"))
        #expect(LiveLine.text(status, columns: 40).contains("  open mesh  "))
        (status.node.mesh, status.node.meshClosed) = ("crew", true)
        let closed = StatusText(status, paint: .plain).lines
        #expect(closed.first == "health  ok  closed mesh crew: everybody here has proved its secret")
        #expect(LiveLine.text(status, columns: 40).contains("  closed mesh  "))
        status.node.pairing = StatusDocument.Node.Pairing(openS: 245.4, triesLeft: 2)
        #expect(
            StatusText(status, paint: .plain).lines[1]
                == "pairing open for 4:05  2 failures close it  partyline code pair --close")
        (status.node.pairing, status.node.leftBehind) = (nil, true)
        let left = StatusText(status, paint: .plain).lines
        #expect(left.first == "health  ok  closed mesh crew: left behind, its code was changed")
    }

    @Test("while lost peers are missed, the links are not called those of all")
    func split() {
        var status = Self.status
        func meshLine() -> String? {
            StatusText(status, paint: .plain).lines.first { $0.hasPrefix("mesh ") }
        }
        (status.mesh.linksUp, status.mesh.peersKnown, status.mesh.cliqueComplete) = (1, 1, true)
        #expect(meshLine()?.hasPrefix("mesh    1 of 1 links  all pairs linked  ") == true)
        status.mesh.split = LostPeers.warning(lost: ["LX", "SM"], of: 3, since: "14:03")
        #expect(status.mesh.split == "the mesh has split: 2 of 3 peers lost since 14:03 (LX, SM)")
        #expect(meshLine()?.hasPrefix("mesh    1 of 1 links  the 2 that are left hear each other  ") == true)
        (status.mesh.linksUp, status.mesh.peersKnown) = (0, 0)
        #expect(meshLine()?.hasPrefix("mesh    no other node is in reach") == true)
        (status.mesh.linksUp, status.mesh.peersKnown, status.mesh.split) = (1, 1, nil)
        status.mesh.lost = LostPeers.warning(alone: [(name: "LX", since: "14:03"), (name: "SM", since: "14:07")])
        #expect(
            status.mesh.lost == "lost without a good-bye: LX since 14:03, SM since 14:07; "
                + "if one is gone for good: `partyline forget NAME`")
        #expect(meshLine()?.hasPrefix("mesh    1 of 1 links  the 2 that are left hear each other  ") == true)
    }

    @Test("a warning that the health names stands in the status once")
    func once() {
        var status = Self.status
        status.health = ["nothing is kept"]
        status.node.warnings = ["nothing is kept", "a bad network is simulated"]
        let lines = StatusText(status, paint: .plain).lines
        #expect(lines.filter { $0.contains("nothing is kept") } == ["      - nothing is kept"])
        #expect(lines.contains("note    a bad network is simulated"))
    }

    @Test("the words on who can listen are never cut: a terminal gets two lines, other output one")
    func access() {
        var status = Self.status
        (status.node.mesh, status.node.meshClosed, status.node.admission) = ("boat", true, "ask")
        let lines = StatusText(status, paint: .plain).lines
        #expect(lines[0] == "health  degraded  closed mesh boat: everybody here has proved its secret; this")
        #expect(lines[1] == "                  node asks you too")
        let whole = StatusText(status, paint: .plain, isForTerminal: false).lines[0]
        #expect(whole.hasSuffix("; this node asks you too"))
    }

    @Test("a closed mesh on the network has a line below the health, with the command that enters it")
    func closedMeshNear() {
        var status = Self.status
        #expect(!StatusText(status, paint: .plain).lines.contains { $0.contains("closed mesh") })
        (status.health, status.mesh.cliqueComplete, status.node.closedMeshNear) = ([], true, true)
        #expect(StatusText(status, paint: .plain).lines[1] == "note    " + MeshAccess.closedMeshIsHere)
        (status.node.closedMeshNear, status.peers[2].lastFailure) = (false, FailureText.otherMesh)
        let lines = StatusText(status, paint: .plain).lines
        #expect(lines[1].hasPrefix("note    OPS is in a closed mesh, or in an open one of another name;"))
        #expect(lines.contains { $0.hasPrefix("x OPS ") && $0.contains("is not in your mesh, retry 4s") })
        status.node.meshClosed = true
        #expect(!StatusText(status, paint: .plain).lines.contains { $0.contains("open one of another name") })
    }

    @Test("no figure, name or sentence makes a line wider than 80 columns")
    func width() {
        var status = Self.status
        let long = String(repeating: "wide 漢字 ", count: 40)
        status.node.name = long
        (status.node.mesh, status.node.meshClosed) = (long, true)
        status.health = [long, String(repeating: "x", count: 300)]
        status.node.warnings = [long + "!"]
        status.node.listen = Array(repeating: "[2001:db8:1234:5678:9abc:def0:1234:5678]:65535", count: 5)
        status.audio.input = long
        status.audio.levelInDbfs = -.infinity
        status.mesh.counters = ["a_rather_long_counter": .max, "b": .max, "another_counter_of_the_mesh": .max]
        status.peers = ["up", "verifying", "awaitingDecision", "quarantined", "down", long].map { state in
            .sample("漢字漢字漢字漢字漢字", long, .max, state, leader: true) {
                $0.path = long
                ($0.rttMs, $0.jitterMs, $0.lossInPct, $0.lossOutPct) = (1e9, 123_456, 100, 99.96)
                ($0.bufferMs, $0.quality, $0.levelDbfs, $0.talking) = (1e9, 1e9, -400, true)
                ($0.retryInS, $0.failures, $0.lastFailure) = (1e9, .max, long)
            }
        }
        let lines = StatusText(status, paint: .plain).lines + PeerTable(status.peers, paint: .plain).lines
        for line in lines { #expect(Columns.width(line) <= 80, "\(line)") }
    }

    @Test("what the network sent cannot steer the terminal")
    func escapes() {
        var status = Self.status
        let hostile = "a\u{1B}[2J\u{07}\u{202E}b\u{9B}31m\nc"
        status.node.name = hostile
        status.node.channel = hostile
        status.node.calls = OpenCallTests.calls
        (status.node.calls[1].name, status.node.calls[1].channel, status.node.calls[1].text) = (
            hostile, hostile, hostile
        )
        status.health = [hostile]
        status.peers[0].name = hostile
        status.peers[0].path = hostile
        status.peers[2].lastFailure = hostile
        status.matrix = StatusDocument.Matrix.sample(ids: [hostile], names: [hostile], rows: [])
        let lines =
            StatusText(status, paint: .plain).lines + MatrixText(status.matrix, paint: .plain).lines
            + [LiveLine.text(status, columns: 200)]
        let bad = lines.joined().unicodeScalars.filter {
            $0.value < 0x20 || (0x7F...0x9F).contains($0.value) || $0.value == 0x202E
        }
        #expect(bad.isEmpty)
    }

    @Test("colour adds no columns and only where it is asked for")
    func colour() {
        let plain = StatusText(Self.status, paint: .plain).lines.joined()
        let coloured = StatusText(Self.status, paint: .coloured).lines.joined()
        #expect(!plain.contains("\u{1B}"))
        #expect(coloured.contains("\u{1B}[31mdegraded\u{1B}[0m"))
        #expect(coloured.replacing(/\u{1B}\[[0-9]+m/, with: "") == plain)
    }

    @Test("roles stand below the table, and a name has its peer's colour")
    func roles() {
        var status = Self.status
        (status.node.profile.role, status.peers[0].profile.role, status.peers[0].profile.colour) = (
            "sound", "lighting", "#e53935"
        )
        (status.peers[1].profile.role, status.peers[2].profile.colour) = ("dimmers", "nonsense")
        let lines = StatusText(status, paint: .plain).lines
        #expect(lines.contains("roles   LX-DESK: lighting  DIMMER: dimmers"))
        #expect(lines.contains { $0.hasPrefix("node    FOH  sound  4f2a-91c0") })
        let coloured = PeerTable(status.peers, paint: .coloured).lines
        #expect(coloured[1].contains("\u{1B}[38;5;167mLX-DESK     \u{1B}[0m"))
        #expect(coloured[3].contains("\u{1B}[31mOPS         \u{1B}[0m"))
    }

    @Test("all channels stand in the line of the node, and where the talk key speaks if that is not on all")
    func channels() {
        func line(_ channels: [String], _ talked: String) -> String {
            var status = Self.status
            (status.node.channels, status.node.channel) = (channels, talked)
            let lines = StatusText(status, paint: .plain).lines.drop { !$0.hasPrefix("node") }
            return lines.prefix { !$0.hasPrefix("listen") }.joined(separator: "\n")
        }
        #expect(line(["main"], "main").hasSuffix("mesh partyline  on main"))
        let several = line(["main", "fly", "music"], "fly")
        #expect(several.hasSuffix("mesh partyline\non      main  fly  music  talks on fly"))
        #expect(line(["main", "fly"], "main, fly").hasSuffix("\non      main  fly"))
        #expect(line([], "").hasSuffix("\non      no channel") && line(["fly"], "").hasSuffix("fly  talks on none"))
        let many = line((1...14).map { "a channel of many: \($0)" }, "")
        #expect(many.split(separator: "\n").allSatisfy { Columns.width(String($0)) <= 80 } && many.contains(" 14"))
    }

    @Test("while the node talks, its sound has the modes of the keys that talk, and not that of the first key")
    func talkModes() {
        var status = Self.status
        (status.audio.talking, status.audio.talkModes) = (true, ["latch", "smart"])
        #expect(StatusText(status, paint: .plain).lines.contains { $0.contains("talk ON (latch+smart)") })
    }

    @Test("private talk and talk to all are marked in the row, and have a line below the table")
    func directTalk() {
        var status = Self.status
        (status.peers[0].talksTo, status.peers[1].talksTo, status.peers[1].muted) = ("you", "all", false)
        let lines = StatusText(status, paint: .plain).lines
        #expect(lines.contains("talk    privately to you: LX-DESK") && lines.contains("talk    to all: DIMMER"))
        #expect(lines.contains { $0.contains("LX-DESK ") && $0.hasSuffix(" P") })
        #expect(lines.contains { $0.contains("DIMMER ") && $0.hasSuffix(" A") })
        #expect(LiveLine.text(status, columns: 200).contains("LX-DESK (privately) talking"))
    }

    @Test("a mesh with missing links names the pairs, three at most")
    func missingLinks() {
        var status = Self.status
        #expect(MissingLinks.sentence(status) == "not linked: this node with OPS")
        status.peers.append(.sample("", "1f8f-b950", nil, "quarantined", leader: true) { $0.failures = 5 })
        status.peers.append(.sample("pest", "1f8f-b951", 1, "down", leader: true) { $0.trust = "denied" })
        #expect(MissingLinks.sentence(status) == "not linked: this node with OPS", "strangers are not missed")
        let cell = { (path: String) in StatusDocument.Cell.sample(path) }
        status.matrix = .sample(
            ids: ["4f2a-91c0", "a", "b", "c"], names: ["FOH", "LX", "SM", ""],
            rows: [
                [cell("self"), cell("direct"), cell("direct"), cell("direct")],
                [cell("direct"), cell("self"), cell("none"), cell("none")],
                [cell("direct"), cell("direct"), cell("self"), cell("none")],
                [cell("direct"), cell("unknown"), cell("unknown"), cell("self")],
            ])
        #expect(
            MissingLinks.sentence(status) == "not linked: this node with OPS, LX with SM, LX with c, and 1 more pair")
        status.mesh.linksUp = status.mesh.peersKnown
        #expect(MissingLinks.sentence(status) == "not linked: LX with SM, LX with c, SM with c")
        status.matrix.rows[1...2] = [status.matrix.rows[0], status.matrix.rows[0]]
        #expect(MissingLinks.sentence(status) == "it is not known yet with whom these are linked: c")
        status.mesh.cliqueComplete = true
        #expect(MissingLinks.sentence(status) == nil)
    }

    @Test("the reason why a peer has no link is in plain words, which fit their column; other words stay")
    func plainFailures() {
        var peer = Self.status.peers[2]
        for (failure, words) in [
            ("refused: wrongCode", "has another code, retry 4s"), ("dial: refused", "nothing listens there, retry 4s"),
            ("refused: noProof", "has another code, retry 4s"), ("newer words", "newer words, retry 4s, 4 failed"),
            (FailureText.keptOut, "is not let in here, retry 4s"),
        ] {
            peer.lastFailure = failure
            #expect(PeerTable([peer], paint: .plain).lines[1].hasSuffix(words))
        }
        peer.asksSinceS = 3
        #expect(PeerTable([peer], paint: .plain).lines[1].hasSuffix("asks to be let in, retry 4s"))
        #expect(FailureText.all.count == 30)
        for failure in FailureText.all {
            let words = FailureText.brief(failure) ?? ""
            #expect(!words.isEmpty && Columns.width(words) <= FailureText.briefColumns, "\(failure)")
        }
    }

    @Test("the matrix shows who hears whom")
    func matrix() {
        let cell = { (path: String, loss: Double?) in StatusDocument.Cell.sample(path, lossPct: loss) }
        let matrix = StatusDocument.Matrix.sample(
            ids: ["4f2a-91c0", "91c3-0b11"], names: ["FOH", "LX-DESK"],
            rows: [[cell("self", nil), cell("direct", 5)], [cell("none", nil), cell("self", nil)]])
        let lines = MatrixText(matrix, paint: .plain).lines
        #expect(
            Array(lines.prefix(3)) == [
                "                             1   2", " 1 FOH          4f2a-91c0    .  d5",
                " 2 LX-DESK      91c3-0b11    X   .",
            ])
    }

    @Test(
        "each way has its letter",
        arguments: [("direct", "d"), ("via", "v"), ("carrier", "c"), ("none", "X"), ("self", "."), ("unknown", "?")])
    func letters(path: String, letter: Character) {
        let matrix = StatusDocument.Matrix.sample(ids: ["a"], names: ["A"], rows: [[.sample(path)]])
        #expect(MatrixText(matrix, paint: .plain).lines[1].last == letter)
    }

    @Test("a matrix of 64 nodes fits, block by block")
    func largeMatrix() {
        let ids = (0..<64).map { "\($0)" }
        let cell = StatusDocument.Cell.sample("direct", lossPct: 100)
        let matrix = StatusDocument.Matrix.sample(ids: ids, names: ids, rows: ids.map { _ in ids.map { _ in cell } })
        for line in MatrixText(matrix, paint: .plain).lines { #expect(Columns.width(line) <= 80) }
    }

    @Test("the live line fits the terminal", arguments: [0, 20, 80, 200])
    func liveLine(columns: Int) {
        let text = LiveLine.text(Self.status, columns: columns)
        #expect(Columns.width(text) < (columns == 0 ? 80 : columns))
        #expect(text.hasPrefix("-----  "))
    }

    @Test("in 80 columns the live line still says which key talks; the peers are named where they fit")
    func liveLineKeys() {
        var status = Self.status
        (status.health, status.node.name) = ([], "Stage left, upper floor")
        for index in status.peers.indices { status.peers[index].talking = false }
        let narrow = LiveLine.text(status, columns: 80)
        #expect(narrow.hasSuffix("space talks, c coughs, q ends") && !narrow.contains("in -"))
        let wide = LiveLine.text(status, columns: 200)
        #expect(wide.contains("LX-DESK") && wide.contains("Stage left") && wide.contains("in -"))
    }
}
