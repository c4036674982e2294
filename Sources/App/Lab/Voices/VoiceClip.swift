import Foundation

/// The recorded voices, one sentence each, as sound.
package enum VoiceClip {
    /// How many there are; further nodes begin again at the first.
    package static var count: Int { VoiceData.clips.count }

    /// Mono at 48 kHz, full scale 1.
    package static func samples(of node: Int) -> [Float] {
        let text = VoiceData.clips[node % count]
        guard let data = Data(base64Encoded: text) else { preconditionFailure("voice \(node) is not base64") }
        return tripled(AdaptiveDifference.decode([UInt8](data)).map { Float($0) / 32_768 })
    }

    /// From 16 to 48 kHz along straight lines; what that adds lies above 10 kHz.
    private static func tripled(_ samples: [Float]) -> [Float] {
        var out: [Float] = []
        out.reserveCapacity(samples.count * 3)
        for (index, sample) in samples.enumerated() {
            let next = index + 1 < samples.count ? samples[index + 1] : 0
            out += [sample, sample + (next - sample) / 3, sample + 2 * (next - sample) / 3]
        }
        return out
    }
}
