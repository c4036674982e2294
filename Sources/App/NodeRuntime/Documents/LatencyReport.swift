package import AudioIO
package import Primitives
import Voice
package import Wire

/// Mouth to ear in parts: what the audio threads measured, what the peer reported, and what follows.
///
/// The sample that is followed is the first of a frame: it waits for the rest of the frame, so each
/// way begins with a whole period or frame. Parts add up; none is counted twice.
package struct LatencyReport {
    package var frame: Interval
    /// Of the peer's latest frames.
    package var peerFrame: Interval
    package var lookahead: Interval
    /// What capture reads at once.
    package var period: Interval
    /// The age of a period's first sample when it has been read, and how long coding then took.
    package var capture: Interval
    package var coding: Interval
    /// What echo cancelling, noise suppression and effects add.
    package var processing: Interval
    package var rtt: Interval?
    /// What the jitter buffer here adds, and what the peer says that its own does.
    package var buffer: Interval
    package var peerBuffer: Interval?
    /// What the peer reports of its own devices; nil where it reports nothing, and the same as here is assumed.
    private var peerCapture: Interval?
    private var peerPlayout: Interval?
    /// From asking for a block to its sound. Rendering is a part of it.
    package var playout: Interval
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
        buffer = Interval(samples: Int(talker.isTalking ? talker.delaySamples : talker.targetSamples))
        playout = Interval(nanoseconds: audio.playback.playoutNanoseconds)
        render = Interval(nanoseconds: audio.playback.renderNanoseconds)
    }

    /// Takes over what the peer reports of its end.
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

    /// What a frame adds to the period in hand, the look-ahead, and the work of coding.
    private func encoding(_ frame: Interval) -> Interval { max(frame - period, .zero) + lookahead + coding }

    private func part(
        _ name: String, _ length: Interval?, _ source: LatencyDocument.Source, _ text: String
    ) -> LatencyDocument.Part {
        LatencyDocument.Part(
            part: name, ms: length.map { Double($0.microseconds) / 1_000 }, source: source, text: text)
    }
}
