import Primitives

/// One thing that travels in order on a simulated connection.
enum Segment {
    /// Steps 1 and 2 connect (SYN, SYN-ACK), 3 to 6 are TLS; odd ones come from the dialler.
    case handshake(step: Int)
    case frame([UInt8], digest: UInt64, isVoice: Bool, queuedAt: Instant)
    /// The sender has closed; what it sent before has arrived.
    case end

    var byteCount: Int {
        if case .frame(let bytes, _, _, _) = self { bytes.count } else { 0 }
    }
}

/// What happens later on a simulated connection. A stream is named by its number, an end by 0 for
/// the dialler and 1 for the acceptor.
enum StreamEvent {
    /// A segment reaches an end.
    case arrival(stream: Int, at: Int, Segment)
    /// The retransmission timer of the direction that starts at an end.
    case retransmission(stream: Int, from: Int, stall: Int)
    /// Word reaches an end that the other does not know the connection.
    case reset(stream: Int, at: Int)
    case dialFailure(stream: Int, CarrierFailure)
    /// The end must have come through its handshake by now.
    case handshakeTimeout(stream: Int, at: Int)

    var stream: Int {
        switch self {
        case .arrival(let stream, _, _), .retransmission(let stream, _, _), .reset(let stream, _),
            .dialFailure(let stream, _), .handshakeTimeout(let stream, _):
            stream
        }
    }
}

/// Why a dial came to nothing before anybody answered.
enum CarrierFailure {
    case unreachable, own
}
