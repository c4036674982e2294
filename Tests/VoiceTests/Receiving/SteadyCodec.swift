import Primitives
import Voice

/// A codec whose frames have one value each, in their last four bytes. It records its calls.
final class SteadyCodec {
    struct Log {
        var resets = 0
        var destroys = 0
        /// Sample counts of calls without bytes.
        var bridges: [Int32] = []
        /// Sizes of the frames.
        var byteCounts: [Int32] = []
        /// Samples of a frame that it writes and reports; nil for all.
        var written: Int32?
        var bridge: Float = 0
    }

    /// Never released, because a receiver may outlive the codec in a test.
    private let log = UnsafeMutablePointer<Log>.allocate(capacity: 1)
    var seen: Log {
        get { log.pointee }
        set { log.pointee = newValue }
    }

    init() { log.initialize(to: Log()) }

    static func bytes(_ value: Float, count: Int = 4) -> [UInt8] {
        [UInt8](repeating: 1, count: count - 4) + withUnsafeBytes(of: value.bitPattern.littleEndian) { Array($0) }
    }

    /// All decoders share the log.
    var decoders: [VoiceDecoder] {
        let decoder = VoiceDecoder(
            state: UnsafeMutableRawPointer(log),
            decode: { state, bytes, byteCount, samples, count in
                let log = state.assumingMemoryBound(to: Log.self)
                var value = log.pointee.bridge
                if let bytes {
                    log.pointee.byteCounts.append(byteCount)
                    let last = UnsafeRawPointer(bytes + Int(byteCount) - 4).loadUnaligned(as: UInt32.self)
                    value = Float(bitPattern: UInt32(littleEndian: last))
                } else {
                    log.pointee.bridges.append(count)
                }
                let written = log.pointee.written ?? count
                for index in 0..<max(0, Int(written)) { samples[index] = value }
                return written
            },
            reset: { $0.assumingMemoryBound(to: Log.self).pointee.resets += 1 },
            destroy: { $0.assumingMemoryBound(to: Log.self).pointee.destroys += 1 })
        return [VoiceDecoder](repeating: decoder, count: VoiceLimits.talkersMax)
    }
}
