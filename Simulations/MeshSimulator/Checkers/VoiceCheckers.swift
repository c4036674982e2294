package import Primitives

/// Promise I3: once an observer has accepted a life of a peer, it hears nothing of an earlier life. All voice in a
/// peer's slot is the voice of that peer.
package struct GhostsStaySilent: SafetyChecker {
    private let nodeCount: Int
    /// For each node, the instances of all its lives, in order. A life has more than one instance if it has advanced.
    private var labels: [[(instance: Instance, life: UInt32)]]
    private var lives: [UInt32]
    /// By observer and peer: the life that came up or was heard last.
    private var accepted: [UInt32]

    package init(nodeCount: Int) {
        self.nodeCount = nodeCount
        labels = Array(repeating: [], count: nodeCount)
        lives = Array(repeating: 0, count: nodeCount)
        accepted = Array(repeating: 0, count: nodeCount * nodeCount)
    }

    package var kinds: ObservationKinds { [.voice, .others] }

    package mutating func observe(_ observation: Observation, at instant: Instant) -> String? {
        switch observation {
        case .started(let node, let instance):
            lives[node] += 1
            labels[node].append((instance, lives[node]))
            for peer in 0..<nodeCount { accepted[node * nodeCount + peer] = 0 }
            return nil
        case .advanced(let node, let instance):
            labels[node].append((instance, lives[node]))
            return nil
        case .peerUp(let observer, let peer, _, let instance):
            // If a counter was rolled back, several lives have the same instance. The checker then takes the earliest
            // of them that is not older than the accepted one, so that it accuses no node wrongly.
            let newest = accepted[observer * nodeCount + peer]
            let lives = labels[peer].filter { $0.instance == instance }.map(\.life)
            guard let life = lives.first(where: { newest <= $0 }) ?? lives.last else { return nil }
            return take(life, of: peer, by: observer, "up")
        case .voice(let observer, let slotHolder, let stamp):
            guard let stamp else { return "node \(observer): damaged voice passed the seal" }
            guard let slotHolder, slotHolder == stamp.talker else {
                return "node \(observer): voice of \(stamp.talker) in the slot of \(slotHolder ?? -1)"
            }
            return take(stamp.life, of: stamp.talker, by: observer, "heard")
        default:
            return nil
        }
    }

    private mutating func take(_ life: UInt32, of peer: Int, by observer: Int, _ how: String) -> String? {
        let newest = accepted[observer * nodeCount + peer]
        guard newest <= life else { return "node \(observer): ghost of life \(life) of \(peer) \(how) after \(newest)" }
        accepted[observer * nodeCount + peer] = life
        return nil
    }
}

/// Promise I13: an observer hears each voice packet once, over whichever paths and in however many copies the packet
/// arrived.
package struct VoiceIsHeardOnce: SafetyChecker {
    private struct Window {
        var life: UInt32 = 0
        var newest: UInt32 = 0
        /// Bit n: `newest - n` was heard.
        var heard: UInt64 = 0
    }

    private let nodeCount: Int
    private var windows: [Window]

    package init(nodeCount: Int) {
        self.nodeCount = nodeCount
        windows = Array(repeating: Window(), count: nodeCount * nodeCount)
    }

    package var kinds: ObservationKinds { [.voice, .others] }

    package mutating func observe(_ observation: Observation, at instant: Instant) -> String? {
        switch observation {
        case .started(let node, _):
            for peer in 0..<nodeCount { windows[node * nodeCount + peer] = Window() }
            return nil
        case .voice(let observer, _, let stamp?) where stamp.talker < nodeCount && !stamp.isRepeat:
            return hear(stamp, observer: observer)
        default:
            return nil
        }
    }

    private mutating func hear(_ stamp: VoiceStamp, observer: Int) -> String? {
        let index = observer * nodeCount + stamp.talker
        if windows[index].life != stamp.life {
            windows[index] = Window(life: stamp.life, newest: stamp.sequence, heard: 1)
            return nil
        }
        if windows[index].newest < stamp.sequence {
            let step = stamp.sequence - windows[index].newest
            windows[index].heard = step < 64 ? windows[index].heard << UInt64(step) | 1 : 1
            windows[index].newest = stamp.sequence
            return nil
        }
        let age = windows[index].newest - stamp.sequence
        guard age < 64 else { return nil }
        guard windows[index].heard & (1 << UInt64(age)) == 0 else {
            return "node \(observer): voice packet \(stamp.sequence) of \(stamp.talker) twice"
        }
        windows[index].heard |= 1 << UInt64(age)
        return nil
    }
}
