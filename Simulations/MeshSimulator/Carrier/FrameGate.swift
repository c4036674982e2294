/// The gate of one carrier, as in the `FrameReader` of the real shell. Until Core trusts the peer, the shell hands on
/// one frame, and one more after `admitFrame`. All other frames wait in order, and the end of the carrier behind them.
package struct FrameGate<Waiting> {
    private var isTrusted = false
    private var isNextAdmitted = true
    private var waiting: [(item: Waiting, isFrame: Bool)] = []

    package init() {}

    package var isHolding: Bool { !waiting.isEmpty }

    /// Allows one more frame. A second call before that frame allows no second one.
    package mutating func admitFrame() { isNextAdmitted = true }

    /// Allows all frames from now on.
    package mutating func trust() { isTrusted = true }

    /// Returns whether a frame, or the end of the carrier, is handed on now. If not, `item` waits.
    package mutating func passes(_ item: @autoclosure () -> Waiting, isFrame: Bool) -> Bool {
        if waiting.isEmpty, mayPass(isFrame: isFrame) { return true }
        waiting.append((item(), isFrame))
        return false
    }

    /// Returns the next item that waited and may be handed on now; nil if there is none.
    package mutating func next() -> Waiting? {
        guard let first = waiting.first, mayPass(isFrame: first.isFrame) else { return nil }
        waiting.removeFirst()
        return first.item
    }

    private mutating func mayPass(isFrame: Bool) -> Bool {
        guard isFrame else { return true }
        guard isTrusted || isNextAdmitted else { return false }
        isNextAdmitted = false
        return true
    }
}
