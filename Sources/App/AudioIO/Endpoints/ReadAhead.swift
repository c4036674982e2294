import Dispatch
import Handover
package import Primitives

/// Sound that is read from a disk before it is played. A queue of its own reads it, since a disk may not answer for
/// seconds, or never.
///
/// ```
/// disk ──(queue, a piece at a time)──▶ ring ──(capture thread)──▶ block
/// ```
/// Sound that does not come in time is silence, and is counted. What follows is played at its own time. The sound is
/// read once, in its order.
package final class ReadAhead {
    /// The number of samples of the whole sound.
    package let count: Int64
    private let waiting: SampleRingConsumer
    /// The place of the oldest sample in the ring.
    private var next: Int64
    /// The samples that were silent because they had not come, since `takeLate`.
    private var late: UInt64 = 0
    /// The number of samples that could not be read. The queue writes it.
    private let unread: SharedNumber
    private var unreadSeen: UInt64 = 0
    /// Whether a piece could not be read, and its silence may still be in the ring. The queue writes it.
    private let isRefused: SharedFlag
    /// Tells the queue that nobody plays the sound any more.
    private let isOver: SharedFlag

    /// Reads the first sound at once, so it may wait for the disk.
    ///
    /// - Parameters:
    ///   - count: the number of samples of the whole sound.
    ///   - first: the place of the first sample that is wanted.
    ///   - capacity: the samples that may wait; with `piece` and `every`, only tests pass others.
    ///   - piece: the samples that are read at once.
    ///   - every: the time between two attempts to fill the ring.
    ///   - read: returns the samples of a range; nil if they cannot be read. May wait for the disk.
    package init(
        count: Int, from first: Int, capacity: Int = AudioLimits.readAheadSamples,
        piece: Int = AudioLimits.readAheadPiece, every: Interval = AudioLimits.readAheadEvery,
        read: @escaping @Sendable (Range<Int>) -> [Float]?
    ) {
        let ring = SampleRing(capacity: capacity)
        let (isOver, unread, isRefused) = (SharedFlag(), SharedNumber(), SharedFlag())
        let filling = RingFilling(ring, first..<count, piece: piece, every: every, isOver, unread, isRefused, read)
        waiting = ring.takeConsumer()
        (self.count, next) = (Int64(count), Int64(first))
        (self.isOver, self.unread, self.isRefused) = (isOver, unread, isRefused)
        filling.fill()
        filling.goOn()
    }

    deinit { isOver.isOn = true }

    /// For the capture thread: writes `wanted` samples from `position` on to `block`. Allocates nothing and takes no
    /// lock.
    package func read(into block: UnsafeMutablePointer<Float>, from position: Int64, count wanted: Int) {
        block.update(repeating: 0, count: wanted)
        // The time of this sound is over, since the disk or the capture thread was late.
        let over = Int(min(max(0, position - next), Int64(waiting.count)))
        waiting.drop(over)
        next += Int64(over)
        let silent = next - position
        if 0 <= silent, silent < Int64(wanted) {
            let taken = min(wanted - Int(silent), waiting.count)
            waiting.take(into: block + Int(silent), count: taken)
            next += Int64(taken)
        }
        late += UInt64(max(0, min(position + Int64(wanted), count) - max(next, position)))
    }

    /// For the capture thread: whether the disk refused sound that is played now or soon, as of a file that has become
    /// shorter. False when the whole sound is over.
    package var losesSound: Bool { isRefused.isOn && next < count }

    /// For the capture thread: the samples since the last call that were silent because the disk was too slow, or
    /// refused them.
    package func takeLate() -> UInt64 {
        let unreadNow = unread.value
        defer { (late, unreadSeen) = (0, unreadNow) }
        return late + unreadNow - unreadSeen
    }
}

/// The end of `ReadAhead` that reads. It lives until the sound is over, or until nobody plays it any more. It is used
/// by one thread at a time: the one that makes it, and then the queue.
private final class RingFilling: @unchecked Sendable {
    private let ring: SampleRingProducer
    private let piece: Int
    private let every: Interval
    private let isOver: SharedFlag
    private let unread: SharedNumber
    private let isRefused: SharedFlag
    private let read: @Sendable (Range<Int>) -> [Float]?
    private let queue = DispatchQueue(label: "partyline.file", qos: .utility)
    /// The samples that are still to be read.
    private var rest: Range<Int>
    private let capacity: Int
    /// The samples that were read since the latest piece that could not be read; at first the capacity of the ring.
    private var readSinceLoss: Int

    init(
        _ ring: SampleRing, _ range: Range<Int>, piece: Int, every: Interval, _ isOver: SharedFlag,
        _ unread: SharedNumber, _ isRefused: SharedFlag, _ read: @escaping @Sendable (Range<Int>) -> [Float]?
    ) {
        self.ring = ring.takeProducer()
        (self.piece, self.every, self.isOver, self.read) = (piece, every, isOver, read)
        (self.unread, self.isRefused) = (unread, isRefused)
        (rest, capacity, readSinceLoss) = (range, ring.capacity, ring.capacity)
    }

    /// Reads until there is no room in the ring.
    func fill() {
        while !rest.isEmpty, !isOver.isOn {
            let range = rest.prefix(piece)
            guard range.count <= ring.room else { return }
            rest = range.upperBound..<rest.upperBound
            let sound = read(range)
            // Silence takes the place of what cannot be read, so that what follows is played in time.
            if sound == nil { unread.value += UInt64(range.count) }
            // The next piece may come at once, and the node looks twice a second. So it sees the loss until the silence
            // was played.
            readSinceLoss = sound == nil ? 0 : readSinceLoss + range.count
            isRefused.isOn = readSinceLoss < capacity
            let samples = sound ?? [Float](repeating: 0, count: range.count)
            samples.withUnsafeBufferPointer { memory in
                if let first = memory.baseAddress { ring.push(first, count: memory.count) }
            }
        }
    }

    /// Fills the ring from time to time, on the queue.
    func goOn() {
        guard !rest.isEmpty, !isOver.isOn else { return }
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(every.nanoseconds))) {
            self.fill()
            self.goOn()
        }
    }
}
