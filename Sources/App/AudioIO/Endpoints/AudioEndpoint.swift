package import Primitives
import SystemClock

/// A source of sound for the capture thread: a microphone, a file, or a program that pushes sound.
///
/// One thread opens, reads and drops it. While it is open, `read` allocates nothing and takes no lock.
package protocol CaptureEndpoint: AnyObject {
    var traits: EndpointTraits { get }
    /// Waits for `count` samples, at most half of the buffer or one period, and writes them to `block` in mono.
    ///
    /// Returns after 0.1 s at the latest, so that the thread notices the order to stop.
    func read(into block: UnsafeMutablePointer<Float>, count: Int) -> ReadOutcome
    /// Whether its sound is over, as at the end of a file. Silence follows.
    var hasEnded: Bool { get }
    /// Whether sound that it plays now or soon is silence, because a disk refused it.
    var losesSound: Bool { get }
    /// The samples since the last call that were silent because a disk did not bring them in time.
    func takeLate() -> UInt64
}

extension CaptureEndpoint {
    package var hasEnded: Bool { false }
    package var losesSound: Bool { false }
    package func takeLate() -> UInt64 { 0 }
}

/// A destination of sound for the playback thread: loudspeakers, a file, or a program that pulls sound.
///
/// One thread opens, writes and drops it. While it is open, no function here allocates or takes a lock.
package protocol PlaybackEndpoint: AnyObject {
    var traits: EndpointTraits { get }
    /// The number of samples that must be queued so that the endpoint does not run dry before the next block.
    var leadSamples: Int { get }
    /// The samples that have been written and have not sounded yet. It also reports that the endpoint ran dry or is
    /// lost.
    func queued() -> QueueOutcome
    /// Returns at `instant`, or earlier if the caller should ask at once how much is queued.
    func wait(until instant: Instant)
    /// Writes `count` samples of each channel, interleaved.
    func write(_ block: UnsafePointer<Float>, count: Int) -> WriteOutcome
    /// Whether its sound is lost now, because the disk or the file takes no more.
    var losesSound: Bool { get }
    /// The samples since the last call that are lost, because the disk or the file took no more.
    func takeLost() -> UInt64
    /// Writes out the sound that it has gathered. Called once, before it is dropped.
    func finish()
    /// Takes back what its opening has changed. Called instead of `finish` if no thread has used it.
    func undoOpening()
}

extension PlaybackEndpoint {
    package func wait(until instant: Instant) { sleep(until: instant) }
    package var losesSound: Bool { false }
    package func takeLost() -> UInt64 { 0 }
    package func finish() {}
    package func undoOpening() {}

    /// Offers a block until the endpoint takes it, `AudioLimits.offersMax` times at most. An endpoint that ran dry
    /// first gets its lead of silence, and then the block.
    ///
    /// - Parameter onUnderrun: called each time the endpoint ran dry.
    /// - Returns: `written` or `lost`; `noRoom` if the endpoint did not take the block, which the caller drops.
    func offer(_ block: UnsafePointer<Float>, count: Int, onUnderrun: () -> Void) -> WriteOutcome {
        for _ in 0..<AudioLimits.offersMax {
            switch write(block, count: count) {
            case .written(let soundsAt): return .written(soundsAt: soundsAt)
            case .lost(let fault): return .lost(fault)
            case .noRoom: continue
            case .underrun:
                onUnderrun()
                if case .lost(let fault) = queued() { return .lost(fault) }
            }
        }
        return .noRoom
    }
}

/// The properties of an endpoint. They do not change while it is open.
package struct EndpointTraits: Hashable, Sendable {
    /// The clock by which its samples come or go.
    package enum Pacing: Hashable, Sendable {
        /// The clock of a sound card.
        case card
        /// Software that keeps time: a sound server, or this machine's clock for a file, a tone or silence.
        case software
        /// The program that pushes or pulls them.
        case driven
    }

    package var pacing: Pacing
    package var periodSamples: Int
    package var bufferSamples: Int
    package var channels: Int
    /// Whether it moves only whole periods.
    package var movesWholePeriods = false
    /// Whether it may be opened anew with another period, which causes a short gap. A file would begin again, so it may
    /// not.
    package var mayChangePeriod = false
    /// The present path of the earlier file that had the name of this recording; nil if there was none.
    package var formerFile: String?

    package init(pacing: Pacing, periodSamples: Int, bufferSamples: Int, channels: Int) {
        self.pacing = pacing
        self.periodSamples = periodSamples
        self.bufferSamples = bufferSamples
        self.channels = channels
    }

    /// The number of samples to read at once, so that no frame waits longer than it must: a whole period if a frame
    /// consists of whole periods or the endpoint moves only these, or if the buffer is small; otherwise a frame.
    package func blockSamples(frame: FrameDuration) -> Int {
        let isWhole = movesWholePeriods || frame.samples.isMultiple(of: periodSamples)
        return isWhole || bufferSamples < 2 * frame.samples ? periodSamples : frame.samples
    }

    /// The most samples that one read may ask for: half of the buffer, so that the endpoint loses no sound meanwhile.
    var readSamplesMax: Int { bufferSamples / 2 }
}

/// The result of a read.
package enum ReadOutcome: Hashable, Sendable {
    /// The samples have been read. The first one was captured at this instant, according to the endpoint.
    case block(capturedAt: Instant)
    /// The samples have not come yet. Read again.
    case nothingYet
    /// The thread came too late, and samples are lost. The endpoint goes on.
    case overrun
    /// The endpoint must be dropped and opened anew.
    case lost(DeviceFault)
}

/// What is queued in an endpoint.
package enum QueueOutcome: Hashable, Sendable {
    case samples(Int)
    /// The endpoint ran dry, and goes on. Ask once more.
    case underrun
    /// The endpoint must be dropped and opened anew.
    case lost(DeviceFault)
}

/// The result of a write.
package enum WriteOutcome: Hashable, Sendable {
    /// The first sample will sound at this instant, according to the endpoint.
    case written(soundsAt: Instant)
    /// The endpoint took nothing, or only a part. The block must be dropped or offered again.
    case noRoom
    /// The endpoint ran dry, and goes on. It did not take the block.
    case underrun
    /// The endpoint must be dropped and opened anew.
    case lost(DeviceFault)
}

/// The reason why a running endpoint must be opened anew.
package struct DeviceFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// For the person who chose the device.
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// The reason why an endpoint could not be opened.
package struct DeviceOpenError: Error, Hashable, Sendable, CustomStringConvertible {
    /// For the person who chose the device.
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// Opens the endpoint of an audio thread, each time the thread needs it.
///
/// A device is opened by the name that a person gives. A driven endpoint is passed in, and can be opened while the
/// program drives it.
package struct EndpointSource<Endpoint>: Sendable {
    /// The name that `status` shows, for example `alsa:default`.
    package let name: String
    /// Runs on the audio thread, and may take long. Throws if the endpoint cannot be opened now.
    package let open: @Sendable (EndpointRequest) throws(DeviceOpenError) -> Endpoint
    /// Takes back what an opening has changed, for an endpoint that was refused after all, so that no thread has used
    /// it. Nil if an opening changes nothing.
    package var undo: (@Sendable (Endpoint) -> Void)?

    package init(
        name: String, open: @escaping @Sendable (EndpointRequest) throws(DeviceOpenError) -> Endpoint
    ) {
        self.name = name
        self.open = open
    }
}

/// The period and buffer that an audio thread asks an endpoint for. The endpoint may choose others (`EndpointTraits`).
package struct EndpointRequest: Hashable, Sendable {
    package var period: Interval
    package var buffer: Interval

    package init(period: Interval, buffer: Interval) {
        self.period = period
        self.buffer = buffer
    }

    /// The period in samples, at least one and at most `AudioLimits.periodSamplesMax`.
    package var periodSamples: Int { AudioLimits.periodSamples(period.nearestSamples) }
    /// The buffer in samples, at least one and at most `AudioLimits.bufferSamplesMax`.
    package var bufferSamples: Int { min(max(1, buffer.nearestSamples), AudioLimits.bufferSamplesMax) }
}
