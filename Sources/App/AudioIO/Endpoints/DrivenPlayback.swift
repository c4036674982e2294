package import Handover
package import Primitives
import SystemClock

/// A playback endpoint from which a program pulls sound in its own time, for example a telephone, a music feed or a
/// test.
///
/// It is open while the program pulls. After half a second without a pull it counts as lost, and sound is dropped. It
/// is opened again when the program pulls. One thread of the program pulls, and one engine writes.
package final class DrivenPlayback: PlaybackEndpoint, @unchecked Sendable {
    package let traits: EndpointTraits
    package let leadSamples: Int
    /// The playback thread's end; samples are interleaved.
    private let written: SampleRingProducer
    /// The program's end.
    private let waiting: SampleRingConsumer
    private let capacity: Int
    private let wakeUpEvent: WakeUpEvent
    /// Times that the program found fewer samples than it wanted. The program writes it.
    private let shortages = SharedNumber()
    private let movement = DrivenMovement()
    private let silence: UnsafeMutableBufferPointer<Float>
    // The values that the playback thread has last seen. Only that thread uses them.
    private var shortagesSeen: UInt64 = 0
    private var markSeen: UInt64 = 0

    /// - Parameters:
    ///   - periodSamples: the most samples that the program pulls at once.
    ///   - channels: 1 or 2.
    /// - Throws: only if the process has no descriptor left.
    package init(periodSamples: Int, channels: Int) throws(EventDescriptorError) {
        precondition((1...AudioLimits.channelsMax).contains(channels), "\(channels) channels")
        let period = AudioLimits.periodSamples(periodSamples)
        leadSamples = period
        traits = EndpointTraits(
            pacing: .driven, periodSamples: period, bufferSamples: 2 * period, channels: channels)
        // Room for a lead, and for the block that is written when no more than a lead is queued.
        let ring = SampleRing(capacity: (2 * period + AudioLimits.renderSamplesMax) * channels)
        capacity = ring.capacity
        written = ring.takeProducer()
        waiting = ring.takeConsumer()
        wakeUpEvent = try WakeUpEvent()
        silence = .allocate(capacity: period * channels)
        silence.initialize(repeating: 0)
    }

    deinit { silence.deallocate() }

    /// For the program: takes the next samples, interleaved, and silence in place of missing ones.
    /// - Returns: the number of samples of each channel that were there.
    @discardableResult
    package func pull(into block: UnsafeMutableBufferPointer<Float>) -> Int {
        let now = Instant.monotonicNow()
        // Sound from before a pause is too old.
        if !movement.isDriven(at: now) { waiting.drop(waiting.count) }
        let there = min(waiting.count, block.count) / traits.channels * traits.channels
        if let first = block.baseAddress {
            waiting.take(into: first, count: there)
            (first + there).update(repeating: 0, count: block.count - there)
        }
        if there < block.count { shortages.value += 1 }
        movement.note(at: now)
        wakeUpEvent.ring()
        return there / traits.channels
    }

    /// For the playback thread: begins anew with a lead of silence. Throws if the program does not pull.
    func open() throws(DeviceOpenError) {
        guard movement.isDriven(at: .monotonicNow()) else { throw DeviceOpenError(Self.standstill) }
        beginAnew()
    }

    package func queued() -> QueueOutcome {
        markSeen = movement.mark
        guard movement.isDriven(at: .monotonicNow()) else { return .lost(DeviceFault(Self.standstill)) }
        guard shortages.value == shortagesSeen else {
            beginAnew()
            return .underrun
        }
        return .samples(queuedSamples)
    }

    /// Also returns when the program pulls, since it then needs more sound.
    package func wait(until instant: Instant) {
        wakeUpEvent.rest(until: instant) { movement.mark != markSeen }
    }

    package func write(_ block: UnsafePointer<Float>, count: Int) -> WriteOutcome {
        guard count * traits.channels <= written.room else { return .noRoom }
        let soundsAt = Instant.monotonicNow() + Interval(samples: queuedSamples)
        written.push(block, count: count * traits.channels)
        return .written(soundsAt: soundsAt)
    }

    private var queuedSamples: Int { (capacity - written.room) / traits.channels }

    private func beginAnew() {
        shortagesSeen = shortages.value
        let missing = (leadSamples - queuedSamples) * traits.channels
        if let first = silence.baseAddress, 0 < missing { written.push(first, count: missing) }
    }

    private static let standstill = "no sound is pulled from it"
}

extension EndpointSource where Endpoint == any PlaybackEndpoint {
    /// A source for an endpoint that a program drives. It serves one engine only.
    /// - Parameter name: the name that `status` shows.
    package static func driven(_ endpoint: DrivenPlayback, name: String) -> Self {
        Self(name: name) { _ throws(DeviceOpenError) in
            try endpoint.open()
            return endpoint
        }
    }
}
