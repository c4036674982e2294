import Commands
import Testing

@Suite("Choices of the program in a report")
struct ReportChoicesTests {
    /// Fields that hold choices of the program and devices.
    private static let choices: [String: ReportTree] = [
        "system": ReportTree(
            json: #"{"kernel": "Linux 6.1.0", "machine": "x86_64", "distribution": "Debian 12", "processors": 8}"#),
        "settings": ReportTree(
            json: #"{"input": ["null"], "output": ["alsa:default"], "talk": ["open"], "gate": ["true"]}"#),
        "devices": ReportTree(json: #"{"inputs": [{"name": "alsa:hw:0,0", "in_use": true}]}"#),
        "status": ReportTree(
            json: #"""
                {
                  "audio": {
                    "input": "tone:440", "output": "null", "state": "running",
                    "real_time": "capture yes, SCHED_FIFO 20; playback off"
                  },
                  "discovery": {"avahi": "running, not published", "beacon": "on eth0, lo", "peers": "none given"},
                  "mesh": {"links_up": 1}, "matrix": {"rows": [[{"path": "self"}, {"path": "direct"}]]}
                }
                """#),
        "events": ReportTree(
            json: #"""
                [
                  {"kind": "peer_up", "details": {"reason": "left", "talking": "true"}},
                  {"kind": "device_changed", "details": {"side": "input", "device": "alsa:default"}}
                ]
                """#),
        "doctor": ReportTree(json: #"{"checks": [{"verdict": "pass", "subject": "speech processing"}]}"#),
    ]

    /// The words of `choices` and its keys.
    private static let words = [
        "12", "Debian", "Linux", "SCHED", "alsa", "audio", "capture", "default", "device", "direct", "given", "hw",
        "input", "left", "name", "none", "null", "off", "on", "open", "path", "peer", "playback", "processing",
        "published", "running", "self", "speech", "state", "status", "talk", "tone", "true", "up", "x86", "yes",
    ]

    private static func shown(_ report: ReportTree) -> ReportTree {
        var redaction = ReportRedaction(keepsNames: false)
        return redaction.shown(report)
    }

    @Test(
        "a choice of the program stays as it is where a peer, a channel or a key is called like its words",
        arguments: ["rivals", "channels", "keys"])
    func words(part: String) {
        var report = Self.choices
        report[part] = .list(Self.words.map { .object(["name": .text($0)]) })
        guard case .object(var shown) = Self.shown(.object(report)) else {
            Issue.record("no report")
            return
        }
        shown[part] = nil
        #expect(shown == Self.choices)
    }

    @Test("the path of a peer shows a neighbour by its stand-in, also one that is called like a kind of path")
    func paths() {
        let report = ReportTree(
            json: #"""
                {
                  "status": {
                    "peers": [
                      {"name": "direct", "path": "direct"}, {"name": "via", "path": "via direct"},
                      {"name": "Bert", "path": "via via", "last_failure": "no answer"},
                      {"name": "no", "path": "via Bert", "last_failure": "silent"}
                    ]
                  }
                }
                """#)
        let shown = ReportTree(
            json: #"""
                {
                  "status": {
                    "peers": [
                      {"name": "peer 1", "path": "direct"}, {"name": "peer 2", "path": "via peer 1"},
                      {"name": "peer 3", "path": "via peer 2", "last_failure": "no answer"},
                      {"name": "peer 4", "path": "via peer 3", "last_failure": "silent"}
                    ]
                  }
                }
                """#)
        #expect(Self.shown(report) == shown)
    }

    @Test("the rest of such a field has no name, address or path")
    func rests() {
        let report = ReportTree(
            json: #"""
                {
                  "settings": {"input": ["alsa:hw:CARD=Xylo,DEV=0"], "output": ["file:/srv/Xylo/a b.wav"]},
                  "status": {
                    "audio": {"state": "Xylo does not run", "input": "alsa:bluealsa:DEV=00:C0:CA:12:34:56"},
                    "peers": [{"name": "Xylo"}]
                  }
                }
                """#)
        let shown = ReportTree(
            json: #"""
                {
                  "settings": {"input": ["alsa:hw:CARD=peer 1,DEV=0"], "output": ["file:path 1"]},
                  "status": {
                    "audio": {"state": "peer 1 does not run", "input": "alsa:bluealsa:DEV=a hardware address"},
                    "peers": [{"name": "peer 1"}]
                  }
                }
                """#)
        #expect(Self.shown(report) == shown)
    }

    @Test("nothing is left in clear of a path that has another path in it")
    func pathsInPaths() {
        let report = ReportTree(
            json: #"""
                {
                  "settings": {"crew": ["theatre.toml"]},
                  "status": {
                    "health": [
                      "no mistake in /srv/zoe/theatre.toml and (theatre.toml)",
                      "cannot read theatre.toml/secret.wav: gone"
                    ]
                  }
                }
                """#)
        let shown = ReportTree(
            json: #"""
                {
                  "settings": {"crew": ["path 1"]},
                  "status": {
                    "health": ["no mistake in path 2 and (path 1)", "cannot read path 3: gone"]
                  }
                }
                """#)
        #expect(Self.shown(report) == shown)
    }

    @Test("a channel has one stand-in in all spellings, and main none")
    func spellings() {
        let report = ReportTree(
            json: #"""
                {
                  "channels": [{"name": "PROPS"}, {"name": "Main"}],
                  "settings": {"channel": ["main", "Props"]},
                  "status": {
                    "health": ["channel props was deleted, and nobody is on Props"], "node": {"channels": ["props"]},
                    "peers": [{"name": "PRops"}]
                  }
                }
                """#)
        let shown = ReportTree(
            json: #"""
                {
                  "channels": [{"name": "channel 1"}, {"name": "Main"}],
                  "settings": {"channel": ["main", "channel 1"]},
                  "status": {
                    "health": ["channel channel 1 was deleted, and nobody is on channel 1"],
                    "node": {"channels": ["channel 1"]}, "peers": [{"name": "peer 1"}]
                  }
                }
                """#)
        #expect(Self.shown(report) == shown)
    }

    @Test("what a driver says, a port and a word that is no talk key stay where somebody or something is called so")
    func wordsThatAreNoNames() {
        let report = ReportTree(
            json: #"""
                {
                  "channels": [{"name": "samples"}],
                  "devices": {
                    "inputs": [{"text": "Discard all samples (playback) or generate zero samples (capture)"}],
                    "outputs": [{"text": "Zoe's headset, USB Audio"}]
                  },
                  "doctor": {
                    "checks": [
                      {"finding": "all nodes that are known are linked with all"},
                      {"finding": "port 7400 is in use, a node runs"}, {"finding": "7400: silent; refused by 7400"},
                      {"finding": "key 'all' gets mode ptt; channel samples was deleted"}
                    ]
                  },
                  "keys": [{"name": "all"}], "status": {"peers": [{"name": "7400"}, {"name": "Zoe"}]}
                }
                """#)
        let shown = ReportTree(
            json: #"""
                {
                  "channels": [{"name": "channel 1"}],
                  "devices": {
                    "inputs": [{"text": "Discard all samples (playback) or generate zero samples (capture)"}],
                    "outputs": [{"text": "peer 2's headset, USB Audio"}]
                  },
                  "doctor": {
                    "checks": [
                      {"finding": "all nodes that are known are linked with all"},
                      {"finding": "port 7400 is in use, a node runs"},
                      {"finding": "peer 1: silent; refused by peer 1"},
                      {"finding": "key 'key 1' gets mode ptt; channel channel 1 was deleted"}
                    ]
                  },
                  "keys": [{"name": "key 1"}], "status": {"peers": [{"name": "peer 1"}, {"name": "peer 2"}]}
                }
                """#)
        #expect(Self.shown(report) == shown)
    }

    @Test("what doctor says of the machine, or passes, stays where a peer or a channel is called like its words")
    func doctor() {
        let report = ReportTree(
            json: #"""
                {
                  "channels": [{"name": "all"}, {"name": "multicast"}],
                  "doctor": {
                    "checks": [
                      {
                        "verdict": "pass", "subject": "links",
                        "finding": "all nodes that are known are linked with all"
                      },
                      {"verdict": "pass", "subject": "port", "finding": "7400 is free for TCP and UDP"},
                      {
                        "verdict": "warn", "subject": "port", "finding": "7400 is in use by another program",
                        "remedy": "the node takes the next free one up to 7400; --listen ADDR:PORT chooses"
                      },
                      {"verdict": "pass", "subject": "network", "finding": "multicast goes over eth0, all"},
                      {"verdict": "pass", "subject": "state folder", "finding": "/srv/all can be written"},
                      {"verdict": "warn", "subject": "node", "finding": "degraded: all: silent; refused by 7400"}
                    ]
                  },
                  "status": {"peers": [{"name": "all"}, {"name": "7400"}, {"name": "multicast"}, {"name": "degraded"}]}
                }
                """#)
        let shown = ReportTree(
            json: #"""
                {
                  "channels": [{"name": "channel 1"}, {"name": "channel 2"}],
                  "doctor": {
                    "checks": [
                      {
                        "verdict": "pass", "subject": "links",
                        "finding": "all nodes that are known are linked with all"
                      },
                      {"verdict": "pass", "subject": "port", "finding": "7400 is free for TCP and UDP"},
                      {
                        "verdict": "warn", "subject": "port", "finding": "7400 is in use by another program",
                        "remedy": "the node takes the next free one up to 7400; --listen ADDR:PORT chooses"
                      },
                      {"verdict": "pass", "subject": "network", "finding": "multicast goes over eth0, peer 1"},
                      {"verdict": "pass", "subject": "state folder", "finding": "path 1 can be written"},
                      {"verdict": "warn", "subject": "node", "finding": "degraded: peer 1: silent; refused by peer 2"}
                    ]
                  },
                  "status": {
                    "peers": [{"name": "peer 1"}, {"name": "peer 2"}, {"name": "peer 3"}, {"name": "peer 4"}]
                  }
                }
                """#)
        #expect(Self.shown(report) == shown)
    }

    @Test("a short name of a person at a headset, and a long number as a name, are hidden")
    func shortAndLong() {
        let report = ReportTree(
            json: #"""
                {
                  "devices": {
                    "inputs": [{"name": "alsa:hw:0,0", "text": "Jo's headset, USB Audio"}],
                    "outputs": [{"name": "alsa:hw:1,0", "text": "hw, a card"}]
                  },
                  "doctor": {"checks": [{"finding": "the firewall blocked 4930123456"}]},
                  "keys": [{"name": "hw"}], "status": {"peers": [{"name": "Jo"}, {"name": "4930123456"}]}
                }
                """#)
        let shown = ReportTree(
            json: #"""
                {
                  "devices": {
                    "inputs": [{"name": "alsa:hw:0,0", "text": "peer 1's headset, USB Audio"}],
                    "outputs": [{"name": "alsa:hw:1,0", "text": "hw, a card"}]
                  },
                  "doctor": {"checks": [{"finding": "the firewall blocked peer 2"}]},
                  "keys": [{"name": "key 1"}], "status": {"peers": [{"name": "peer 1"}, {"name": "peer 2"}]}
                }
                """#)
        #expect(Self.shown(report) == shown)
    }

    @Test("an option of a command stays where a peer is called like it")
    func options() {
        let report = ReportTree(
            json: #"""
                {
                  "doctor": {"checks": [{"remedy": "`partyline run --peer ADDRESS` links it with peer"}]},
                  "status": {"peers": [{"name": "peer"}]}
                }
                """#)
        let shown = ReportTree(
            json: #"""
                {
                  "doctor": {"checks": [{"remedy": "`partyline run --peer ADDRESS` links it with peer 1"}]},
                  "status": {"peers": [{"name": "peer 1"}]}
                }
                """#)
        #expect(Self.shown(report) == shown)
    }
}
