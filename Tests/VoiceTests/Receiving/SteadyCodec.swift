import Primitives
import Voice

/// A codec whose frames are one value each, which its last four bytes name; it notes what it is asked.
final class SteadyCodec {
    struct Log {
        var resets = 0
        var destroys = 0
        /// Samples asked for without bytes.
        var bridges: [Int32] = []
        /// Bytes of the frames.
        var byteCounts: [Int32] = []
        /// Samples that it writes of a frame, and says that it has written; nil for all.
        var written: Int32?
        var bridge: Float = 0
    }

    /// Never given back: a receiver may outlive the codec in a test.
    private let log = UnsafeMutablePointer<Log>.allocate(capacity: 1)
    var seen: Log {
        get { log.pointee }
        set { log.pointee = newValue }
    }

    init() { log.initialize(to: Log()) }

    static func bytes(_ value: Float, count: Int = 4) -> [UInt8] {
        [UInt8](repeating: 1, count: count - 4) + withUnsafeBytes(of: value.bitPattern.littleEndian) { Array($0) }
    }

    /// All of them share the log.
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
