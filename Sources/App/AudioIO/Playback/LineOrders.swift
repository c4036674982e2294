import Handover
import Primitives
import Voice

/// The orders for the lines of the output that have not been passed to the playback thread yet. None may be lost.
///
/// It is a table with an entry for each line, and so is bounded. Used on the node loop only.
struct LineOrders {
    private struct Line {
        var isCloseDue = false
        var due: LineSound?
    }

    private var lines = [Line](repeating: Line(), count: VoiceLimits.linesMax)
    private var isAnyDue = false

    mutating func set(_ line: Int, to sound: LineSound) {
        // A close that is still due stays before it: the line has changed hands.
        lines[line].due = sound
        isAnyDue = true
    }

    mutating func close(_ line: Int) {
        lines[line] = Line(isCloseDue: true)
        isAnyDue = true
    }

    /// Pushes the orders that are due, for each line the close first. True if none is left.
    mutating func flush(into ring: borrowing FrameRingProducer) -> Bool {
        guard isAnyDue else { return true }
        for index in lines.indices {
            if lines[index].isCloseDue {
                guard push(RingHeader(kind: PlaybackOrder.closeLine.rawValue, mark: UInt16(index)), into: ring) else {
                    return false
                }
                lines[index].isCloseDue = false
            }
            if let sound = lines[index].due {
                guard push(PlaybackOrder.header(ofLine: index, sound), into: ring) else { return false }
                lines[index].due = nil
            }
        }
        isAnyDue = false
        return true
    }

    private func push(_ header: RingHeader, into ring: borrowing FrameRingProducer) -> Bool {
        ring.push(header, UnsafeRawBufferPointer(start: nil, count: 0))
    }
}
