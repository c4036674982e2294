import AudioIO
import ControlPlane
import Primitives
import Voice

/// Makes the part of `partyline status` that is about the own voice.
struct SpeakingReport {
    var options: RunOptions
    var talk: TalkSwitch
    var capture: CaptureReport

    var document: StatusDocument.Speaking {
        let speaking = options.speaking
        return StatusDocument.Speaking(
            stages: stages, levelBeforeDbfs: Double(capture.levelBeforeDecibels),
            voiceHeard: talk.mode == .vox ? capture.isVoiceHeard : nil,
            gateOpen: speaking.hasGate ? !capture.isGateClosed : nil,
            agcDb: speaking.hasAutomaticGain ? Decibels.ofFactor(capture.automaticGain) : nil,
            coughing: talk.isCoughing, keyStuck: talk.isStuck, keyLimitSeconds: talk.keyLimit?.seconds,
            floor: speaking.isHalfDuplex ? (capture.isFloorTaken ? "taken" : "free") : nil,
            howls: speaking.hasHowlGuard ? capture.howls : nil,
            howlDb: speaking.hasHowlGuard ? Decibels.ofFactor(capture.howlGain) : nil,
            sideToneDb: speaking.sideToneDecibels)
    }

    private var stages: [String] {
        let speaking = options.speaking
        let all = [
            ("echo-cancel", speaking.hasEchoCancellation), ("denoise", speaking.hasNoiseSuppression),
            ("high-pass", speaking.hasHighPass), ("howl-guard", speaking.hasHowlGuard), ("gate", speaking.hasGate),
            ("agc", speaking.hasAutomaticGain),
        ]
        return all.filter(\.1).map(\.0) + speaking.effects.map(SpeakingReport.word)
    }

    private static func word(_ effect: VoiceEffect) -> String {
        switch effect {
        case .pitch(let semitones): "pitch \(semitones)"
        case .reverb(let percent): "reverb \(percent)"
        }
    }
}
