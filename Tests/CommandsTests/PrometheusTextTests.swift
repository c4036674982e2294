import Commands
import NodeRuntime
import Testing

@Suite("partyline stats")
struct PrometheusTextTests {
    private var status: StatusDocument {
        var status = StatusTextTests.status
        (status.node.name, status.node.uptimeS) = ("FO\"H\\", 8.5)
        (status.audio.periodMs, status.audio.bufferMs, status.audio.levelInDbfs) = (5, nil, nil)
        (status.audio.xrunsPlayback, status.audio.levelOutDbfs) = (3, -.infinity)
        (status.mesh.cliqueComplete, status.mesh.counters) = (true, ["b": 2, "a": 1])
        status.peers = [
            .sample("S\nM\u{1B}[2J", id: "PEER", "p", nil, "up", leader: true) { ($0.rttMs, $0.talking) = (0.5, true) }
        ]
        return status
    }

    @Test("every sample stands below the HELP and TYPE of its family, once")
    func shape() {
        var families: [String] = []
        for line in PrometheusText(status).lines {
            let words = line.split(separator: " ", maxSplits: 3).map(String.init)
            if words[0] == "#" {
                if words[1] == "HELP" { families.append(words[2]) } else { #expect(words[2] == families.last) }
                #expect(words[1] != "TYPE" || words[3] == (words[2].hasSuffix("_total") ? "counter" : "gauge"))
            } else {
                #expect(line.prefix { $0 != "{" && $0 != " " } == families.last ?? "")
            }
        }
        #expect(Set(families).count == families.count)
        #expect(families.allSatisfy { $0.hasPrefix("partyline_") })
    }

    @Test("base units, labels, and values that are no numbers")
    func samples() {
        let samples = PrometheusText(status).samples
        for expected in [
            "partyline_uptime_seconds 8.5", "partyline_audio_period_seconds 0.005",
            "partyline_audio_xruns_total{direction=\"playback\"} 3",
            "partyline_audio_level_dbfs{direction=\"playback\"} -Inf",
            "partyline_counted_total{what=\"a\"} 1", "partyline_clique_complete 1",
        ] { #expect(samples.contains(expected), "\(expected)") }
        #expect(samples.contains { $0.hasPrefix("partyline_peer_rtt_seconds{") && $0.hasSuffix("id=\"PEER\"} 0.0005") })
    }

    @Test("what is not known is not told")
    func unknown() {
        #expect(!PrometheusText(status).lines.contains { $0.contains("audio_buffer_seconds") })
    }

    @Test("a name can neither end its label nor begin a line")
    func hostile() {
        let lines = PrometheusText(status).samples
        #expect(lines.contains { $0.contains(#"name="FO\"H\\""#) })
        #expect(lines.allSatisfy { $0.unicodeScalars.allSatisfy { 0x20 <= $0.value } })
    }
}
