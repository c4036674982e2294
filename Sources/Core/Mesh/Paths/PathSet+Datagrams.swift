import Primitives
import Trust
import Wire

/// The fields of a control block that the node knows; the session knows the others.
struct ControlFacts {
    var digest: UInt64
    var sampleTime: SampleTime
    var report: ReceptionReport?
    var flags: ControlFlags
}

extension Session {
    /// Returns a sealed datagram for one path. Its control block echoes the newest block that came over that path.
    /// Returns nil while the session has no key to seal with.
    func makeDatagram(
        over path: Int, facts: ControlFacts?, voice: [UInt8] = [], relayed: RelayedDatagram? = nil, now: Instant
    ) -> [UInt8]? {
        var body = DatagramBody(voice: voice, relayed: relayed)
        if let facts {
            controlSequence &+= 1
            let heard = paths[path].newestHeard
            let delay = heard.map { (now - $0.at).microseconds } ?? 0
            body.control = ControlBlock(
                sequence: controlSequence, echo: heard?.sequence, echoDelayMicroseconds: UInt32(clamping: delay),
                digest: facts.digest, sampleTime: facts.sampleTime, report: facts.report, flags: facts.flags)
            sent.note(SentHeartbeats.Block(sequence: controlSequence, at: now, route: paths[path].route))
        }
        return media.seal(body.encoded())
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
    func handleEcho(_ block: ControlBlock, now: Instant) -> Echo? {
        guard let named = block.echo, let sentBlock = sent.take(named, now: now) else { return nil }
        let rtt = max(.zero, now - sentBlock.at - .microseconds(Int64(block.echoDelayMicroseconds)))
        // The echo proves that the path was open when the block left, not when the echo came back.
        echoedAt = max(echoedAt ?? sentBlock.at, sentBlock.at)
        // The path may be gone: its index may hold another path, and a renewal replaces the carrier.
        guard let path = paths.index(of: sentBlock.route), sentBlock.route != .carrier || carrier != nil else {
            return Echo(rtt: rtt, isPathOpen: false)
        }
        paths[path].note(rtt: rtt)
        guard !paths[path].isForgotten else { return Echo(rtt: rtt, isPathOpen: false) }
        paths[path].echoedAt = now
        return Echo(rtt: rtt, isPathOpen: true)
    }
}
