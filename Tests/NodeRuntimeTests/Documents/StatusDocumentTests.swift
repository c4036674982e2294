import ControlPlane
import Mesh
import NodeRuntime
import Primitives
import Testing
import Wire

@Suite("Documents")
struct StatusDocumentTests {
    @Test("a document with an infinite level can be encoded")
    func infinity() {
        var status = StatusDocument.sample
        status.audio.levelInDbfs = -.infinity
        #expect(String(decoding: DocumentJSON.bytes(of: status), as: UTF8.self).contains(#""level_in_dbfs":"-inf""#))
    }

    @Test("the keys of partyline.status/1 are what scripts rely on: a text that was read is written again")
    func keys() {
        let text = StatusDocument.sampleText.filter { !$0.isNewline && $0 != " " }
        #expect(String(decoding: DocumentJSON.bytes(of: StatusDocument.sample), as: UTF8.self) == text)
    }

    @Test("a node with a problem or an incomplete clique is degraded")
    func degraded() {
        var status = StatusDocument.sample
        #expect(!status.isDegraded)
        status.health = ["no microphone"]
        #expect(status.isDegraded)
        status.health = []
        status.mesh.cliqueComplete = false
        #expect(status.isDegraded)
    }
}

extension StatusDocument {
    static let sample = StatusDocument(json: sampleText)

    /// The status of a node that knows every field of one peer. No value in it has a space.
    static let sampleText = #"""
        {
          "audio": {
            "bitrate_kbps": 64, "buffer_ms": 10, "dim_db": 0, "encoder_why": "as-asked", "frame_ms": 5,
            "input": "alsa:default", "key_count": 1, "keys_down": [], "level_in_dbfs": -31.5, "level_out_dbfs": -18,
            "output": "null", "output_channels": 2, "period_ms": 5, "profile": "low",
            "real_time": "off", "recording": "/r",
            "speaking": {
              "agc_db": 1, "coughing": false, "floor": "free", "gate_open": true, "howl_db": 0, "howls": 0,
              "key_limit_s": 120, "key_stuck": false, "level_before_dbfs": -40, "side_tone_db": -20,
              "stages": ["gate"], "voice_heard": true
            },
            "state": "running", "talk_mode": "ptt", "talk_modes": [], "talking": false, "xruns_capture": 0,
            "xruns_playback": 2
          },
          "discovery": {"avahi": "running"},
          "health": [],
          "matrix": {"ids": ["a"], "names": ["A"], "rows": [[{"loss_pct": 0, "path": "self", "rtt_ms": 0}]]},
          "mesh": {
            "clique_complete": true, "counters": {"ghosts_dropped": 2}, "digest_agree": 1, "links_up": 1,
            "local_health": 0, "lost": "w", "pairs_relayed": 0, "peers_known": 1, "split": "x"
          },
          "node": {
            "admission": "open", "advertised": true, "boot": "0011223344556677",
            "calls": [{
              "age_s": 12, "channel": "stage", "id": "1a2b3c4d5e6f7081", "left_s": 18, "name": "LX",
              "peer": "ee02-0001", "state": "shown", "target": "channel", "text": "ready?", "urgent": false
            }],
            "channel": "main", "channels": ["main"], "channels_not_joined": ["fly"], "closed_mesh_near": false,
            "control": "/s", "do_not_disturb": false, "duplicate": "y", "guest": false,
            "id": "ID", "instance": 17,
            "left_behind": false,
            "listen": ["192.0.2.1:7400"], "mesh": "partyline", "mesh_closed": false, "name": "FOH",
            "pairing": {"open_s": 200.5, "tries_left": 2},
            "profile": {"nick": "FOH", "role": "sound"}, "reload": ["z"], "short_id": "4f2a-91c0", "uptime_s": 8040,
            "version": "0.1.0", "warnings": []
          },
          "peers": [{
            "asks_since_s": 2, "blocked": false, "buffer_ms": 5, "carrier_via": "Y", "codec": "64k/5ms",
            "control_loss_pct": 0,
            "endpoint": "192.0.2.2:7400", "failures": 0, "flapping": false, "gain_db": 0, "id": "ID", "instance": 1,
            "jitter_ms": 1, "last_failure": "x", "leader": true, "level_dbfs": -20, "link": "2/1#3",
            "loss_in_pct": 0, "loss_out_pct": 0,
            "mix": {"loudness_db": 0, "pan": 0, "pan_auto": true, "priority": false},
            "muted": false, "name": "SM", "other_key": "ID2", "path": "direct", "presence": "present",
            "profile": {"colour": "#ffb300"}, "quality": 4.4, "recording": false, "retry_in_s": 1, "rtt_ms": 1,
            "short_id": "ee02-0001", "state": "up",
            "suspicion_confirmations": 1, "suspicion_ends_in_s": 1, "talking": true, "talks_to": "you",
            "trust": "met", "up_s": 3,
            "voice_in": {
              "concealed_ms": 0, "delay_ms": 5, "late_pct": 0, "loss_pct": 0, "mean_run": 1, "target_ms": 5
            },
            "voice_out": {"copies_at": [1, 2], "frames_per_packet": 1, "why": "no-loss"}
          }],
          "schema": "partyline.status/1"
        }
        """#
}

extension Decodable {
    /// The document that a node would send as this text.
    init(json text: String) { self = try! DocumentJSON.document(Self.self, in: Array(text.utf8)) }
}

@Suite("names of counters")
struct CounterNameTests {
    @Test(
        "a capital after a small letter or a digit begins a word",
        arguments: [
            ("keyIDsExhausted", "key_ids_exhausted"), ("receiveErrors", "receive_errors"), ("dropped", "dropped"),
            ("ipv6Sent", "ipv6_sent"), ("sentV4", "sent_v4"), ("UDP", "udp"), ("", ""), ("a", "a"), ("A", "a"),
            ("already_snake", "already_snake"), ("xY", "x_y"),
        ])
    func names(name: String, key: String) { #expect(StatusDocument.Mesh.key(ofCounter: name) == key) }
}

@Suite("who hears whom")
struct MatrixTests {
    private let nodes = (1...3).map { NodeID(words: ($0, 0, 0, 1)) }

    private func entry(_ peer: Int, _ path: PathKind, loss lossClass: UInt8, rtt rttClass: UInt8 = 0) -> AdvertisedLink
    {
        AdvertisedLink(
            peer: nodes[peer], instance: Instance(exactly: 1)!, path: path, rttClass: rttClass, lossClass: lossClass)
    }

    private func row(_ node: Int, _ entries: [AdvertisedLink]) -> AdvertisedLinks {
        AdvertisedLinks(node: nodes[node], name: SafeText("N\(node)"), entries: entries)
    }

    @Test("each path has its word, and an empty list of links counts as unknown and not as missing links")
    func words() {
        let rows = [
            row(0, [entry(1, .relay, loss: 0)]), row(1, [entry(0, .carrier, loss: 0), entry(2, .direct, loss: 0)]),
            row(2, []),
        ]
        let matrix = StatusDocument.Matrix(rows, saidBy: nodes[0])
        #expect(
            matrix.rows.map { $0.map(\.path) } == [
                ["self", "via", "none"], ["carrier", "self", "direct"], ["unknown", "unknown", "self"],
            ])
        #expect(StatusDocument.Matrix([row(0, []), row(1, [])], saidBy: nodes[0]).rows[0][1].path == "none")
    }

    @Test("the worst link shows the most loss", arguments: zip([UInt8](0...6), [0, 0.1, 1, 5, 10, 20, nil]))
    func loss(lossClass: UInt8, percent: Double?) {
        let rows = [row(0, [entry(1, .direct, loss: lossClass, rtt: 15)]), row(1, [])]
        let cell = StatusDocument.Matrix(rows, saidBy: nodes[0]).rows[0][1]
        #expect(cell.lossPct == percent)
        #expect(cell.rttMs == nil)
    }
}
