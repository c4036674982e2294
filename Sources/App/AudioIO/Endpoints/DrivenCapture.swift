import Handover
import Primitives
import SystemClock

/// A microphone into which a program pushes sound, in its own time: a telephone, a music feed, a test.
///
/// It is there while it is driven: after half a second without sound it is lost, silence stands in for it, and it is
/// opened again when sound comes. One thread of the program pushes, one engine reads.
package final class DrivenCapture: CaptureEndpoint, @unchecked Sendable {
    package let traits: EndpointTraits
    /// The program's end.
    private let pushed: SampleRingProducer
    /// The capture thread's end.
    private let waiting: SampleRingConsumer
    private let wakeUpEvent: WakeUpEvent
    /// Samples that found no room; the program writes it.
    private let dropped = SharedNumber()
    private let movement = DrivenMovement()
    /// Of `dropped`; belongs to the capture thread.
    private var droppedSeen: UInt64 = 0

    /// - Parameter periodSamples: that the program pushes at once, roughly.
    /// - Throws: only where the process has no descriptor left.
    package init(periodSamples: Int) throws(AudioThreadError) {
        let ring = SampleRing(capacity: AudioLimits.drivenSamples)
        pushed = ring.takeProducer()
        waiting = ring.takeConsumer()
        wakeUpEvent = try WakeUpEvent()
        traits = EndpointTraits(
            pacing: .driven, periodSamples: min(max(1, periodSamples), AudioLimits.periodSamplesMax),
            bufferSamples: ring.capacity, channels: 1)
    }

    /// The program: hands over sound in mono, the last sample of which was captured just now.
    package func push(_ samples: UnsafeBufferPointer<Float>) {
        guard let first = samples.baseAddress else { return }
        let taken = pushed.push(first, count: samples.count)
        if taken < samples.count { dropped.value += UInt64(samples.count - taken) }
        movement.note(at: .monotonicNow())
        wakeUpEvent.ring()
    }

    /// The capture thread: begins anew with what is pushed from now on.
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

/// When a program last pushed or pulled: it writes, the audio thread reads.
struct DrivenMovement {
    private let nanoseconds = SharedNumber()

    func note(at now: Instant) { nanoseconds.value = UInt64(clamping: now.nanoseconds) }

    /// When it last moved, as a mark that differs after each movement.
    var mark: UInt64 { nanoseconds.value }

    func isDriven(at now: Instant) -> Bool {
        let movedAt = Instant(nanoseconds: Int64(clamping: nanoseconds.value))
        return .zero < movedAt && now - movedAt < AudioLimits.drivenPauseMax
    }
}

extension EndpointSource where Endpoint == any CaptureEndpoint {
    /// One that a program drives; it serves one engine.
    /// - Parameter name: as `status` shows it.
    package static func driven(_ endpoint: DrivenCapture, name: String) -> Self {
        Self(name: name) { _ throws(DeviceOpenError) in
            try endpoint.open()
            return endpoint
        }
    }
}
