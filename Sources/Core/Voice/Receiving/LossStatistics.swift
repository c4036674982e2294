import Primitives

/// Loss over the last two seconds, before any recovery: the share of lost packets, and how many are lost in a row on
/// average.
///
/// Packets have no number here; within a talk spurt, consecutive packets lie one `step` of sample time apart. A
/// packet counts as lost if it has not come before a packet at least 32 steps later, or before counting starts anew.
package struct LossStatistics: BitwiseCopyable {
    private struct Bucket: BitwiseCopyable {
        var sent: Int32 = 0
        var lost: Int32 = 0
        var runs: Int32 = 0
        var frames: Int32 = 0
        var lateFrames: Int32 = 0
    }

    private let buckets: UnsafeMutablePointer<Bucket>
    private var period: Int64 = 0
    /// The sum of the jumps of the playback card's clock.
    private var jumped: Int64 = 0
    private var spurt: UInt8?
    private var base: Int64 = 0
    private var step: Int64 = 0
    /// Number of the newest packet since counting began. Bit `n` of `cameBits` is set if the packet `n` numbers before
    /// it has come.
    private var newest: Int64 = 0
    private var cameBits: UInt64 = 0
    private var lastWasLost = false

    package init() {
        buckets = .allocate(capacity: Self.bucketCount)
        buckets.initialize(repeating: Bucket(), count: Self.bucketCount)
    }

    /// Frees what `init` allocated; called once.
    package func destroy() { buckets.deallocate() }

    /// Forgets everything: another talker has the slot.
    @_noAllocation @_noLocks
    package mutating func removeAll() {
        buckets.update(repeating: Bucket(), count: Self.bucketCount)
        (spurt, cameBits, lastWasLost) = (nil, 0, false)
    }

    /// Adapts the window to a jump of the playback card's clock.
    @_noAllocation @_noLocks
    mutating func shift(by samples: Int64) { jumped &+= samples }

    /// Notes a packet of `spurt` whose newest frame starts at `position`. Packets to this listener lie `step` samples
    /// apart. `time` is in samples of the playback card.
    @_noAllocation @_noLocks
    package mutating func countPacket(spurt: UInt8, position: Int64, step: Int64, at time: Int64) {
        advance(to: time)
        let number = (position &- base &+ step - 1) / max(1, step)
        // Counting starts anew with another packet length, another spurt or a large jump.
        let jumpMax = max(Self.jumpMax, Self.jumpSamplesMax / max(1, step))
        if self.spurt != spurt || self.step != step || newest + jumpMax < number || number < newest - jumpMax {
            settleAll()
            (self.spurt, self.step, base, newest, cameBits) = (spurt, step, position, 0, 1)
            lastWasLost = false
            return
        }
        while newest < number {
            settleOldest()
            newest += 1
            cameBits <<= 1
        }
        let back = newest - number
        if back < Self.settledAfter { cameBits |= 1 << UInt64(back) }
    }

    /// Notes the first arrival of a frame, in time or late. `time` is in samples of the playback card.
    @_noAllocation @_noLocks
    package mutating func countFrame(isLate: Bool, at time: Int64) {
        advance(to: time)
        buckets[current].frames += 1
        if isLate { buckets[current].lateFrames += 1 }
    }

    /// Returns lost packets per 1,000, the mean number of packets lost in a row in tenths, and late frames per 1,000.
    @_noAllocation @_noLocks
    package func rates() -> (lossPermille: UInt16, lossRunTenths: UInt16, latePermille: UInt16) {
        var sum = Bucket()
        for index in 0..<Self.bucketCount {
            sum.sent += buckets[index].sent
            sum.lost += buckets[index].lost
            sum.runs += buckets[index].runs
            sum.frames += buckets[index].frames
            sum.lateFrames += buckets[index].lateFrames
        }
        let loss = sum.sent == 0 ? 0 : sum.lost * 1_000 / sum.sent
        let run = sum.lost == 0 ? 0 : sum.lost * 10 / max(1, sum.runs)
        let late = sum.frames == 0 ? 0 : sum.lateFrames * 1_000 / sum.frames
        return (UInt16(clamping: loss), UInt16(clamping: run), UInt16(clamping: late))
    }

    private mutating func settleAll() {
        guard spurt != nil else { return }
        var bit = min(Self.settledAfter - 1, newest)
        while 0 <= bit {
            settle(isLost: cameBits & (1 << UInt64(bit)) == 0)
            bit -= 1
        }
    }

    /// Settles the packet that is about to become too old; numbers before the first packet do not exist.
    private mutating func settleOldest() {
        let oldest = Self.settledAfter - 1
        guard oldest <= newest else { return }
        settle(isLost: cameBits & (1 << UInt64(oldest)) == 0)
    }

    private mutating func settle(isLost: Bool) {
        buckets[current].sent += 1
        if isLost {
            buckets[current].lost += 1
            if !lastWasLost { buckets[current].runs += 1 }
        }
        lastWasLost = isLost
    }

    private var current: Int { Int(truncatingIfNeeded: period & Int64(Self.bucketCount - 1)) }

    /// Forgets the counts that are older than two seconds at `time`. It is called for each block, so they fade while no
    /// packet comes. `time` is in samples of the playback card.
    @_noAllocation @_noLocks
    mutating func advance(to time: Int64) {
        let now = (time &- jumped) / Self.bucketSamples
        guard period < now else { return }
        let steps = min(Int64(Self.bucketCount), now - period)
        period = now - steps
        for _ in 0..<steps {
            period += 1
            buckets[current] = Bucket()
        }
    }

    /// 8 × 250 ms.
    private static let bucketCount = 8
    private static let bucketSamples: Int64 = 12_000
    /// Packets behind the newest at which a missing packet counts as lost.
    private static let settledAfter: Int64 = 32
    /// 64 packets, or 160 ms if these are more packets.
    private static let jumpMax: Int64 = 64
    private static let jumpSamplesMax: Int64 = 7_680
}
