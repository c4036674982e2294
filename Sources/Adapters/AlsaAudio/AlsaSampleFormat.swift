import CAlsa

/// The format in which the device stores a sample. The node converts it from and to 32-bit floats.
package enum AlsaSampleFormat: String, CaseIterable, Hashable, Sendable {
    /// The cases are in the order in which the device is asked for them.
    case float32
    case int32
    case int16

    package var bytes: Int { self == .int16 ? 2 : 4 }

    var alsa: snd_pcm_format_t {
        switch self {
        case .float32: SND_PCM_FORMAT_FLOAT
        case .int32: SND_PCM_FORMAT_S32
        case .int16: SND_PCM_FORMAT_S16
        }
    }

    /// Converts `count` interleaved samples of each of `channels` channels to mono, as their mean.
    package func decode(
        _ device: UnsafeRawPointer, channels: Int, into mono: UnsafeMutablePointer<Float>, count: Int
    ) {
        let share = 1 / Float(channels)
        for index in 0..<count {
            var sum: Float = 0
            for channel in 0..<channels { sum += sample(device, at: index * channels + channel) }
            mono[index] = sum * share
        }
    }

    /// Converts `count` interleaved floats to device samples. Values beyond full scale are cut for the integer formats.
    package func encode(_ floats: UnsafePointer<Float>, into device: UnsafeMutableRawPointer, count: Int) {
        switch self {
        case .float32:
            device.copyMemory(from: floats, byteCount: count * 4)
        case .int32:
            let integers = device.assumingMemoryBound(to: Int32.self)
            // The largest float below full scale of 32 bits: 2^31 itself would overflow.
            for index in 0..<count { integers[index] = Int32(clipped(floats[index]) * 2_147_483_520) }
        case .int16:
            let integers = device.assumingMemoryBound(to: Int16.self)
            for index in 0..<count { integers[index] = Int16((clipped(floats[index]) * 32_767).rounded()) }
        }
    }

    private func sample(_ device: UnsafeRawPointer, at index: Int) -> Float {
        switch self {
        case .float32: finite(device.loadUnaligned(fromByteOffset: index * 4, as: Float.self))
        case .int32: Float(device.loadUnaligned(fromByteOffset: index * 4, as: Int32.self)) * 0x1p-31
        case .int16: Float(device.loadUnaligned(fromByteOffset: index * 2, as: Int16.self)) * 0x1p-15
        }
    }

    /// A NaN becomes 0, since it would stay in every filter for ever.
    private func finite(_ value: Float) -> Float { value.isFinite ? value : 0 }

    /// A NaN becomes 0, since its conversion to an integer would trap.
    private func clipped(_ value: Float) -> Float { value.isNaN ? 0 : min(max(value, -1), 1) }
}
