import Mesh
import Primitives

/// Lifeguard's anomaly (Dadgar, Phillips and Currey, DSN-W 2018): a processor too slow to read what the network brings,
/// while its timers run on.
struct SlowProcessor {
    var blocked: Interval
    var reading: Interval
    /// Busy: what the network brings waits, timers do not.
    var isBlocked = true
    /// No two of its turns are of one length, or what it answers at once would be in step with them.
    var random: SeededRandom

    mutating func nextTurn() -> Interval {
        (isBlocked ? blocked : reading) + random.interval(in: .zero...(.milliseconds(1)))
    }
}

extension World {
    /// Slows a processor from now on, whatever runs on it; frees it where `blocked` is zero.
    func slowDown(_ node: Int, blocked: Interval, reading: Interval) {
        nodes[node].slowEpisode += 1
        guard .zero < blocked else {
            let wasBlocked = nodes[node].slowness?.isBlocked == true
            nodes[node].slowness = nil
            if wasBlocked, isRunning(node) { releaseHeld(of: node) }
            return
        }
        let random = streams.corners(ofNode: node, life: nodes[node].slowEpisode)
        nodes[node].slowness = SlowProcessor(blocked: blocked, reading: reading, random: random)
        queue.schedule(.turn(node: node, episode: nodes[node].slowEpisode), at: now + blocked)
    }

    /// It reads what waited, in order, and for a while whatever comes; or it is busy again.
    func turnSlowProcessor(of node: Int, episode: UInt32) {
        guard nodes[node].slowEpisode == episode, var slowness = nodes[node].slowness else { return }
        faultLog.note(hindered: node, at: now)
        slowness.isBlocked.toggle()
        queue.schedule(.turn(node: node, episode: episode), at: now + slowness.nextTurn())
        nodes[node].slowness = slowness
        if !slowness.isBlocked, isRunning(node) { releaseHeld(of: node) }
    }

    func isSlow(_ node: Int) -> Bool { nodes[node].slowness != nil }

    /// Whether a living process reads nothing at present.
    func isHoldingBack(_ node: Int) -> Bool {
        if case .paused = nodes[node].process { true } else { nodes[node].slowness?.isBlocked == true }
    }

    /// Whether an input waits until its node gets round to reading.
    func isHeldBack(_ kind: TraceKind, at node: Int) -> Bool {
        guard nodes[node].slowness?.isBlocked == true else { return false }
        switch kind {
        case .datagram, .beacon, .hint, .carrierOpened, .carrierFrame, .carrierClosed, .dialFailed, .tunnel:
            return true
        default: return false
        }
    }

    /// Gives a process what waited for it.
    func releaseHeld(of node: Int) {
        let held = nodes[node].held
        nodes[node].held = []
        nodes[node].heldDatagramCount = 0
        for waiting in held {
            switch waiting {
            case .input(let input, let kind, let digest, let author):
                deliver(input, kind, digest, to: node, of: author)
            case .stream(let ticket): handleStream(ticket)
            }
        }
    }
}
