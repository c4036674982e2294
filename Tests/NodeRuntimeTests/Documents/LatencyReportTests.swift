import AudioIO
import NodeRuntime
import Primitives
import Testing
import Voice
import Wire

@Suite("latency from mouth to ear")
struct LatencyReportTests {
    private func report(processingSamples: Int32 = 0) -> LatencyReport {
        var capture = CaptureReport()
        capture.processingSamples = processingSamples
        (capture.captureNanoseconds, capture.codingNanoseconds) = (5_000_000, 100_000)
        var playback = PlaybackReport()
        (playback.playoutNanoseconds, playback.renderNanoseconds) = (5_200_000, 200_000)
        playback.talkers[3].isTalking = true
        playback.talkers[3].frameSamples = 480
        playback.talkers[3].delaySamples = 96
        capture.blockSamples = 240
        let audio = AudioStatus(
            input: DeviceStatus(device: "null"), output: DeviceStatus(device: "null"), capture: capture,
            playback: playback, framesRefused: 0, payloadsRefused: 0, isInputStuck: false, isOutputStuck: false)
        return LatencyReport(
            audio: audio, frame: .milliseconds(5), lookahead: .microseconds(2_500), of: PeerSlot(index: 3))
    }

    @Test("the parts add up to the total, and each has its source")
    func hearing() {
        var report = self.report()
        report.rtt = .milliseconds(1)
        let way = report.hearing
        #expect(way.parts.map(\.part) == ["capture", "encode", "network", "buffer", "mix", "play_out"])
        #expect(way.parts.map(\.ms) == [5, 7.6, 0.5, 2, 0.2, 5])
        #expect(way.parts.map(\.source) == [.assumed, .computed, .computed, .measured, .measured, .measured])
        #expect(abs((way.totalMs ?? 0) - 20.3) < 1e-9)
    }

    @Test("figures that the peer reports replace the assumed ones, and nothing is counted twice")
    func reported() {
        var report = self.report()
        report.rtt = .milliseconds(1)
        report.take(
            ReceptionReport(
                lossPermille: 0, lossRunTenths: 0, latePermille: 0, jitterTargetSamples: 96, captureSamples: 485,
                playoutSamples: 960))
        let (hearing, heard) = (report.hearing, report.heard)
        #expect(hearing.parts.map(\.source).first == .reported)
        #expect(abs((hearing.parts[0].ms ?? 0) - 485.0 / 48) < 0.01)
        #expect(heard.parts.map(\.part) == ["capture", "encode", "network", "buffer", "play_out"])
        #expect(heard.parts.map(\.ms) == [5, 2.6, 0.5, 2, 20])
    }

    @Test("the processing of the own voice is a part, but only in the direction to the peer")
    func processed() {
        var report = report(processingSamples: 816)
        (report.rtt, report.peerBuffer) = (.milliseconds(1), .milliseconds(3))
        #expect(report.heard.parts.map(\.part).prefix(3) == ["capture", "process", "encode"])
        #expect(report.heard.parts[1].ms == 17)
        #expect(report.hearing.parts.map(\.part).first == "capture")
    }

    @Test("the direction to the peer takes its buffer from the peer's report, and has no total without that")
    func heard() {
        var report = self.report()
        report.rtt = .milliseconds(1)
        #expect(report.heard.totalMs == nil)
        report.peerBuffer = .milliseconds(3)
        #expect(report.heard.parts.map(\.ms) == [5, 2.6, 0.5, 3, 0.2, 5])
        #expect(report.heard.parts[3].source == .reported)
    }
}
