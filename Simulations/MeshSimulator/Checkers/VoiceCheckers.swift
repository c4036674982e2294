package import Primitives

/// I3: after an observer has taken a peer's instance, nothing of an older one reaches its ears; and
/// what is heard in a peer's slot is that peer.
package struct GhostsStaySilent: SafetyChecker {
    private let nodeCount: Int
    private var accepted: [Instance?]

    package init(nodeCount: Int) {
        self.nodeCount = nodeCount
        accepted = Array(repeating: nil, count: nodeCount * nodeCount)
    }

    package mutating func observe(_ observation: Observation, at instant: Instant) -> String? {
        switch observation {
        case .started(let node, _):
            for peer in 0..<nodeCount { accepted[node * nodeCount + peer] = nil }
            return nil
        case .peerUp(let observer, let peer, _, let instance):
            let index = observer * nodeCount + peer
            if let newest = accepted[index], instance < newest {
                return "node \(observer): ghost \(instance) of \(peer) up after \(newest)"
            }
            accepted[index] = instance
            return nil
        case .voice(let observer, let slotHolder, let stamp):
            guard let stamp else { return "node \(observer): damaged voice passed the seal" }
            guard let slotHolder, slotHolder == stamp.talker else {
                return "node \(observer): voice of \(stamp.talker) in the slot of \(slotHolder ?? -1)"
            }
            if let newest = accepted[observer * nodeCount + stamp.talker], stamp.instance < newest {
                return "node \(observer): voice of ghost \(stamp.instance) of \(stamp.talker) after \(newest)"
            }
            return nil
        default:
            return nil
        }
    }
}

/// I13: no voice packet is heard twice, by whichever paths and copies it came.
package struct VoiceIsHeardOnce: SafetyChecker {
    private struct Window {
        var instance: Instance?
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

    package mutating func observe(_ observation: Observation, at instant: Instant) -> String? {
        switch observation {
        case .started(let node, _):
            for peer in 0..<nodeCount { windows[node * nodeCount + peer] = Window() }
            return nil
        case .voice(let observer, _, let stamp?) where stamp.talker < nodeCount:
            return hear(stamp, observer: observer)
        default:
            return nil
        }
    }

    private mutating func hear(_ stamp: VoiceStamp, observer: Int) -> String? {
        let index = observer * nodeCount + stamp.talker
        if windows[index].instance != stamp.instance {
            windows[index] = Window(instance: stamp.instance, newest: stamp.sequence, heard: 1)
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
