package import Handover
import Primitives
import SystemClock

/// A capture endpoint into which a program pushes sound in its own time, for example a telephone, a music feed or a
/// test.
///
/// It is open while the program pushes. After half a second without sound it counts as lost, and silence replaces it.
/// It is opened again when sound comes. One thread of the program pushes, and one engine reads.
package final class DrivenCapture: CaptureEndpoint, @unchecked Sendable {
    package let traits: EndpointTraits
    /// The program's end.
    private let pushed: SampleRingProducer
    /// The capture thread's end.
    private let waiting: SampleRingConsumer
    private let wakeUpEvent: WakeUpEvent
    /// Samples that were dropped because there was no room. The program writes it.
    private let dropped = SharedNumber()
    private let movement = DrivenMovement()
    /// The value of `dropped` that the capture thread has seen. Only that thread uses it.
    private var droppedSeen: UInt64 = 0

    /// - Parameter periodSamples: the number of samples that the program pushes at once, roughly.
    /// - Throws: only if the process has no descriptor left.
    package init(periodSamples: Int) throws(EventDescriptorError) {
        let ring = SampleRing(capacity: AudioLimits.drivenSamples)
        pushed = ring.takeProducer()
        waiting = ring.takeConsumer()
        wakeUpEvent = try WakeUpEvent()
        traits = EndpointTraits(
            pacing: .driven, periodSamples: AudioLimits.periodSamples(periodSamples),
            bufferSamples: ring.capacity, channels: 1)
    }

    /// For the program: passes on sound in mono. Its last sample was captured just now.
    package func push(_ samples: UnsafeBufferPointer<Float>) {
        guard let first = samples.baseAddress else { return }
        let taken = pushed.push(first, count: samples.count)
        if taken < samples.count { dropped.value += UInt64(samples.count - taken) }
        movement.note(at: .monotonicNow())
        wakeUpEvent.ring()
    }

    /// For the capture thread: begins anew with the sound that is pushed from now on. Throws if the program does not
    /// push.
    func open() throws(DeviceOpenError) {
        guard movement.isDriven(at: .monotonicNow()) else { throw DeviceOpenError(Self.silence) }
        beginAnew()
    }

    package func read(into block: UnsafeMutablePointer<Float>, count: Int) -> ReadOutcome {
        if waiting.count < count {
            wakeUpEvent.rest(until: .monotonicNow() + AudioLimits.waitMax) { count <= waiting.count }
        }
        guard dropped.value == droppedSeen else {
            beginAnew()
            return .overrun
        }
        let (available, now) = (waiting.count, Instant.monotonicNow())
        guard count <= available else {
            return movement.isDriven(at: now) ? .nothingYet : .lost(DeviceFault(Self.silence))
        }
        waiting.take(into: block, count: count)
        // A NaN would stay in every filter for ever.
        for index in 0..<count where !block[index].isFinite { block[index] = 0 }
        return .block(capturedAt: now - Interval(samples: available))
    }

    private func beginAnew() {
        droppedSeen = dropped.value
        waiting.drop(waiting.count)
    }

    private static let silence = "no sound is pushed into it"
}

/// The instant at which a program last pushed or pulled. The program writes it, and the audio thread reads it.
struct DrivenMovement {
    private let nanoseconds = SharedNumber()

    func note(at now: Instant) { nanoseconds.value = UInt64(clamping: now.nanoseconds) }

    /// The instant of the latest movement, as a number that changes with each movement.
    var mark: UInt64 { nanoseconds.value }

    func isDriven(at now: Instant) -> Bool {
        let movedAt = Instant(nanoseconds: Int64(clamping: nanoseconds.value))
        return .zero < movedAt && now - movedAt < AudioLimits.drivenPauseMax
    }
}

extension EndpointSource where Endpoint == any CaptureEndpoint {
    /// A source for an endpoint that a program drives. It serves one engine only.
    /// - Parameter name: the name that `status` shows.
    package static func driven(_ endpoint: DrivenCapture, name: String) -> Self {
        Self(name: name) { _ throws(DeviceOpenError) in
            try endpoint.open()
            return endpoint
        }
    }
}
