import ControlPlane
import Foundation
import Testing

@Suite("Documents")
struct StatusDocumentTests {
    @Test("the keys of partyline.status/1 are what scripts rely on")
    func keys() throws {
        var status = Samples.status
        status.audio.speaking = StatusDocument.Speaking(
            stages: ["gate"], levelBeforeDbfs: -40, voiceHeard: true, gateOpen: true, agcDb: 1, keyLimitSeconds: 120,
            floor: "free", howls: 0, howlDb: 0, sideToneDb: -20)
        status.peers = [
            StatusDocument.Peer(
                name: "SM", id: "ID", shortID: "ee02-0001", instance: 1, state: "up", presence: "present",
                suspicionEndsInSeconds: 1, suspicionConfirmations: 1, controlLossPct: 0, path: "direct",
                carrierVia: "Y", link: "2/1#3", leader: true,
                endpoint: "192.0.2.2:7400", rttMs: 1, jitterMs: 1, lossInPct: 0, lossOutPct: 0, bufferMs: 5,
                codec: "64k/5ms", levelDbfs: -20, talking: true,
                mix: StatusDocument.PeerMix(pan: 0, panIsAutomatic: true, priority: false, loudnessDb: 0), upSeconds: 3,
                retryInSeconds: 1, lastFailure: "x")
        ]
        status.matrix = StatusDocument.Matrix(
            ids: ["a"], names: ["A"], rows: [[StatusDocument.Cell(path: "self", lossPct: 0, rttMs: 0)]])
        let line = Data(ControlCodec.line(status))
        let object = try #require(try JSONSerialization.jsonObject(with: line) as? [String: Any])
        #expect(object["schema"] as? String == "partyline.status/1")
        #expect(
            Set(object.keys) == [
                "schema", "node", "audio", "mesh", "discovery", "health", "peers", "matrix",
            ])
        let audio = try #require(object["audio"] as? [String: Any])
        let speaking = try #require(audio["speaking"] as? [String: Any])
        #expect(
            Set(speaking.keys) == [
                "stages", "level_before_dbfs", "voice_heard", "gate_open", "agc_db", "coughing", "key_stuck",
                "key_limit_s", "floor", "howls", "howl_db", "side_tone_db",
            ])
        let node = try #require(object["node"] as? [String: Any])
        #expect(
            Set(node.keys) == [
                "name", "id", "short_id", "instance", "boot", "uptime_s", "mesh", "channel", "listen", "guest",
                "warnings",
            ])
        let peers = try #require(object["peers"] as? [[String: Any]])
        #expect(
            Set(peers[0].keys) == [
                "name", "id", "short_id", "instance", "state", "path", "carrier_via", "link", "leader", "endpoint",
                "rtt_ms", "jitter_ms",
                "loss_in_pct", "loss_out_pct", "buffer_ms", "codec", "level_dbfs", "talking", "recording", "muted",
                "gain_db",
                "up_s", "retry_in_s", "failures", "last_failure", "blocked",
                "mix", "presence", "suspicion_ends_in_s", "suspicion_confirmations", "flapping", "control_loss_pct",
            ])
        let mesh = try #require(object["mesh"] as? [String: Any])
        #expect(
            Set(mesh.keys) == [
                "peers_known", "links_up", "clique_complete", "digest_agree", "counters", "local_health",
                "pairs_relayed",
            ])
    }

    @Test("a silent microphone's infinite level does not make the document unwritable")
    func infinity() {
        var status = Samples.status
        status.audio.levelInDbfs = -.infinity
        #expect(String(decoding: ControlCodec.line(status), as: UTF8.self).contains(#""level_in_dbfs":"-inf""#))
    }

    @Test("health notes or an incomplete clique are a degraded node")
    func degraded() {
        var status = Samples.status
        #expect(!status.isDegraded)
        status.health = ["no microphone"]
        #expect(status.isDegraded)
        status.health = []
        status.mesh.cliqueComplete = false
        #expect(status.isDegraded)
    }
}
