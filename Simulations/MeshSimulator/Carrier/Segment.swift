import Primitives

/// One item that travels in order on a simulated connection.
enum Segment {
    /// Steps 1 and 2 connect (SYN, SYN-ACK), and steps 3 to 6 are TLS. The dialler sends the odd steps.
    case handshake(step: Int)
    case frame([UInt8], digest: UInt64, isVoice: Bool, queuedAt: Instant)
    /// The sender has closed. Everything that it sent before has arrived.
    case end

    var byteCount: Int {
        if case .frame(let bytes, _, _, _) = self { bytes.count } else { 0 }
    }
}

/// A future event on a simulated connection. Streams have numbers. End 0 is the dialler, and end 1 the acceptor.
enum StreamEvent {
    /// A segment reaches an end.
    case arrival(stream: Int, at: Int, Segment)
    /// The retransmission timer of the direction that starts at end `from` runs out.
    case retransmission(stream: Int, from: Int, stall: Int)
    /// A reset reaches an end, because the other end has refused, closed or abandoned the connection.
    case reset(stream: Int, at: Int)
    case dialFailure(stream: Int, CarrierFailure)
    /// The handshake of this end must be complete by now.
    case handshakeTimeout(stream: Int, at: Int)

    var stream: Int {
        switch self {
        case .arrival(let stream, _, _), .retransmission(let stream, _, _), .reset(let stream, _),
            .dialFailure(let stream, _), .handshakeTimeout(let stream, _):
            stream
        }
    }
}

/// The reason why a dial failed before any answer came.
enum CarrierFailure {
    case unreachable, own
}
