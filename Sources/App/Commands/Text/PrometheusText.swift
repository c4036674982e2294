package import ControlPlane

/// A node's status in the text format of Prometheus, version 0.0.4: names end in their units, base units
/// throughout, counters in `_total`.
package struct PrometheusText {
    private let families: [PrometheusFamily]

    package init(_ status: StatusDocument) {
        families =
            (Self.node(status) + Self.audio(status.audio) + Self.mesh(status.mesh) + Self.peers(status.peers))
            .filter { !$0.samples.isEmpty }
    }

    /// With what each family is.
    package var lines: [String] { families.flatMap { $0.heading + $0.lines } }

    /// The samples alone.
    package var samples: [String] { families.flatMap(\.lines) }
}

// MARK: - Families

extension PrometheusText {
    private typealias Family = PrometheusFamily

    private static func node(_ status: StatusDocument) -> [Family] {
        let node = status.node
        let labels = [
            ("name", node.name), ("id", node.id), ("mesh", node.mesh), ("channel", node.channel),
            ("instance_number", "\(node.instance)"),
        ]
        return [
            Family("node_info", .gauge, "Who this node is; always 1.", [Family.Sample(labels: labels, value: 1)]),
            Family("uptime_seconds", "Since the node's start.", node.uptimeSeconds),
            Family("degraded", "1 where something is not as it should be.", status.isDegraded ? 1 : 0),
        ]
    }

    private static func audio(_ audio: StatusDocument.Audio) -> [Family] {
        func sides(_ capture: Double?, _ playback: Double?) -> [Family.Sample] {
            [("capture", capture), ("playback", playback)].compactMap { side, value in
                value.map { Family.Sample(labels: [("direction", side)], value: $0) }
            }
        }
        return [
            Family("audio_running", "1 where both sound devices run.", audio.state == "running" ? 1 : 0),
            Family("talking", "1 while voice leaves this node.", audio.talking ? 1 : 0),
            Family("recording", "1 while a recording runs.", audio.recording == nil ? 0 : 1),
            Family("audio_period_seconds", "The sound card's period.", audio.periodMs.map { $0 / 1_000 }),
            Family("audio_buffer_seconds", "The playback buffer.", audio.bufferMs.map { $0 / 1_000 }),
            Family("audio_frame_seconds", "One voice frame.", audio.frameMs.map { $0 / 1_000 }),
            Family("audio_bitrate_bits_per_second", "The encoder's target.", audio.bitrateKbps.map { $0 * 1_000 }),
            Family(
                "audio_level_dbfs", .gauge, "Loudness in dB below full scale.",
                sides(audio.levelInDbfs, audio.levelOutDbfs)),
            Family(
                "audio_xruns_total", .counter, "Times that a sound device ran over or dry.",
                sides(Double(audio.xrunsCapture), Double(audio.xrunsPlayback))),
        ]
    }

    private static func mesh(_ mesh: StatusDocument.Mesh) -> [Family] {
        [
            Family("peers_known", "Other nodes that are known to be there.", Double(mesh.peersKnown)),
            Family("links_up", "Peers to which voice can pass.", Double(mesh.linksUp)),
            Family("clique_complete", "1 where everybody hears everybody.", mesh.cliqueComplete ? 1 : 0),
            Family("peers_agreeing", "Peers that have the same view of the mesh.", Double(mesh.digestAgree)),
            Family("local_health_lost", "Signs that the fault is this node's own, 0 to 8.", Double(mesh.localHealth)),
            Family("pairs_relayed", "Pairs of others for which this node forwards.", Double(mesh.pairsRelayed)),
            Family(
                "counted_total", .counter, "What the node counts and is not zero, by name.",
                mesh.counters.sorted { $0.key < $1.key }.map {
                    Family.Sample(labels: [("what", $0.key)], value: Double($0.value))
                }),
        ]
    }

    private static func peers(_ peers: [StatusDocument.Peer]) -> [Family] {
        func family(_ name: String, _ help: String, _ value: (StatusDocument.Peer) -> Double?) -> Family {
            let samples = peers.compactMap { peer in
                value(peer).map { Family.Sample(labels: [("peer", peer.name), ("id", peer.id)], value: $0) }
            }
            return Family("peer_" + name, .gauge, help, samples)
        }
        return [
            family("up", "1 where voice can pass.") { ["up", "verifying"].contains($0.state) ? 1 : 0 },
            family("up_seconds", "Since the link came up.") { $0.upSeconds },
            family("rtt_seconds", "Round trip.") { $0.rttMs.map { $0 / 1_000 } },
            family("jitter_seconds", "Spread of arrival.") { $0.jitterMs.map { $0 / 1_000 } },
            family("buffer_seconds", "What the jitter buffer holds back.") { $0.bufferMs.map { $0 / 1_000 } },
            family("loss_in_ratio", "Of its packets, lost on the way here.") { $0.lossInPct.map { $0 / 100 } },
            family("loss_out_ratio", "Of the packets to it, lost.") { $0.lossOutPct.map { $0 / 100 } },
            family("level_dbfs", "Loudness in dB below full scale.") { $0.levelDbfs },
            family("talking", "1 while it talks.") { $0.talking ? 1 : 0 },
            family("muted", "1 where it is not heard here.") { $0.muted ? 1 : 0 },
            family("gain_decibels", "The listener's volume for it.") { $0.gainDb },
            family("loudness_decibels", "What loudness matching adds.") { $0.mix?.loudnessDb },
            family("failures", "Attempts in a row that failed.") { Double($0.failures) },
        ]
    }
}
