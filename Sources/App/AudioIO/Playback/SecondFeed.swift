import Handover

/// The playback thread's end of the second output.
final class SecondFeed: @unchecked Sendable {
    private let left: SampleRingProducer
    private let right: SampleRingProducer

    init(left: consuming SampleRingProducer, right: consuming SampleRingProducer) {
        self.left = left
        self.right = right
    }

    /// Passes on a block of the second mix. If there is no room, the newest samples are dropped.
    func push(_ left: UnsafePointer<Float>, _ right: UnsafePointer<Float>, count: Int) {
        self.left.push(left, count: count)
        self.right.push(right, count: count)
    }
}
