import Primitives

/// One simulated connection: two ends, two directions.
///
/// ```
///            dialler                              acceptor
///   dialling ── connect (1) ──────────────────────────►
///            ◄───────────────────── its answer (2) ──    handshaking
///            ── TLS hello (3) ────────────────────────►
///            ◄────────────────── TLS hello answer (4) ──
///            ── TLS finished (5) ─────────────────────►  open
///       open ◄─────────────────────── finished (6) ────
///    closing ── end ──────────────────────────────────►  gone
/// ```
/// An end that is gone answers each later segment with a reset.
final class SimStream {
    enum EndState {
        case handshaking
        case open
        /// This side has closed. Queued segments still go out, and the process gets no more reports.
        case closing
        case gone
    }

    struct End {
        let host: Int
        /// The life of the process that owns this end, and the address to which the end was bound.
        let life: UInt32
        let address: IPAddress
        var state: EndState
    }

    let number: Int
    let dial: DialID
    let expecting: NodeID?
    let dialledAt: Instant
    /// Whether the peer's kernel has answered. A reset during the handshake then means `.handshake`, and not
    /// `.refused`.
    var isConnected = false
    var ends: [End]
    var directions = [StreamDirection(), StreamDirection()]

    init(number: Int, dial: DialID, expecting: NodeID?, dialledAt: Instant, ends: [End]) {
        self.number = number
        self.dial = dial
        self.expecting = expecting
        self.dialledAt = dialledAt
        self.ends = ends
    }

    func joins(_ a: Int, _ b: Int) -> Bool {
        ends[0].host == a && ends[1].host == b || ends[0].host == b && ends[1].host == a
    }

    /// Whether both ends are open.
    var isOpen: Bool {
        ends.allSatisfy { if case .open = $0.state { true } else { false } }
    }

    /// Returns the carrier number of an end. Each end has its own number, because each process counts its own
    /// connections.
    func carrier(at end: Int) -> CarrierID { CarrierID(number: UInt64(number * 2 + end)) }

    /// Returns the peer's address as this end sees it. The acceptor sees an ephemeral port.
    func remote(of end: Int) -> Endpoint {
        end == 0
            ? Endpoint(address: ends[1].address, port: SimLimits.port)
            : Endpoint(address: ends[0].address, port: UInt16(32_768 + number % 28_000))
    }
}

/// One direction of a connection, as its sender's kernel sees it.
///
/// Flowing: segments arrive and are acknowledged. Stalled: a segment was lost, or its acknowledgement cannot come
/// back. All later segments wait behind it, and the kernel tries it again at growing intervals (RFC 6298 §5), until
/// the user time-out.
struct StreamDirection {
    enum Flow {
        case flowing
        case stalled(since: Instant, retryAfter: Interval)
    }

    struct Unacknowledged {
        let segment: Segment
        /// Whether the segment has arrived and only its acknowledgement is missing. It is not delivered twice.
        var hasArrived: Bool
    }

    var flow = Flow.flowing
    /// When the direction last began to flow; has no meaning while it is stalled.
    var flowsSince = Instant.zero
    /// Counts the stalls, so that the timer of an earlier stall is ignored.
    var stall = 0
    var queue: [Unacknowledged] = []
    var queuedByteCount = 0
    /// Arrival of the last segment. No later segment may arrive before it.
    var lastArrival = Instant(nanoseconds: .min)

    mutating func append(_ segment: Segment, hasArrived: Bool) {
        queue.append(Unacknowledged(segment: segment, hasArrived: hasArrived))
        queuedByteCount += segment.byteCount
    }

    mutating func removeFirst() {
        queuedByteCount -= queue.removeFirst().segment.byteCount
    }

    /// Drops voice that has waited longer than `SimLimits.voiceAgeMax`, except in the first segment, which has been
    /// tried.
    mutating func dropOldVoice(now: Instant) {
        var kept: [Unacknowledged] = []
        for (index, entry) in queue.enumerated() {
            if 0 < index, case .frame(_, _, true, let queuedAt) = entry.segment,
                SimLimits.voiceAgeMax < now - queuedAt
            {
                queuedByteCount -= entry.segment.byteCount
            } else {
                kept.append(entry)
            }
        }
        queue = kept
    }
}
