import Foundation

/// The voices that the nodes of a lab speak with, one sentence each.
package enum VoiceClip {
    /// Number of voices. With more nodes, the voices are used again from the first.
    package static var count: Int { VoiceData.clips.count }

    /// Returns the voice of a node: mono at 48 kHz, full scale 1.
    package static func samples(of node: Int) -> [Float] {
        let text = VoiceData.clips[node % count]
        guard let data = Data(base64Encoded: text) else { preconditionFailure("voice \(node) is not base64") }
        return tripled(AdaptiveDifference.decode([UInt8](data)).map { Float($0) / 32_768 })
    }

    /// Converts from 16 to 48 kHz by linear interpolation. The image frequencies that this adds lie above 8 kHz.
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
