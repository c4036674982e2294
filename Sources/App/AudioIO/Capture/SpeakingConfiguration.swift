import Primitives
package import Voice

/// What happens to the own voice on its way out, and to the own ears meanwhile.
package struct SpeakingConfiguration: Hashable, Sendable {
    /// Of a voice-operated key.
    package var detection = VoiceDetector.Settings(
        attackSegments: TalkLimits.voxAttackSegments,
        hangSegments: TalkLimits.voxHang.samples / TalkLimits.segmentSamples, powerMin: 1e-5)
    /// Whether the voice works the key, and so 20 ms of what came before it go out too.
    package var isVoiceOperated = false
    package var isHalfDuplex = false
    package var stages: InputChain.Stages = []
    /// Both before the chain; noise suppression is the speech library's.
    package var isEchoCancelled = false
    package var isNoiseSuppressed = false
    /// After the chain.
    package var effects: [VoiceEffect] = []
    /// How loud the own voice is in the own output, as a factor; 0 is not at all.
    package var sideToneGain: Float = 0

    package init() {}

    var preRollSamples: Int { isVoiceOperated ? TalkLimits.preRollSamples : 0 }
}
