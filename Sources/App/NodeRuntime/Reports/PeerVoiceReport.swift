import ControlPlane
import Voice
import Wire

extension StatusDocument.Peer.VoiceIn {
    init(_ statistics: VoiceStatistics) {
        self.init(
            lossPct: Double(statistics.lossPermille) / 10, meanRun: Double(statistics.lossRunTenths) / 10,
            latePct: Double(statistics.latePermille) / 10, targetMs: Double(statistics.targetSamples) / 48,
            delayMs: Double(statistics.delaySamples) / 48, concealedMs: Double(statistics.concealedSamples) / 48)
    }
}

extension StatusDocument.Peer.VoiceOut {
    init(_ choice: ListenerChoice) {
        self.init(
            copiesAt: choice.scheme.copyDistances, framesPerPacket: choice.scheme.bundling.frameCount,
            why: choice.description)
    }
}
