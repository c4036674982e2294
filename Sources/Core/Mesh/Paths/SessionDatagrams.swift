import Primitives
import Trust
import Wire

/// What the node adds to a control block; the session knows the rest.
struct ControlFacts {
    var digest: UInt64
    var sampleTime: SampleTime
    var report: ReceptionReport?
    var flags: ControlFlags
}

extension Session {
    /// A sealed datagram for one path: its control block echoes what came over that path.
    /// Nil before the session seals.
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

    /// What an echo shows that counts.
    struct Echo {
        var rtt: Interval
        /// The way that the echoed block took can be taken now as well. Its path may be gone or
        /// forgotten since, and a link that nothing can be sent over is none.
        var isPathOpen: Bool
    }

    /// Takes an echo in; nil unless it counts: named within the limit, for the first time.
    func noteEcho(_ block: ControlBlock, now: Instant) -> Echo? {
        guard let named = block.echo, let sentBlock = sent.take(named, now: now) else { return nil }
        let rtt = max(.zero, now - sentBlock.at - .microseconds(Int64(block.echoDelayMicroseconds)))
        // The echo proves that the way was open when its block left, not when it came back.
        echoedAt = max(echoedAt ?? sentBlock.at, sentBlock.at)
        // The way may be gone: its place may hold another, and a carrier is another one after a renewal.
        guard let path = paths.index(of: sentBlock.route), sentBlock.route != .carrier || carrier != nil else {
            return Echo(rtt: rtt, isPathOpen: false)
        }
        paths[path].note(rtt: rtt)
        guard !paths[path].isForgotten else { return Echo(rtt: rtt, isPathOpen: false) }
        paths[path].echoedAt = now
        return Echo(rtt: rtt, isPathOpen: true)
    }
}
