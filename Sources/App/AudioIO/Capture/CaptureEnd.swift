import Handover
import Primitives
package import Voice

/// The node loop's end of one capture thread: the talk keys, the coded frames, and the report.
///
/// Used on the node loop only, except `thread` and `exchange`.
final class CaptureEnd {
    let keys: PressedKeys
    let encoderOrder: EncoderOrder
    /// Samples by which coded sound lags behind captured sound.
    let lookaheadSamples: Int
    let thread: EndpointThread
    let exchange: DeviceExchange<any CaptureEndpoint>

    /// The instant of sample time 0.
    private let origin: Instant
    private let framesFlag = WakeFlag()
    private let framesReady: EventDescriptor
    private let ring: FrameRing
    private let frames: FrameRingConsumer
    private var published: LatestValueReader<CaptureReport>

    /// Takes ownership of the encoder. Throws only if the process has no descriptor left.
    init(
        _ configuration: AudioConfiguration, encoder: VoiceEncoder, origin: Instant, ownVoice: OwnVoiceLinks,
        savesPower: SharedFlag, stop: SharedFlag
    ) throws(EventDescriptorError) {
        let wakeUpEvent = try WakeUpEvent()
        keys = PressedKeys(wakeUpEvent: wakeUpEvent)
        framesReady = try EventDescriptor()
        encoderOrder = EncoderOrder(configuration.encoder)
        lookaheadSamples = encoder.lookaheadSamples
        self.origin = origin
        ring = FrameRing(capacity: AudioLimits.upSlots, slotBytesMax: AudioLimits.upSlotBytesMax)
        frames = ring.takeConsumer()
        let report = LatestValue(CaptureReport())
        published = report.takeReader()
        let links = ThreadLinks(savesPower: savesPower, stop: stop, device: configuration.input.name)
        exchange = DeviceExchange(configuration.captureRequests, savesPower: savesPower)
        // From here on only its own thread uses it.
        nonisolated(unsafe) let capture = CaptureThread(
            configuration: configuration,
            links: CaptureLinks(
                thread: links, exchange: exchange, origin: origin, keys: keys, wakeUpEvent: wakeUpEvent,
                encoderOrder: encoderOrder, ownVoice: ownVoice, ring: ring, framesFlag: framesFlag,
                framesReady: framesReady,
                report: report),
            sender: VoiceSender(
                encoder: encoder, duration: configuration.encoder.frame,
                preRollSamples: configuration.speaking.preRollSamples))
        thread = EndpointThread(name: "audio capture", links: links) { capture.run() }
    }

    /// An eventfd, readable when frames wait.
    var wakeDescriptor: Int32 { framesReady.number }

    /// Passes every waiting coded frame to `body`, oldest first. The bytes are valid only during the call. The caller
    /// has read the eventfd, so that it wakes the loop again.
    func drain(_ body: (VoiceFrame, UnsafeRawBufferPointer) -> Void) {
        framesFlag.lower()
        while let next = frames.front() {
            guard let duration = FrameDuration(rawValue: next.header.kind) else {
                illegal("frame of duration \(next.header.kind)", in: "draining")
            }
            let frame = VoiceFrame(
                sampleTime: next.header.sampleTime, duration: duration,
                spurt: UInt8(truncatingIfNeeded: next.header.mark),
                flags: VoiceFrameFlags(rawValue: next.header.flags),
                keys: KeySet(rawValue: UInt8(truncatingIfNeeded: next.header.mark >> 8)),
                byteCount: next.bytes.count)
            body(frame, next.bytes)
            frames.removeFirst()
        }
    }

    /// The sample time of sound that is captured at `instant`. Sample time begins at `origin`, before any device is
    /// open, so that already the first value that a peer gets is right.
    func mediaTime(at instant: Instant) -> SampleTime {
        let clock = report.clock
        guard clock.isRunning else {
            return SampleTime(samples: UInt32(truncatingIfNeeded: (instant - origin).samples))
        }
        return clock.sampleTime(at: instant)
    }

    var report: CaptureReport { published.latest() }

    /// Coded frames that were dropped because the node loop was too slow.
    var framesRefused: Int { ring.refusedCount }
}

/// The encoder settings that the capture thread must use, and the count of requests for independent frames. The node
/// loop writes them. The thread reads them once a block.
package final class EncoderOrder: Sendable {
    private let order: SharedNumber
    private let requestCount = SharedNumber()

    package init(_ settings: EncoderSettings) { order = SharedNumber(Self.packed(settings)) }

    /// - Parameter independentRequests: counts the requests for independent frames, wrapping.
    package func give(_ settings: EncoderSettings, independentRequests: UInt8) {
        order.value = Self.packed(settings)
        requestCount.value = UInt64(independentRequests)
    }

    package var independentRequests: UInt8 { UInt8(truncatingIfNeeded: requestCount.value) }

    /// Nil if the number holds no valid frame duration.
    package var settings: EncoderSettings? {
        let packed = order.value
        return FrameDuration(rawValue: UInt8(truncatingIfNeeded: packed)).map {
            EncoderSettings(frame: $0, bitsPerSecond: Int(packed >> 16), isPlain: packed & 0x100 != 0)
        }
    }

    private static func packed(_ settings: EncoderSettings) -> UInt64 {
        UInt64(UInt32(clamping: settings.bitsPerSecond)) << 16 | (settings.isPlain ? 0x100 : 0)
            | UInt64(settings.frame.rawValue)
    }
}
