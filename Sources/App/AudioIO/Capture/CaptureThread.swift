import Handover
import Primitives
import SystemClock
import Voice

/// From the microphone to the ring: reads a block, codes it, pushes the frames into the ring, and wakes the node loop.
///
/// `DeviceLoop` opens its device. While a device runs, a round allocates nothing, takes no lock and logs nothing.
final class CaptureThread {
    private let devices: DeviceLoop<any CaptureEndpoint>
    private var input: InputPath
    private let keys: PressedKeys
    /// Ends the rest of this thread.
    private let wakeUpEvent: WakeUpEvent
    private var rest = CaptureRest()
    private let encoderOrder: EncoderOrder
    private let heartbeat: ThreadHeartbeat
    /// Whether the sound of the device is over.
    private let hasEnded: SharedFlag
    private let codedFrames: FrameRingProducer
    /// Both wake the node loop.
    private let framesFlag: WakeFlag
    private let framesReady: EventDescriptor
    private var sender: VoiceSender
    private var reportWriter: LatestValueWriter<CaptureReport>
    private var report = CaptureReport()
    private var pace = PublishPace()
    private let block: UnsafeMutableBufferPointer<Float>
    private let coded: UnsafeMutableRawBufferPointer
    /// The instant at which the next block's first sample is captured if nothing is lost. At first it is the instant of
    /// sample time 0.
    private var expectedAt: Instant
    /// Whether the device lost samples, or another device took over, since the latest block.
    private var hasGap = true
    /// The sample time as a number that does not wrap.
    private var mediaSamples: Int64 = 0

    init(
        configuration: AudioConfiguration, links: CaptureLinks, sender: consuming VoiceSender
    ) {
        devices = DeviceLoop(
            source: configuration.input, realTime: configuration.realTime, exchange: links.exchange,
            links: links.thread, standIn: ClockDevices.silence, traits: { $0.traits })
        self.sender = sender
        input = InputPath(configuration.speaking, keys: links.keys, links: links.ownVoice)
        keys = links.keys
        wakeUpEvent = links.wakeUpEvent
        expectedAt = links.origin
        encoderOrder = links.encoderOrder
        heartbeat = links.thread.heartbeat
        hasEnded = links.thread.hasEnded
        codedFrames = links.ring.takeProducer()
        framesFlag = links.framesFlag
        framesReady = links.framesReady
        reportWriter = links.report.takeWriter()
        block = .allocate(capacity: VoiceLimits.blockSamplesMax)
        block.initialize(repeating: 0)
        coded = .allocate(byteCount: AudioLimits.upSlotBytesMax, alignment: 16)
        coded.initializeMemory(as: UInt8.self, repeating: 0)
    }

    deinit {
        block.deallocate()
        coded.deallocate()
    }

    /// Returns when the stop flag is raised.
    func run() {
        // While a device is opened nothing is sent.
        _ = devices.run(
            round: round, beforeOpening: { input.tell(isTalking: false) }, onChange: { hasGap = true })
    }

    /// Waits for one block and passes it on. If the thread has rested, it reads all blocks that have come.
    private func round(_ device: any CaptureEndpoint) -> DeviceFault? {
        guard let block = block.baseAddress else { illegal("no memory", in: "running") }
        if let settings = encoderOrder.settings { sender.follow(settings) }
        sender.follow(independentRequests: encoderOrder.independentRequests)
        let traits = device.traits
        let count = traits.blockSamples(frame: sender.duration)
        guard !rests(traits, count: count) else { return nil }
        let most = max(1, min(traits.readSamplesMax, VoiceLimits.blockSamplesMax) / count)
        let waiting = rest.blocksWaiting(nextAt: expectedAt, blockSamples: count, hasGap: hasGap)
        let blocks = min(waiting, most)
        let outcome = device.read(into: block, count: blocks * count)
        hasEnded.isOn = device.hasEnded
        devices.links.losesSound.isOn = device.losesSound
        report.lostSamples += device.takeLate()
        if case .lost(let fault) = outcome { return fault }
        take(outcome, blocks: blocks, count: count)
        return nil
    }

    /// If nothing can be sent, waits until several blocks have come or the key may open. Returns whether it waited.
    private func rests(_ traits: EndpointTraits, count: Int) -> Bool {
        // The clock does not show when a program pushes its sound.
        guard traits.pacing != .driven, !hasGap, !input.isNeededInTime, !keys.mayOpen,
            let until = rest.wakeUp(
                nextAt: expectedAt, blockSamples: count, bufferSamples: traits.bufferSamples, now: .monotonicNow())
        else { return false }
        wakeUpEvent.rest(until: until) { keys.mayOpen }
        rest.rested(until: .monotonicNow())
        heartbeat.beat()
        report.rests += 1
        return true
    }

    private func take(_ outcome: ReadOutcome, blocks: Int, count: Int) {
        heartbeat.beat()
        switch outcome {
        case .block(let capturedAt):
            for index in 0..<blocks {
                pass(from: index * count, count: count, capturedAt: capturedAt + Interval(samples: index * count))
            }
        case .overrun:
            report.overruns += 1
            hasGap = true
        case .nothingYet, .lost:
            break
        }
    }

    /// Passes on `count` samples of what has been read.
    private func pass(from offset: Int, count: Int, capturedAt: Instant) {
        let readAt = Instant.monotonicNow()
        // A device that takes over may hold sound of a time for which the former one has delivered already.
        if hasGap, capturedAt < expectedAt { return }
        skipLost(capturedAt)
        guard let base = block.baseAddress else { illegal("no memory", in: "running") }
        let samples = base + offset
        let hasWaited = rest.hasWaited(blockEnd: capturedAt + Interval(samples: count))
        let opened = input.process(samples, count: count, capturedAt: capturedAt)
        sender.push(UnsafeBufferPointer(start: samples, count: count), keys: opened.all, voiced: opened.voice)
        expectedAt = capturedAt + Interval(samples: count)
        // Before the first frame leaves: with half-duplex, playback mutes the others from then on.
        input.tell(isTalking: sender.isTalking || !opened.isEmpty)
        handUp(capturedAt)
        report.blockSamples = Int32(truncatingIfNeeded: count)
        rest.passed(samples: count, isClosed: opened.isEmpty && !sender.isTalking)
        if !hasWaited { report.captureNanoseconds = (readAt - capturedAt).nanoseconds }
        report.codingNanoseconds = (Instant.monotonicNow() - readAt).nanoseconds
        mediaSamples += Int64(count)
        report.periods += 1
        // If the clock reports a step, it comes from a stall that `skipLost` has added to the sample time.
        _ = report.clock.update(sampleCount: mediaSamples, at: capturedAt + Interval(samples: count))
        publish()
    }

    /// Lets sample time follow the clock over a gap; otherwise a receiver would take the gap for jitter. If no loss is
    /// known, small gaps are ignored, since sound servers correct the delay that they report.
    private func skipLost(_ capturedAt: Instant) {
        defer { hasGap = false }
        let gap = (capturedAt - expectedAt).samples
        guard (hasGap && 0 < gap) || AudioLimits.gapSamplesMin <= gap else { return }
        let before = sender.sampleTime
        sender.skip(lostSamples: gap)
        let skipped = Int64(sender.sampleTime.distance(after: before))
        mediaSamples += skipped
        // Before the first block nothing could be lost.
        if report.periods != 0 { report.lostSamples += UInt64(max(0, skipped)) }
    }

    private func handUp(_ capturedAt: Instant) {
        var hasNew = false
        while let frame = sender.nextFrame(into: coded) {
            let header = RingHeader(
                kind: frame.duration.rawValue, flags: frame.flags.rawValue,
                mark: UInt16(frame.keys.rawValue) << 8 | UInt16(frame.spurt),
                sampleTime: frame.sampleTime, instant: capturedAt)
            // A full ring drops the frame and counts it. The receivers conceal it.
            _ = codedFrames.push(header, UnsafeRawBufferPointer(rebasing: coded[..<frame.byteCount]))
            hasNew = true
        }
        if hasNew && framesFlag.raise() { framesReady.signal() }
    }

    private func publish() {
        guard pace.isDue() else { return }
        report.levelDecibels = sender.level.decibels
        input.report(into: &report)
        report.encoderFailures = sender.encoderFailures
        reportWriter.publish(report)
    }
}

/// Everything that the capture thread shares with the node loop.
struct CaptureLinks {
    let thread: ThreadLinks
    let exchange: DeviceExchange<any CaptureEndpoint>
    /// The instant of sample time 0.
    let origin: Instant
    let keys: PressedKeys
    let wakeUpEvent: WakeUpEvent
    let encoderOrder: EncoderOrder
    let ownVoice: OwnVoiceLinks
    let ring: FrameRing
    let framesFlag: WakeFlag
    let framesReady: EventDescriptor
    let report: LatestValue<CaptureReport>
}
