package import Primitives
import SystemClock

/// Where sound comes from, as the capture thread reads it: a microphone, a file, or somebody who pushes it.
///
/// One thread opens, reads and drops it. Between opening and losing it, `read` allocates nothing and takes no lock.
package protocol CaptureEndpoint: AnyObject {
    var traits: EndpointTraits { get }
    /// Waits for `count` samples, at most half of the buffer or one period, and writes them to `block` in mono.
    ///
    /// Returns after a tenth of a second at the latest, so that a thread that is to stop notices.
    func read(into block: UnsafeMutablePointer<Float>, count: Int) -> ReadOutcome
}

/// Where sound goes to, as the playback thread writes it: loudspeakers, a file, or somebody who pulls it.
///
/// One thread opens, writes and drops it. Between opening and losing it, nothing here allocates or takes a lock.
package protocol PlaybackEndpoint: AnyObject {
    var traits: EndpointTraits { get }
    /// What has to be queued so that it does not run dry before the next block.
    var leadSamples: Int { get }
    /// What has been written and has not sounded. Also finds out that it ran dry, or is lost.
    func queued() -> QueueOutcome
    /// Returns at `instant`, or earlier where the endpoint wants to be asked at once what is queued.
    func wait(until instant: Instant)
    /// Writes `count` samples of each channel, interleaved.
    func write(_ block: UnsafePointer<Float>, count: Int) -> WriteOutcome
    /// Whether it can hold no more: the disk is full, or the file.
    var isFull: Bool { get }
    /// Writes out what it has gathered; called once, before it is dropped.
    func finish()
}

extension PlaybackEndpoint {
    package func wait(until instant: Instant) { sleep(until: instant) }
    package var isFull: Bool { false }
    package func finish() {}
}

/// What is known of an endpoint as long as it is open.
package struct EndpointTraits: Hashable, Sendable {
    /// By what its samples come or go.
    package enum Pacing: Hashable, Sendable {
        /// The clock of a sound card.
        case card
        /// Software that keeps time: a sound server, or this machine's clock for a file, a tone or nothing.
        case software
        /// The thread that pushes or pulls them.
        case driven
    }

    package var pacing: Pacing
    package var periodSamples: Int
    package var bufferSamples: Int
    package var channels: Int
    /// Whether less than a period is of no use to it.
    package var movesWholePeriods = false
    /// Whether it may be opened anew, with other periods, at the price of a short gap: a file would begin again.
    package var mayChangePeriod = false

    package init(pacing: Pacing, periodSamples: Int, bufferSamples: Int, channels: Int) {
        self.pacing = pacing
        self.periodSamples = periodSamples
        self.bufferSamples = bufferSamples
        self.channels = channels
    }

    /// How many samples to read at once so that a frame waits for nothing: itself where it is shorter than
    /// a period or would end within one, else periods, of which it consists.
    package func blockSamples(frame: FrameDuration) -> Int {
        let isWhole = movesWholePeriods || frame.samples.isMultiple(of: periodSamples)
        return isWhole || bufferSamples < 2 * frame.samples ? periodSamples : frame.samples
    }

    /// What one read may ask for at most: half of what the endpoint holds, or it might lose sound meanwhile.
    var readSamplesMax: Int { bufferSamples / 2 }
}

/// What became of a read.
package enum ReadOutcome: Hashable, Sendable {
    /// The samples are there; the first one was captured at this instant, as far as the endpoint says.
    case block(capturedAt: Instant)
    /// Not yet: ask again.
    case nothingYet
    /// The thread came too late and samples are lost; the endpoint goes on.
    case overrun
    /// The endpoint is to be dropped and opened anew.
    case lost(DeviceFault)
}

/// What is queued in an endpoint.
package enum QueueOutcome: Hashable, Sendable {
    case samples(Int)
    /// It ran dry, and goes on; ask once more.
    case underrun
    /// The endpoint is to be dropped and opened anew.
    case lost(DeviceFault)
}

/// What became of a write.
package enum WriteOutcome: Hashable, Sendable {
    /// The first sample will sound at this instant, as far as the endpoint says.
    case written(soundsAt: Instant)
    /// Nothing was taken, or only a part; the block is to be dropped or offered again.
    case noRoom
    /// It ran dry, and goes on; the block was not taken.
    case underrun
    /// The endpoint is to be dropped and opened anew.
    case lost(DeviceFault)
}

/// Why an endpoint that was running has to be opened anew.
package struct DeviceFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// For the person who chose the device.
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// Why an endpoint could not be opened.
package struct DeviceOpenError: Error, Hashable, Sendable, CustomStringConvertible {
    /// For the person who chose the device.
    package let description: String

    package init(_ description: String) { self.description = description }
}
