import FileAudio
import Primitives
import SystemClock

/// Endpoints that follow this machine's clock: files, tones and silence. No other file of this module uses FileAudio.
enum ClockDevices {
    static let toneHertzMax = WaveLimits.toneHertzMax

    /// A WAV file that is played once, from the instant that the file names, or else from now on. Silence follows. An
    /// instant too far ahead does not count: it is of another machine, or of this one before it was started again.
    static func openSource(_ path: String, _ request: EndpointRequest) throws(DeviceOpenError) -> any CaptureEndpoint {
        do {
            let file = try WaveReader(path)
            let isTooFarAhead = Instant.monotonicNow() + AudioLimits.sourceAheadMax < file.startsAt ?? .zero
            let startsAt = isTooFarAhead ? nil : file.startsAt
            let passed = startsAt.map { (Instant.monotonicNow() - $0).samples } ?? 0
            let first = min(max(0, passed), file.count)
            // An error of the disk is reported here. After the start it only causes silence.
            _ = try file.samples(first..<min(first + 1, file.count))
            let sound = ReadAhead(count: file.count, from: first) { range in try? file.samples(range) }
            return source(.sound(sound), request, startsAt: startsAt, of: sound)
        } catch { throw DeviceOpenError(error.description) }
    }

    static func tone(hertz: Int, _ request: EndpointRequest) -> any CaptureEndpoint {
        source(.tone(hertz: hertz), request)
    }

    /// Silence in real time. It also replaces a capture device that is missing.
    static func silence(_ request: EndpointRequest) -> any CaptureEndpoint { source(.silence, request) }

    /// Records what both ears hear into the WAV file at `path`. A file that is there already is kept under another
    /// name; if the recording cannot begin, it gets its name back.
    static func openRecording(
        _ path: String, _ request: EndpointRequest
    ) throws(DeviceOpenError) -> any PlaybackEndpoint {
        var former: KeptFile?
        do throws(WaveError) {
            former = try WaveWriter.setAside(path)
            let device = try PacedPlayback(recordingInto: path, leadSamples: lead(request), channels: 2)
            return ClockPlayback(device, periodSamples: request.periodSamples, formerFile: former)
        } catch {
            former?.putBack()
            throw DeviceOpenError(error.description)
        }
    }

    /// Whether two paths lead to one file, also if it is not there yet.
    static func leadToOneFile(_ own: String, _ others: String) -> Bool {
        FilePlace(own).map { $0 == FilePlace(others) } ?? false
    }

    /// Takes sound in real time and drops it. It also replaces a playback device that is missing.
    static func nothing(_ request: EndpointRequest) -> any PlaybackEndpoint {
        ClockPlayback(
            PacedPlayback(leadSamples: lead(request), channels: 1), periodSamples: request.periodSamples)
    }

    private static func source(
        _ source: PacedSource, _ request: EndpointRequest, startsAt: Instant? = nil, of sound: ReadAhead? = nil
    ) -> any CaptureEndpoint {
        ClockCapture(
            PacedCapture(
                source: source, periodSamples: request.periodSamples, startsAt: startsAt ?? .monotonicNow()),
            of: sound)
    }

    private static func lead(_ request: EndpointRequest) -> Int {
        max(1, request.bufferSamples - request.periodSamples)
    }
}

/// `ReadAhead` itself uses no adapter.
extension ReadAhead: PacedSound {}

private final class ClockCapture: CaptureEndpoint {
    private let device: PacedCapture
    /// Nil if the sound comes from no file.
    private let sound: ReadAhead?
    let traits: EndpointTraits

    init(_ device: PacedCapture, of sound: ReadAhead?) {
        (self.device, self.sound) = (device, sound)
        var traits = EndpointTraits(
            pacing: .software, periodSamples: device.periodSamples,
            bufferSamples: Int(WaveLimits.captureBufferSamples), channels: 1)
        traits.movesWholePeriods = true
        self.traits = traits
    }

    func read(into block: UnsafeMutablePointer<Float>, count: Int) -> ReadOutcome {
        switch device.read(into: block, count: count) {
        case .block(let capturedAt): .block(capturedAt: capturedAt)
        case .overrun: .overrun
        }
    }

    var hasEnded: Bool { device.hasEnded }

    var losesSound: Bool { sound?.losesSound ?? false }

    func takeLate() -> UInt64 { sound?.takeLate() ?? 0 }
}

private final class ClockPlayback: PlaybackEndpoint {
    private let device: PacedPlayback
    private let formerFile: KeptFile?
    private var lostSeen: Int64 = 0
    let traits: EndpointTraits

    init(_ device: PacedPlayback, periodSamples: Int, formerFile: KeptFile? = nil) {
        self.device = device
        self.formerFile = formerFile
        var traits = EndpointTraits(
            pacing: .software, periodSamples: periodSamples, bufferSamples: device.leadSamples + periodSamples,
            channels: device.channels)
        traits.formerFile = formerFile?.path
        self.traits = traits
    }

    var leadSamples: Int { device.leadSamples }

    func queued() -> QueueOutcome { device.queued().map { .samples($0) } ?? .underrun }

    func write(_ block: UnsafePointer<Float>, count: Int) -> WriteOutcome {
        .written(soundsAt: device.write(block, count: count))
    }

    var losesSound: Bool { device.recordingStop != nil }

    func takeLost() -> UInt64 {
        defer { lostSeen = device.lostSamples }
        return UInt64(device.lostSamples - lostSeen)
    }

    func finish() { device.finish() }

    func undoOpening() {
        device.leaveFile()
        formerFile?.putBack()
    }
}
