import Primitives
import Wire

/// The fields of a control block that are the same on all paths; the path set knows the others.
struct ControlFacts {
    var digest: UInt64
    var sampleTime: SampleTime
    var report: ReceptionReport?
    var flags: ControlFlags
}

extension PathSet {
    /// Returns the content of a datagram for one path. Its control block echoes the newest block that came over that
    /// path.
    func makeBody(
        over path: Int, facts: ControlFacts?, voice: [UInt8] = [], relayed: RelayedDatagram? = nil, now: Instant
    ) -> DatagramBody {
        var body = DatagramBody(voice: voice, relayed: relayed)
        if let facts {
            controlSequence &+= 1
            let heard = table[path].newestHeard
            let delay = heard.map { (now - $0.at).microseconds } ?? 0
            body.control = ControlBlock(
                sequence: controlSequence, echo: heard?.sequence, echoDelayMicroseconds: UInt32(clamping: delay),
                digest: facts.digest, sampleTime: facts.sampleTime, report: facts.report, flags: facts.flags)
            sent.note(SentHeartbeats.Block(sequence: controlSequence, at: now, route: table[path].route))
        }
        return body
    }

    /// The result of an echo that counts.
    struct Echo {
        var rtt: Interval
        /// Whether the path of the echoed block can be used now. The path may have been replaced or forgotten since,
        /// and a link over which nothing can be sent is no link.
        var isPathOpen: Bool
    }

    /// Handles the echo in a control block. Returns nil unless the echo counts: it names a sent block, within the
    /// limit, for the first time.
    /// - Parameter hasCarrier: whether the session has a carrier now.
    func handleEcho(_ block: ControlBlock, hasCarrier: Bool, now: Instant) -> Echo? {
        guard let named = block.echo, let sentBlock = sent.take(named, now: now) else { return nil }
        let rtt = max(.zero, now - sentBlock.at - .microseconds(Int64(block.echoDelayMicroseconds)))
        // The echo proves that the path was open when the block left, not when the echo came back.
        echoedAt = max(echoedAt ?? sentBlock.at, sentBlock.at)
        // The path may be gone: its index may hold another path, and a renewal replaces the carrier.
        guard let path = table.index(of: sentBlock.route), sentBlock.route != .carrier || hasCarrier else {
            return Echo(rtt: rtt, isPathOpen: false)
        }
        table[path].note(rtt: rtt)
        guard !table[path].isForgotten else { return Echo(rtt: rtt, isPathOpen: false) }
        table[path].echoedAt = now
        return Echo(rtt: rtt, isPathOpen: true)
    }
}
