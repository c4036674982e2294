package import Primitives

/// A running 64-bit fingerprint of a run. Nearly everything that nodes take in and put out enters it.
///
/// Two runs with the same hash almost certainly did the same. The hash is not cryptographic. The mixing step is the
/// multiply and xor-shift of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
package struct TraceHash: Hashable, Sendable {
    package private(set) var value: UInt64

    package init(seed: UInt64) { value = TraceHash.mixed(seed) }

    package mutating func add(_ word: UInt64) { value = TraceHash.mixed(value ^ word) }

    /// Adds one line of the trace: the node, the kind, the instant, and a digest of the bytes.
    package mutating func add(node: Int, kind: TraceKind, at instant: Instant, digest: UInt64) {
        add(UInt64(truncatingIfNeeded: node) << 8 | UInt64(kind.rawValue))
        add(UInt64(bitPattern: instant.nanoseconds) ^ digest)
    }

    /// Returns a digest of bytes. It is computed once, where the bytes are sent, and travels with them.
    package static func digest(_ bytes: [UInt8]) -> UInt64 {
        var state = mixed(UInt64(bytes.count))
        let tail = bytes.count & ~7
        bytes.withUnsafeBytes { buffer in
            for offset in stride(from: 0, to: tail, by: 8) {
                let word = buffer.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                state = mixed(state ^ UInt64(bigEndian: word))
            }
        }
        guard tail < bytes.count else { return state }
        return mixed(state ^ bytes[tail...].reduce(0) { $0 << 8 | UInt64($1) })
    }

    package static func digest(_ text: String) -> UInt64 { digest(Array(text.utf8)) }

    private static func mixed(_ word: UInt64) -> UInt64 {
        var z = word &+ 0x9E37_79B9_7F4A_7C15
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// Returns the part of one seed's run in the fingerprint of many runs. Such parts are combined by xor, so that the
    /// order in which runs end does not matter.
    package func word(ofSeed seed: UInt64) -> UInt64 { TraceHash.mixed(value ^ TraceHash.mixed(seed)) }

    /// The fingerprint of many runs, from their words.
    package init(combining words: UInt64) { value = words }

    /// Sixteen hexadecimal digits.
    package var text: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

/// The kind of a line of the trace. Raw values enter the hash: append, never renumber.
package enum TraceKind: UInt8, Sendable {
    case wake, datagram, beacon, hint, carrierOpened, carrierFrame, carrierClosed, dialFailed
    case start, stop, fault, resumed, voiceIn, command
    case send, dial, cancelDial, carrierSend, carrierSendVoice, carrierClose, sendBeacon, announce
    case voiceOut, peerMediaClock, peerReport, event, remember, addresses
    case advanceInstance, advanced
    case dialThrough, tunnel
    case sounded, receptionReport
    case directory
    case call
    case codeTask, codeProved, enteredMesh, storeMesh, meshStored
    case channelCode
}
