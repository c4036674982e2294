import Mesh
import Primitives

/// Lifeguard's anomaly (Dadgar, Phillips and Currey, DSN-W 2018): a processor that is too slow to read its network
/// input, while its timers run on time.
struct SlowProcessor {
    var blocked: Interval
    var reading: Interval
    /// Whether the processor is busy: network input waits, and timers do not.
    var isBlocked = true
    /// Makes each phase of another length. Phases of equal length would let the process answer at regular intervals.
    var random: SeededRandom

    mutating func nextTurn() -> Interval {
        (isBlocked ? blocked : reading) + random.interval(in: .zero...(.milliseconds(1)))
    }
}

extension World {
    /// Slows a node's processor from now on, also after restarts. A `blocked` of zero ends this.
    func slowDown(_ node: Int, blocked: Interval, reading: Interval) {
        nodes[node].slowEpisode += 1
        guard .zero < blocked else {
            let wasBlocked = nodes[node].slowness?.isBlocked == true
            nodes[node].slowness = nil
            if wasBlocked, isRunning(node) { releaseHeld(of: node) }
            return
        }
        observe(.heldBack(node: node, isOn: true))
        let random = streams.corners(ofNode: node, life: nodes[node].slowEpisode)
        nodes[node].slowness = SlowProcessor(blocked: blocked, reading: reading, random: random)
        queue.schedule(.turn(node: node, episode: nodes[node].slowEpisode), at: now + blocked)
    }

    /// Turns a slow processor from busy to reading, or back. When it begins to read, the process reads all that waited,
    /// in order.
    func turnSlowProcessor(of node: Int, episode: UInt32) {
        guard nodes[node].slowEpisode == episode, var slowness = nodes[node].slowness else { return }
        faultLog.note(hindered: node, at: now)
        slowness.isBlocked.toggle()
        queue.schedule(.turn(node: node, episode: episode), at: now + slowness.nextTurn())
        nodes[node].slowness = slowness
        if slowness.isBlocked {
            observe(.heldBack(node: node, isOn: true))
        } else if isRunning(node) {
            releaseHeld(of: node)
        }
    }

    func isSlow(_ node: Int) -> Bool { nodes[node].slowness != nil }

    /// Whether a node reads nothing at present, because it is paused or its processor is busy.
    func isHoldingBack(_ node: Int) -> Bool {
        if case .paused = nodes[node].process { true } else { nodes[node].slowness?.isBlocked == true }
    }

    /// Whether an input waits because the node's processor is busy. Only input from the network and from tunnels
    /// waits.
    func isHeldBack(_ kind: TraceKind, at node: Int) -> Bool {
        guard nodes[node].slowness?.isBlocked == true else { return false }
        switch kind {
        case .datagram, .beacon, .hint, .carrierOpened, .carrierFrame, .carrierClosed, .dialFailed, .tunnel:
            return true
        default: return false
        }
    }

    /// Gives a process the input that waited for it.
    func releaseHeld(of node: Int) {
        observe(.heldBack(node: node, isOn: false))
        let held = nodes[node].held
        nodes[node].held = []
        nodes[node].heldDatagramCount = 0
        for waiting in held {
            switch waiting {
            case .input(let input, let kind, let digest, let author):
                deliver(input, kind, digest, to: node, of: author)
            case .stream(let ticket): handleStream(ticket)
            case .gate(let carrier): openGate(of: carrier, at: node)
            }
        }
    }
}
