import Primitives
import Wire

/// One end of TLS in a tunnel, as the shell keeps it, without cryptography. Identities are values. Frames are bytes
/// in order, which are cut into pieces and joined again.
///
///     dialler                     acceptor
///        hello ───────────────────────►
///        open  ◄───────────────────────  answer
///        finished ────────────────────►  open
struct TunnelStream {
    enum Word {
        case opened(NodeID)
        case frame([UInt8])
        case closed
        /// The other end has another identity than expected.
        case strange
        /// The bytes are no message, because a hostile member wrote or dropped some. TLS ends the connection then.
        case broken
    }

    private enum Message: UInt8 {
        case hello = 1
        case answer = 2
        case finished = 3
        case frame = 4
        case end = 5
    }

    private struct Unsent {
        var bytes: [UInt8]
        let isVoice: Bool
        let queuedAt: Instant
        var hasBegun = false
    }

    private static let headBytes = 5

    private let own: NodeID
    private let expecting: NodeID
    private(set) var isOpen = false
    private var unsent: [Unsent] = []
    private var unsentByteCount = 0
    private var received: [UInt8] = []

    /// Creates an end. The dialler sends the first message.
    init(own: NodeID, expecting: NodeID, isDialler: Bool, now: Instant) {
        self.own = own
        self.expecting = expecting
        if isDialler { queue(.hello, own.bytes, now: now) }
    }

    /// Whether all queued bytes have left.
    var isDrained: Bool { unsent.isEmpty }

    /// Queues a frame; returns false if too many bytes wait already.
    mutating func send(_ frame: [UInt8], isVoice: Bool, now: Instant) -> Bool {
        if isVoice { dropOldVoice(now: now) }
        guard unsentByteCount + frame.count <= SimLimits.unsentBytesMax else { return false }
        queue(.frame, frame, isVoice: isVoice, now: now)
        return true
    }

    mutating func close(now: Instant) { queue(.end, [], now: now) }

    /// Returns the next piece for the tunnel, with as many queued bytes as fit; nil if nothing waits.
    mutating func takePiece() -> [UInt8]? {
        var piece: [UInt8] = []
        while !unsent.isEmpty, piece.count < WireLimits.tunnelDataBytesMax {
            let count = min(WireLimits.tunnelDataBytesMax - piece.count, unsent[0].bytes.count)
            piece += unsent[0].bytes[..<count]
            unsent[0].bytes.removeFirst(count)
            unsent[0].hasBegun = true
            if unsent[0].bytes.isEmpty { unsent.removeFirst() }
        }
        unsentByteCount -= piece.count
        return piece.isEmpty ? nil : piece
    }

    mutating func receive(_ piece: [UInt8], now: Instant) -> [Word] {
        received += piece
        var words: [Word] = []
        while let (kind, body) = nextMessage() {
            switch Message(rawValue: kind) {
            case nil: return words + [.broken]
            case .hello:
                queue(.answer, own.bytes, now: now)
                guard NodeID(body) == expecting else { return words + [.strange] }
            case .answer:
                guard NodeID(body) == expecting else { return words + [.strange] }
                queue(.finished, [], now: now)
                isOpen = true
                words.append(.opened(expecting))
            case .finished:
                isOpen = true
                words.append(.opened(expecting))
            case .frame: words.append(.frame(body))
            case .end: words.append(.closed)
            }
        }
        return words
    }

    private mutating func queue(_ message: Message, _ body: [UInt8], isVoice: Bool = false, now: Instant) {
        var writer = ByteWriter(capacity: TunnelStream.headBytes + body.count)
        writer.u8(message.rawValue)
        writer.u32(UInt32(body.count))
        writer.raw(body)
        unsent.append(Unsent(bytes: writer.bytes, isVoice: isVoice, queuedAt: now))
        unsentByteCount += writer.bytes.count
    }

    private mutating func nextMessage() -> (kind: UInt8, body: [UInt8])? {
        var reader = ByteReader(received)
        guard let kind = try? reader.u8(), let count = try? reader.u32(),
            let body = try? reader.bytes(count: Int(count))
        else { return nil }
        received = reader.rest()
        return (kind, body)
    }

    /// Drops voice that has waited longer than `SimLimits.voiceAgeMax`, except a frame whose first bytes have left.
    private mutating func dropOldVoice(now: Instant) {
        for index in unsent.indices.reversed()
        where unsent[index].isVoice && !unsent[index].hasBegun && SimLimits.voiceAgeMax < now - unsent[index].queuedAt {
            unsentByteCount -= unsent[index].bytes.count
            unsent.remove(at: index)
        }
    }
}
