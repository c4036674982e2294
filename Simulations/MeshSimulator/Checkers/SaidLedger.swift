package import Primitives

/// Counts the voice packets that a talker gave to its own mesh node, and those that came out at the listener's node. A
/// packet that is missing, and that the network did not lose, was lost by the nodes.
package struct SaidLedger {
    private struct Line {
        var said = 0
        var heard = 0
        /// Sequence numbers of the packets of which the network lost a datagram, and of which the listener heard no
        /// copy.
        var lostByNetwork: Set<UInt32> = []
    }

    private let nodeCount: Int
    /// Packets spoken before `begin`, or after `end`, do not count.
    private let begin: Instant
    private var end = Instant.distantFuture
    /// By talker and listener.
    private var lines: [Line]

    package init(nodeCount: Int, from begin: Instant) {
        self.nodeCount = nodeCount
        self.begin = begin
        lines = Array(repeating: Line(), count: nodeCount * nodeCount)
    }

    /// Packets spoken after `instant` do not count.
    package mutating func close(at instant: Instant) { end = instant }

    package mutating func addSaid(_ stamp: VoiceStamp) { change(stamp, stamp.listener) { $0.said += 1 } }

    package mutating func addLostByNetwork(_ stamp: VoiceStamp) {
        change(stamp, stamp.listener) { $0.lostByNetwork.insert(stamp.sequence) }
    }

    package mutating func addHeard(_ stamp: VoiceStamp, at listener: Int) {
        change(stamp, listener) {
            $0.heard += 1
            $0.lostByNetwork.remove(stamp.sequence)
        }
    }

    private mutating func change(_ stamp: VoiceStamp, _ listener: Int?, _ body: (inout Line) -> Void) {
        guard begin <= stamp.spokenAt, stamp.spokenAt <= end, stamp.talker < nodeCount, let listener else { return }
        body(&lines[stamp.talker * nodeCount + listener])
    }

    /// Returns the number of packets that the nodes lost. Valid when no packet is under way any more.
    package func lostByNodes(of talker: Int, at listener: Int) -> Int {
        let line = lines[talker * nodeCount + listener]
        return max(0, line.said - line.lostByNetwork.count - line.heard)
    }

    package func said(of talker: Int, to listener: Int) -> Int { lines[talker * nodeCount + listener].said }

    /// Describes the first pair of `nodes` in which the nodes lost a packet; nil if they lost none.
    package func firstLoss(among nodes: [Int]) -> String? {
        for talker in nodes {
            for listener in nodes where listener != talker {
                let lost = lostByNodes(of: talker, at: listener)
                guard 0 < lost else { continue }
                return "\(listener) missed \(lost) of \(said(of: talker, to: listener)) packets of \(talker), "
                    + "which the network did not lose"
            }
        }
        return nil
    }
}
