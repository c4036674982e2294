import Primitives
package import Voice

/// How the user's own voice is processed on its way out, and what the user hears of it.
package struct SpeakingConfiguration: Hashable, Sendable {
    /// The detector of a voice-operated key.
    package var detection = VoiceDetector.Settings(
        attackSegments: TalkLimits.voxAttackSegments,
        hangSegments: TalkLimits.voxHang.samples / TalkLimits.segmentSamples, powerMin: 1e-5)
    /// Whether the voice works the key. Then 20 ms of sound from before the voice are sent too.
    package var isVoiceOperated = false
    package var isHalfDuplex = false
    package var stages: InputChain.Stages = []
    /// Echo cancellation and noise suppression come before the chain. The speech library does the latter.
    package var isEchoCancelled = false
    package var isNoiseSuppressed = false
    /// The effects come after the chain.
    package var effects: [VoiceEffect] = []
    /// The factor of the user's own voice in the output; 0 for none.
    package var sideToneGain: Float = 0

    package init() {}

    var preRollSamples: Int { isVoiceOperated ? TalkLimits.preRollSamples : 0 }
}
