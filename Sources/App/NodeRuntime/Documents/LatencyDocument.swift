package import AudioIO
import Mesh
package import Primitives
import Voice
package import Wire

/// The latency from mouth to ear between this node and one peer, in both directions and part by part.
package struct LatencyDocument: Codable, Hashable, Sendable {
    /// The origin of a figure.
    package enum Source: String, CaseIterable, Codable, Hashable, Sendable {
        /// A running thread of this node measured it.
        case measured
        /// The peer reports it in its control blocks.
        case reported
        /// It follows from other figures.
        case computed
        /// The peer does not report it, so it is assumed to be as at this node.
        case assumed
    }

    /// One part of a direction.
    package struct Part: Codable, Hashable, Sendable {
        /// `capture`, `process`, `encode`, `network`, `buffer`, `mix` or `play_out`.
        package var part: String
        /// Its length in milliseconds.
        package var ms: Double?
        /// The origin of the figure.
        package var source: Source
        /// The meaning of the figure, for people.
        package var text: String
    }

    /// One direction, from its first part to its last.
    package struct Way: Codable, Hashable, Sendable {
        /// The sum of the parts; absent if a part is not known.
        package var totalMs: Double?
        /// The parts in the order in which sound passes through them.
        package var parts: [Part]

        init(parts: [Part]) {
            self.parts = parts
            let known = parts.compactMap(\.ms)
            totalMs = known.count == parts.count ? known.reduce(0, +) : nil
        }
    }

    /// Always `partyline.latency/1`.
    package var schema = "partyline.latency/1"
    /// Short id of the peer.
    package var peer: String
    /// Its name.
    package var name: String
    /// From the peer's mouth to the ear at this node.
    package var hearing: Way
    /// From the mouth at this node to the peer's ear.
    package var heard: Way
}

/// The latency from mouth to ear in parts. Each part is measured by the audio threads, reported by the peer, or
/// computed.
///
/// The parts follow the first sample of a frame. It waits for the rest of the frame, so each direction begins with a
/// whole period or frame. The parts add up to the whole latency, and nothing is counted twice.
package struct LatencyReport {
    /// The length of this node's voice frames.
    package var frame: Interval
    /// The frame length of the peer's latest voice.
    package var peerFrame: Interval
    /// The look-ahead of the encoder; zero without a codec.
    package var lookahead: Interval
    /// The length of sound that capture reads at once.
    package var period: Interval
    /// The age of a period's first sample when the period has been read.
    package var capture: Interval
    /// The time that coding then took.
    package var coding: Interval
    /// The delay that echo cancelling, noise suppression and effects add.
    package var processing: Interval
    /// The round trip; nil if it is not known.
    package var rtt: Interval?
    /// The delay of this node's jitter buffer.
    package var buffer: Interval
    /// The delay of the peer's jitter buffer, as the peer reports it.
    package var peerBuffer: Interval?
    /// The delays of the peer's devices, as the peer reports them. If one is nil, it is assumed to be as at this node.
    private var peerCapture: Interval?
    private var peerPlayout: Interval?
    /// The time from the request for a block until it sounds.
    package var playout: Interval
    /// The part of `playout` that rendering takes.
    package var render: Interval

    package init(audio: AudioStatus, frame: Interval, lookahead: Interval, of slot: PeerSlot) {
        let talker = audio.statistics(of: slot)
        self.frame = frame
        self.lookahead = lookahead
        peerFrame = Interval(samples: Int(talker.frameSamples))
        period = Interval(samples: Int(audio.capture.blockSamples))
        capture = Interval(nanoseconds: audio.capture.captureNanoseconds)
        coding = Interval(nanoseconds: audio.capture.codingNanoseconds)
        processing = Interval(samples: Int(audio.capture.processingSamples))
        buffer = Interval(samples: Int(talker.bufferSamples))
        playout = Interval(nanoseconds: audio.playback.playoutNanoseconds)
        render = Interval(nanoseconds: audio.playback.renderNanoseconds)
    }

    /// Takes the delays that the peer reports; nil changes nothing.
    package mutating func take(_ report: ReceptionReport?) {
        guard let report else { return }
        peerBuffer = Interval(samples: Int(report.jitterTargetSamples))
        peerCapture = report.captureSamples == 0 ? nil : Interval(samples: Int(report.captureSamples))
        peerPlayout = report.playoutSamples == 0 ? nil : Interval(samples: Int(report.playoutSamples))
    }

    package var hearing: LatencyDocument.Way {
        LatencyDocument.Way(parts: [
            part(
                "capture", peerCapture ?? capture, peerCapture == nil ? .assumed : .reported,
                "its microphone and period" + (peerCapture == nil ? ", taken to be as here" : "")),
            part(
                "encode", encoding(peerFrame), .computed,
                "the rest of its frame, the look-ahead of Opus, coding as here"),
            network,
            part("buffer", buffer, .measured, "kept back against jitter, until the block that takes it"),
            part("mix", render, .measured, "rendering the latest block"),
            part("play_out", playout - render, .measured, "queued in the output device"),
        ])
    }

    package var heard: LatencyDocument.Way {
        LatencyDocument.Way(
            parts: [part("capture", capture, .measured, "age of a period's first sample when it is read")]
                + ownProcessing + [
                    part("encode", encoding(frame), .computed, "the rest of the frame, the look-ahead of Opus, coding"),
                    network,
                    part("buffer", peerBuffer, .reported, "the target of its jitter buffer"),
                ] + peerEnd)
    }

    private var ownProcessing: [LatencyDocument.Part] {
        guard .zero < processing else { return [] }
        return [part("process", processing, .computed, "echo cancelling, noise suppression, effects")]
    }

    private var peerEnd: [LatencyDocument.Part] {
        if let peerPlayout {
            return [part("play_out", peerPlayout, .reported, "mixing, and queued in its output device")]
        }
        return [
            part("mix", render, .assumed, "as here"), part("play_out", playout - render, .assumed, "as here"),
        ]
    }

    private var network: LatencyDocument.Part {
        part("network", rtt.map { $0 / 2 }, .computed, "half of the round trip")
    }

    /// The wait for the rest of the frame beyond one period, the look-ahead, and the time of coding.
    private func encoding(_ frame: Interval) -> Interval { max(frame - period, .zero) + lookahead + coding }

    private func part(
        _ name: String, _ length: Interval?, _ source: LatencyDocument.Source, _ text: String
    ) -> LatencyDocument.Part {
        LatencyDocument.Part(
            part: name, ms: length.map { Double($0.microseconds) / 1_000 }, source: source, text: text)
    }
}

/// The result of one `partyline ping`.
package struct PingDocument: Codable, Hashable, Sendable {
    /// Always `partyline.ping/1`.
    package var schema = "partyline.ping/1"
    /// Short id of the peer that was asked.
    package var peer: String
    /// Its name.
    package var name: String
    /// `direct`, `via NAME` or `carrier`; `-` if no path is known.
    package var path: String
    /// Round trip in milliseconds; absent if no answer came in time.
    package var rttMs: Double?
}

extension PingDocument {
    /// - Parameters:
    ///   - rtt: nil if no answer came in time.
    ///   - nameOf: the display name of a node.
    init(_ peer: PeerStatus, rtt: Interval?, nameOf: (NodeID) -> String) {
        self.peer = peer.node.short
        name = nameOf(peer.node)
        path = peer.pathText(nameOf: nameOf) ?? "-"
        rttMs = rtt?.fractionalMilliseconds
    }
}
