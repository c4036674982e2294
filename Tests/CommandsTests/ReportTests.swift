import Commands
import ControlPlane
import NodeRuntime
import Testing

@Suite("Report for those who help")
struct ReportTests {
    /// A report in which every name, address and path stands in a field and in a sentence.
    private static let report = ReportTree(
        json: #"""
            {
              "version": "0.1.0", "running": true,
              "system": {
                "kernel": "Linux 6.1.0", "machine": "x86_64", "distribution": "Debian 12", "swift": "6.3",
                "processors": 8
              },
              "settings": {
                "nick": ["Anna Berg"], "mesh": ["Quinquereme"], "crew": ["/homes/anna/show.toml"],
                "code-file": ["/homes/anna/code"], "peer": ["192.0.2.17:7400"], "reach": ["10.20.0.0/16"],
                "role": ["Oberspielleiter"], "channel": ["xylograph"], "talk": ["vox"], "input": ["file:anna.wav"],
                "log-level": ["info"], "period": ["2.5"], "colour": ["#a1b2c3"], "key": ["Regiepult"]
              },
              "devices": {"inputs": [{"name": "alsa:hw:0,0", "text": "USB Audio", "in_use": true}], "outputs": []},
              "status": {
                "schema": "partyline.status/1",
                "node": {
                  "name": "Anna Berg", "id": "OWN-ID", "short_id": "4f2a-91c0", "boot": "c0ffee", "instance": 3,
                  "profile": {"nick": "Anna Berg", "role": "Oberspielleiter"}, "mesh": "Quinquereme",
                  "mesh_closed": true, "left_behind": false, "closed_mesh_near": false, "admission": "open",
                  "channel": "main, xylograph", "channels": ["main", "xylograph"],
                  "channels_not_joined": ["code:Vestibül"],
                  "listen": ["0.0.0.0:7400", "[2001:db8::5]:7400"], "control": "/run/user/1000/partyline/anna.sock",
                  "version": "0.1.0", "warnings": ["the control socket is /run/user/1000/partyline/anna.sock: taken"],
                  "duplicate": "another node runs with the identity of this one, at 10.20.3.4 since 14:03",
                  "reload": ["the last reload has changed nothing: /homes/anna/show.toml:3: unknown key '…'"]
                },
                "audio": {
                  "input": "file:/homes/anna/in.wav", "output": "alsa:default", "state": "running", "talk_mode": "vox",
                  "keys_down": ["Regiepult"], "profile": "low", "encoder_why": "as asked; Bert is far away",
                  "recording": "/homes/anna/show", "real_time": "capture yes; playback yes",
                  "speaking": {"stages": ["gate", "pitch -4"], "floor": "free"}
                },
                "mesh": {
                  "counters": {"ghosts_dropped": 2}, "links_up": 1,
                  "lost": "lost without a good-bye: Bert since 14:03; if one is gone for good: `partyline forget NAME`",
                  "split": "the mesh has split: 1 of 2 peers lost since 14:03 (Cäcilie)"
                },
                "discovery": {"avahi": "off", "beacon": "on wlx00c0ca123456", "peers": "192.0.2.17:7400"},
                "health": [
                  "peer Bert: no direct way, voice goes via Cäcilie",
                  "10.20.3.4 refused /srv/anna/x and 5e:1f:00:aa:bb:cc",
                  "channel xylograph was renamed to bass viol: `partyline join 'bass viol'` goes there",
                  "channel code:Vestibül needs its code: `partyline join 'code:Vestibül'` asks for it",
                  "talk key 'Regiepult' speaks on channel Orgelboden, which is not known here"
                ],
                "peers": [
                  {
                    "name": "Bert", "id": "BERT-ID", "short_id": "91c3-0b11", "state": "up", "presence": "present",
                    "path": "via Cäcilie", "carrier_via": "Cäcilie", "link": "3/9#1", "endpoint": "192.0.2.17:7400",
                    "codec": "opus 64k/5ms", "last_failure": "192.0.2.17 does not answer", "rtt_ms": 0.6,
                    "profile": {"nick": "Bert", "colour": "#a1b2c3"}, "voice_out": {"why": "1 copy for Bert"}
                  },
                  {"name": "Cäcilie", "id": "CAE-ID", "short_id": "2be0-7701", "state": "verifying"}
                ],
                "matrix": {
                  "ids": ["4f2a-91c0", "91c3-0b11"], "names": ["Anna Berg", "Bert"],
                  "rows": [[{"path": "self"}, {"path": "direct"}], [{"path": "direct"}, {"path": "self"}]]
                }
              },
              "channels": [
                {
                  "name": "xylograph", "id": "0badc0de", "creator": "91c3-0b11", "creator_name": "Bert",
                  "members": ["Bert"], "ear": "both", "level_db": -6, "talk_keys": ["Regiepult"]
                },
                {"name": "bass viol", "members": [], "joined": false}
              ],
              "keys": [
                {
                  "name": "Regiepult", "terminal_key": "9", "mode": "vox", "reaches": ["Bert"],
                  "channels": [{"name": "Orgelboden", "exists": true}], "peers": [{"name": "Bert", "linked": true}]
                }
              ],
              "events": [
                {
                  "schema": "partyline.event/1", "station": "Anna Berg", "sequence": 7, "at_unix_s": 1700000000.5,
                  "uptime_s": 3, "kind": "peer_up", "peer": "2be0-7701", "name": "Cäcilie",
                  "text": "Cäcilie is here", "details": {"instance": "4"}
                },
                {
                  "sequence": 8, "at_unix_s": 1700000001, "kind": "call", "peer": "0a77-ffff", "name": "Dora",
                  "text": "Dora calls channel xylograph: hurry up",
                  "details": {
                    "call": "9c0d", "target": "channel", "channel": "xylograph", "text": "hurry up",
                    "urgent": "false", "shown": "true"
                  }
                },
                {
                  "sequence": 9, "at_unix_s": 1700000002.25, "kind": "device_lost",
                  "text": "input alsa:hw:1,0 is lost: it is gone",
                  "details": {"side": "input", "device": "alsa:hw:1,0", "reason": "it is gone"}
                }
              ],
              "found": {
                "nodes": [
                  {
                    "name": "Bert", "id": "BERT-ID", "short_id": "91c3-0b11", "why": "refused", "text": "Bert refused",
                    "addresses": ["192.0.2.17:7400", "[fe80::7%eth0]:7400"]
                  }
                ],
                "meshes": [{"name": "Trireme", "addresses": ["192.0.2.99:7400"], "signs": ["beacon"]}]
              },
              "doctor": {
                "mesh": "Quinquereme",
                "checks": [
                  {
                    "verdict": "warn", "subject": "mesh", "finding": "/homes/anna/config.toml:3 names the mesh Trireme",
                    "remedy": "partyline run --peer 192.0.2.17:7400"
                  }
                ]
              }
            }
            """#)

    /// Whatever tells of somebody in `report`.
    private static let secrets = [
        "Anna", "anna", "Berg", "Bert", "Cäcilie", "Oberspielleiter", "Quinquereme", "Trireme", "xylograph",
        "Regiepult", "bass viol", "Orgelboden", "Vestibül", "0badc0de", "Dora", "0a77", "hurry",
        "OWN-ID", "BERT-ID", "CAE-ID", "4f2a", "91c3", "2be0", "c0ffee", "192.0.2", "2001:db8", "fe80", "10.20",
        "/homes", "/srv", "/run/user", "00c0ca123456", "5e:1f", "a1b2c3",
    ]

    private static func lines(keepsNames: Bool = false) -> [String] {
        var redaction = ReportRedaction(keepsNames: keepsNames)
        return ReportText.lines(redaction.shown(report), redacted: !keepsNames)
    }

    @Test("no name, address, NodeID or path is left, in the text and in the document")
    func secrets() {
        var redaction = ReportRedaction(keepsNames: false)
        let shown = redaction.shown(Self.report)
        let document = String(decoding: DocumentJSON.bytes(of: shown), as: UTF8.self)
        for text in [Self.lines().joined(separator: "\n"), document] {
            for secret in Self.secrets { #expect(!text.contains(secret), "\(secret)") }
        }
    }

    @Test("every secret of the sample is in it, and --names keeps most")
    func names() {
        let whole = String(decoding: DocumentJSON.bytes(of: Self.report), as: UTF8.self)
        for secret in Self.secrets { #expect(whole.contains(secret), "\(secret)") }
        let kept = Self.lines(keepsNames: true).joined(separator: "\n")
        for name in ["Bert", "192.0.2.17:7400", "/homes/anna/show", "Quinquereme"] { #expect(kept.contains(name)) }
    }

    @Test("a text in any field is left out or replaced, but for sentences of the program")
    func planted() {
        var (places, count): ([String: String], Int) = ([:], 0)
        func plant(_ tree: ReportTree, at place: String) -> ReportTree {
            switch tree {
            case .object(let fields):
                return .object(
                    Dictionary(uniqueKeysWithValues: fields.map { ($0, plant($1, at: "\(place).\($0)")) }))
            case .list(let list): return .list(list.map { plant($0, at: place) })
            case .text:
                count += 1
                places["Zq\(count)x"] = place
                return .text("Zq\(count)x")
            case .number, .flag: return tree
            }
        }
        var redaction = ReportRedaction(keepsNames: false)
        let shown = redaction.shown(plant(Self.report, at: ""))
        let document = String(decoding: DocumentJSON.bytes(of: shown), as: UTF8.self)
        let left = Set(places.filter { document.contains($0.key + "\"") }.map(\.value))
        #expect(70 < count)
        #expect(
            left.sorted() == [
                ".devices.inputs.name", ".devices.inputs.text", ".doctor.checks.finding", ".doctor.checks.remedy",
                ".doctor.checks.subject", ".events.details.device", ".events.details.reason", ".found.nodes.text",
                ".settings.input", ".status.audio.encoder_why",
                ".status.audio.input", ".status.audio.output", ".status.audio.real_time", ".status.audio.state",
                ".status.discovery.avahi", ".status.discovery.beacon", ".status.discovery.peers", ".status.health",
                ".status.mesh.lost", ".status.mesh.split", ".status.node.duplicate", ".status.node.reload",
                ".status.node.warnings", ".status.peers.last_failure", ".status.peers.path",
                ".status.peers.voice_out.why", ".system.distribution", ".system.kernel", ".system.machine",
            ])
    }

    @Test("the path of a sound file is replaced as a whole, also with blanks, in its field and in sentences")
    func blanks() {
        let path = "/srv/bert/Secret Show/mic one.wav"
        let report = ReportTree.object([
            "settings": .object(["input": .list([.text("file:\(path)")])]),
            "status": .object(["health": .list([.text("\(path): no such file, so file:\(path) is silent")])]),
        ])
        var redaction = ReportRedaction(keepsNames: false)
        let document = String(decoding: DocumentJSON.bytes(of: redaction.shown(report)), as: UTF8.self)
        for secret in ["bert", "Secret", "Show", "mic", "one.wav"] { #expect(!document.contains(secret), "\(secret)") }
        #expect(document.contains(#""file:path 1""#))
        #expect(document.contains(#""path 1: no such file, so file:path 1 is silent""#))
    }

    @Test("the name of a channel to join is replaced, also with an apostrophe")
    func apostrophe() {
        let sentence = #"channel a was renamed to Bert's: `partyline join 'Bert'\''s'` goes there"#
        let report = ReportTree.object([
            "status": .object(["health": .list([.text(sentence)])]),
            "channels": .list([.object(["name": .text("Bert's")])]),
        ])
        var redaction = ReportRedaction(keepsNames: false)
        let document = String(decoding: DocumentJSON.bytes(of: redaction.shown(report)), as: UTF8.self)
        #expect(!document.contains("Bert"))
    }

    @Test("an event, and another part, have one stand-in for a node that they call by different names")
    func oneNode() {
        let report = ReportTree(
            json: #"""
                {
                  "channels": [{"name": "main", "members": ["Anna"], "creator_name": "Bert"}],
                  "events": [
                    {"kind": "channel_created", "peer": "91c3-0b11", "name": "Bert", "details": {}},
                    {"kind": "channel_created", "peer": "4f2a-91c0", "name": "Anna", "details": {}},
                    {"kind": "lost", "peer": "0a77-ffff", "name": "Dora", "details": {}},
                    {"kind": "refused", "peer": "0a77-ffff", "name": "0a77-ffff", "details": {}}
                  ],
                  "status": {
                    "matrix": {"names": ["Anna", "Bert"]},
                    "node": {"name": "Anna", "id": "OWN-ID", "short_id": "4f2a-91c0"},
                    "peers": [{"name": "Bert", "id": "BERT-ID", "short_id": "91c3-0b11"}]
                  }
                }
                """#)
        var redaction = ReportRedaction(keepsNames: false)
        let document = String(decoding: DocumentJSON.bytes(of: redaction.shown(report)), as: UTF8.self)
        for (kind, standIn) in [
            ("channel_created", "peer 1"), ("channel_created", "this node"), ("lost", "peer 2"), ("refused", "peer 2"),
        ] {
            let event = #""kind":"\#(kind)","name":"\#(standIn)","peer":"\#(standIn)""#
            #expect(document.contains(event), "\(document)")
        }
        #expect(document.contains(#""creator_name":"peer 1","members":["this node"]"#))
        #expect(document.contains(#""names":["this node","peer 1"]"#))
    }

    @Test("every kind of event is shown, and of its details all that name nobody or have a stand-in")
    func kinds() {
        let left: Set = [
            "id", "known_id", "words", "creator", "by", "call", "text", "peers", "left_behind", "role", "colour",
            "channels",
        ]
        for kind in EventKind.allCases {
            let details = Dictionary(uniqueKeysWithValues: kind.entry.fields.map { ($0, ReportTree.text("1")) })
            let event = ReportTree.object(["kind": .text(kind.rawValue), "details": .object(details)])
            var redaction = ReportRedaction(keepsNames: false)
            let document = String(
                decoding: DocumentJSON.bytes(of: redaction.shown(.object(["events": .list([event])]))), as: UTF8.self)
            #expect(document.contains(#""kind":"\#(kind.rawValue)""#), "\(document)")
            for field in kind.entry.fields {
                #expect(document.contains(#""\#(field)":""#) != left.contains(field), "\(field): \(document)")
            }
        }
    }

    /// A report of channels and of a peer with these names, and these sentences in it, with stand-ins.
    private static func shown(channels: [String], peer: String = "Zoe", _ sentences: [String]) -> [String] {
        let report = ReportTree.object([
            "channels": .list(
                channels.map { .object(["name": .text($0), "members": .list([.text(peer)])]) }),
            "status": .object([
                "health": .list(sentences.map { .text($0) }), "peers": .list([.object(["name": .text(peer)])]),
            ]),
        ])
        var redaction = ReportRedaction(keepsNames: false)
        guard case .object(let parts) = redaction.shown(report), case .object(let status)? = parts["status"],
            case .list(let health)? = status["health"]
        else { return [] }
        return health.map { if case .text(let text) = $0 { text } else { "" } }
    }

    @Test(
        "a common word that is also a name stays in a sentence where no name can stand",
        arguments: [
            "a sound card can be opened", "no sound card and no sound server", "there are sound cards",
            "the real-time priority of this node", "`partyline sound` chooses devices; `partyline run --card 2`",
            "a node that Xylo's user may not read",
        ])
    func commonWords(sentence: String) {
        let channels = ["card", "cards", "sound", "a", "real", "s", "is"]
        #expect(Self.shown(channels: channels, [sentence]) == [sentence])
    }

    @Test(
        "a common word is replaced where it is the name of a channel or a peer",
        arguments: ["card", "sound", "node", "status", "a", "DJ", "5"])
    func commonNames(name: String) {
        let ofChannel = [
            "channel NAME was renamed", "this node is on NAME", "the others are on main, NAME and 3 more",
            "talk key 'x' speaks on channel NAME, which is not known here (did you mean 'NAME'?)",
            "`partyline join NAME` goes there", "so this node stays on NAME: `partyline part NAME`",
            "the file of channel NAME gives no code",
        ]
        let ofPeer = [
            "peer NAME: no direct way, voice goes via NAME, and TLS via NAME", "NAME: silent, being asked",
            "the mesh has split: 2 of 8 peers lost since 14:03 (Zoe, NAME)", "this node with NAME, Zoe with NAME",
            "lost without a good-bye: NAME since 14:03, NAME since 15:04", "refused by NAME, NAME",
            "NAME has another key than the NAME known here", "1 copy for NAME",
        ]
        for (sentences, channel, peer, standIn) in [
            (ofChannel, name, "Zoe", "channel 1"), (ofPeer, "foh", name, "peer 1"),
        ] {
            let shown = Self.shown(
                channels: [channel], peer: peer, sentences.map { $0.replacing("NAME", with: name) })
            let expected = sentences.map {
                $0.replacing("NAME", with: standIn).replacing("Zoe", with: peer == "Zoe" ? "peer 1" : "Zoe")
            }
            #expect(shown == expected)
        }
    }

    @Test("a name that is a word of a stand-in is not found in one", arguments: ["peer", "path", "address", "1"])
    func wordsOfStandIns(name: String) {
        let sentences = [
            "no mistake in /srv/show.toml", "/srv/show.toml can be written", "192.0.2.5:7400 goes to file:/srv/a.wav",
            "2be0-77aa goes over enx00c0ca123456", "\(name): silent",
        ]
        #expect(
            Self.shown(channels: ["foh"], peer: name, sentences) == [
                "no mistake in path 1", "path 1 can be written", "address 1:7400 goes to file:path 2",
                "a node goes over an interface", "peer 1: silent",
            ])
    }

    @Test("a default name of one kind is a name like any other for another kind")
    func defaultsOfKinds() {
        let report = ReportTree(
            json: #"""
                {
                  "channels": [{"name": "main", "members": ["talk", "main"]}, {"name": "talk", "members": []}],
                  "keys": [{"name": "talk"}, {"name": "main"}]
                }
                """#)
        var redaction = ReportRedaction(keepsNames: false)
        let document = String(decoding: DocumentJSON.bytes(of: redaction.shown(report)), as: UTF8.self)
        #expect(document.contains(#"{"members":["peer 1","peer 2"],"name":"main"}"#), "\(document)")
        #expect(document.contains(#"{"members":[],"name":"channel 1"}"#), "\(document)")
        #expect(document.contains(#"[{"name":"talk"},{"name":"key 1"}]"#), "\(document)")
    }

    @Test("a name that is no common word is replaced in every place of a sentence")
    func rareNames() {
        let sentences = ["the xylograph plays", "no xylograph", "xylograph's bow", "a Card, the Zoe-7 and its Zoe"]
        #expect(
            Self.shown(channels: ["xylograph", "Card"], sentences) == [
                "the channel 1 plays", "no channel 1", "channel 1's bow", "a channel 2, the peer 1-7 and its peer 1",
            ])
    }

    @Test("a channel and a peer of one name have a stand-in each, and the word before says which is meant")
    func oneName() {
        let sentences = ["channel Bert was deleted", "peer Bert: silent", "voice goes via Bert"]
        #expect(
            Self.shown(channels: ["Bert"], peer: "Bert", sentences) == [
                "channel channel 1 was deleted", "peer peer 1: silent", "voice goes via peer 1",
            ])
        let report = ReportTree(
            json: #"""
                {
                  "channels": [{"name": "Bert", "members": ["Bert"]}], "keys": [{"name": "Bert"}],
                  "status": {"peers": [{"name": "Bert", "id": "BERT-ID"}]}
                }
                """#)
        var redaction = ReportRedaction(keepsNames: false)
        let document = String(decoding: DocumentJSON.bytes(of: redaction.shown(report)), as: UTF8.self)
        #expect(document.contains(#"{"members":["peer 1"],"name":"channel 1"}"#), "\(document)")
        #expect(document.contains(#"[{"name":"key 1"}]"#) && !document.contains("Bert"), "\(document)")
    }

    @Test("one thing has one stand-in in the whole report")
    func stable() {
        let lines = Self.lines()
        #expect(lines.contains { $0.contains("peer 1: no direct way, voice goes via peer 2") })
        #expect(lines.contains { $0.hasSuffix("endpoint: address 1:7400") })
        #expect(lines.contains { $0.hasSuffix("1 copy for peer 1") })
    }

    @Test("partyline report")
    func golden() throws { try Golden.check(Self.lines(), "report") }
}
