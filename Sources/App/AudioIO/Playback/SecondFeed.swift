package import Handover

/// The playback thread's end of the second output.
package final class SecondFeed: @unchecked Sendable {
    private let left: SampleRingProducer
    private let right: SampleRingProducer
    /// How late the playback thread may come, in samples, before the first output runs dry: the lead of its device. The
    /// second output must not have a gap before that either.
    let lead: SharedNumber

    package init(left: consuming SampleRingProducer, right: consuming SampleRingProducer) {
        self.left = left
        self.right = right
        lead = SharedNumber()
    }

    /// Passes on a block of the second mix. If there is no room, the newest samples are dropped.
    package func push(_ left: UnsafePointer<Float>, _ right: UnsafePointer<Float>, count: Int) {
        // The other thread may make room in one ring only. Both must take the same samples, or left and right would be
        // shifted against each other from then on.
        let fitting = min(count, self.left.room, self.right.room)
        self.left.push(left, count: fitting)
        self.right.push(right, count: fitting)
    }
}
