package import Primitives
import SystemClock
import Voice

/// A spoken test of two devices that no engine uses: records some seconds, and plays them.
///
/// The sound is in memory only. Each call opens its device within 3 s, and blocks its thread while sound moves, 2 s
/// longer at most.
package enum SpokenTest {
    /// Records mono sound at 48 kHz.
    /// - Parameter onLevel: called about ten times a second with the level in dBFS.
    /// - Throws: if the device cannot be opened, or is lost, or gives too little sound.
    package static func record(
        _ source: EndpointSource<any CaptureEndpoint>, lasting length: Interval, onLevel: (Float) -> Void
    ) throws(DeviceFault) -> [Float] {
        let device = try opened(source)
        let block = UnsafeMutableBufferPointer<Float>.allocate(capacity: device.traits.periodSamples)
        defer { block.deallocate() }
        guard let base = block.baseAddress else { illegal("no memory", in: "recording") }
        var samples: [Float] = []
        var meter = LevelMeter()
        var shownSamples = 0
        let until = Instant.monotonicNow() + length + patience
        while samples.count < length.samples {
            guard .monotonicNow() < until else { throw DeviceFault("it gives too little sound") }
            switch device.read(into: base, count: block.count) {
            case .block:
                samples += block
                meter.measure(UnsafeBufferPointer(block))
            case .nothingYet, .overrun: continue
            case .lost(let fault): throw fault
            }
            if shownSamples + levelSamples <= samples.count {
                shownSamples = samples.count
                onLevel(meter.decibels)
            }
        }
        return Array(samples.prefix(length.samples))
    }

    /// Plays mono sound at 48 kHz, on all channels of the device.
    /// - Throws: if the device cannot be opened, or is lost, or takes too little sound.
    package static func play(
        _ samples: [Float], into source: EndpointSource<any PlaybackEndpoint>
    ) throws(DeviceFault) {
        let device = try opened(source)
        defer { device.finish() }
        let channels = device.traits.channels
        let count = min(device.traits.periodSamples, AudioLimits.renderSamplesMax)
        // When silence of this length has been written too, the last word has sounded.
        let end = samples.count + device.traits.bufferSamples + tailSamples
        let until = Instant.monotonicNow() + Interval(samples: end) + patience
        var position = 0
        while position < end {
            guard .monotonicNow() < until else { throw DeviceFault("it takes too little sound") }
            switch device.queued() {
            case .lost(let fault): throw fault
            case .underrun: device.wait(until: .monotonicNow() + AudioLimits.waitMin)
            case .samples(let queued) where device.leadSamples < queued:
                let surplus = Interval(samples: queued - device.leadSamples)
                device.wait(until: .monotonicNow() + min(max(surplus, AudioLimits.waitMin), AudioLimits.waitMax))
            case .samples:
                let block = (0..<count * channels).map { index in
                    let place = position + index / channels
                    return place < samples.count ? samples[place] : 0
                }
                switch device.write(block, count: count) {
                case .written: position += count
                case .noRoom, .underrun: device.wait(until: .monotonicNow() + AudioLimits.waitMin)
                case .lost(let fault): throw fault
                }
            }
        }
    }

    private static func opened<Endpoint>(_ source: EndpointSource<Endpoint>) throws(DeviceFault) -> Endpoint {
        do throws(DeviceOpenError) {
            return try DeviceOpening<Endpoint>().open(source, request)
        } catch {
            throw DeviceFault(error.description)
        }
    }

    /// Delay does not matter here, so the buffer is long enough for a busy machine.
    private static let request = EndpointRequest(period: .milliseconds(10), buffer: .milliseconds(100))
    private static let patience = Interval.seconds(2)
    /// 100 ms.
    private static let levelSamples = 4_800
    /// 50 ms.
    private static let tailSamples = 2_400
}
