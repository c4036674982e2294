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
/// An end that is gone answers whatever still comes with a reset.
final class SimStream {
    enum EndState {
        case handshaking
        case open
        /// Closed here; what was queued still goes out, nothing is reported any more.
        case closing
        case gone
    }

    struct End {
        let host: Int
        /// The life of the process that owns this end, and the address that it was bound to.
        let life: UInt32
        let address: IPAddress
        var state: EndState
    }

    let number: Int
    let dial: DialID
    let expecting: NodeID?
    let dialledAt: Instant
    /// Whether the peer's kernel has answered: from then on a reset is a failed handshake.
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

    /// Every end has a number of its own, as every process counts its connections by itself.
    func carrier(at end: Int) -> CarrierID { CarrierID(number: UInt64(number * 2 + end)) }

    /// Where the end's peer appears to be: the acceptor sees an ephemeral port.
    func remote(of end: Int) -> Endpoint {
        end == 0
            ? Endpoint(address: ends[1].address, port: SimLimits.port)
            : Endpoint(address: ends[0].address, port: UInt16(32_768 + number % 28_000))
    }
}

/// One direction of a connection, as its sender's kernel sees it.
///
/// Flowing: what is sent arrives and is acknowledged. Stalled: something is lost or its
/// acknowledgement cannot come back; everything waits behind it and is tried again at growing
/// intervals (RFC 6298 §5), until the user time-out.
struct StreamDirection {
    enum Flow {
        case flowing
        case stalled(since: Instant, retryAfter: Interval)
    }

    struct Unacknowledged {
        let segment: Segment
        /// It arrived, and only the acknowledgement is missing: it is not delivered twice.
        var hasArrived: Bool
    }

    var flow = Flow.flowing
    /// Since when all that was sent has arrived; nothing of a stall.
    var flowsSince = Instant.zero
    /// Counts the stalls, so that the timer of an earlier one means nothing.
    var stall = 0
    var queue: [Unacknowledged] = []
    var queuedByteCount = 0
    /// Nothing may arrive before what was sent earlier.
    var lastArrival = Instant(nanoseconds: .min)

    mutating func append(_ segment: Segment, hasArrived: Bool) {
        queue.append(Unacknowledged(segment: segment, hasArrived: hasArrived))
        queuedByteCount += segment.byteCount
    }

    mutating func removeFirst() {
        queuedByteCount -= queue.removeFirst().segment.byteCount
    }

    /// Voice that waited too long is dropped where it has not been tried yet.
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
