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

/// Decodes IMA ADPCM: four bits a sample, low nibble first (IMA Digital Audio Focus and Technical Working Groups,
/// "Recommended Practices for Enhancing Digital Audio Compatibility", 1992).
package enum AdaptiveDifference {
    package static func decode(_ bytes: [UInt8]) -> [Int16] {
        var value = 0
        var step = 0
        var out: [Int16] = []
        out.reserveCapacity(bytes.count * 2)
        for byte in bytes {
            for code in [Int(byte & 15), Int(byte >> 4)] {
                let size = sizes[step]
                var difference = size >> 3
                if code & 1 != 0 { difference += size >> 2 }
                if code & 2 != 0 { difference += size >> 1 }
                if code & 4 != 0 { difference += size }
                value = min(max(value + (code & 8 == 0 ? difference : -difference), -32_768), 32_767)
                step = min(max(step + changes[code & 7], 0), sizes.count - 1)
                out.append(Int16(value))
            }
        }
        return out
    }

    private static let changes = [-1, -1, -1, -1, 2, 4, 6, 8]
    private static let sizes = [
        7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 19, 21, 23, 25, 28, 31, 34, 37, 41, 45, 50, 55, 60, 66, 73, 80, 88, 97,
        107, 118, 130, 143, 157, 173, 190, 209, 230, 253, 279, 307, 337, 371, 408, 449, 494, 544, 598, 658, 724, 796,
        876, 963, 1_060, 1_166, 1_282, 1_411, 1_552, 1_707, 1_878, 2_066, 2_272, 2_499, 2_749, 3_024, 3_327, 3_660,
        4_026, 4_428, 4_871, 5_358, 5_894, 6_484, 7_132, 7_845, 8_630, 9_493, 10_442, 11_487, 12_635, 13_899, 15_289,
        16_818, 18_500, 20_350, 22_385, 24_623, 27_086, 29_794, 32_767,
    ]
}
