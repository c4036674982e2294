import Handover
import Primitives
import SystemClock
import Voice

/// From the ring to the loudspeaker: empties the ring, renders a block when the device needs one, and writes it.
///
/// A block is rendered as late as the device allows: when the queue has fallen to the length that `BlockPacing` gives.
/// If the thread comes late, it renders as many blocks as are missing, but never more than fit. `DeviceLoop` opens its
/// device. While no device is open, rendering goes on in real time, so that no buffer overflows.
final class PlaybackThread {
    private let devices: DeviceLoop<any PlaybackEndpoint>
    private let blocksPerPeriod: Int
    private let savesPower: SharedFlag
    private let heartbeat: ThreadHeartbeat
    private let down: FrameRingConsumer
    private let tap: RecordingTap
    private var receiver: VoiceReceiver
    private var ownVoice: OwnVoice
    private let second: SecondFeed?
    private var reportWriter: LatestValueWriter<PlaybackReport>
    private var report = PlaybackReport()
    private var pace = PublishPace()
    private var pacing = BlockPacing()
    /// The instant at which the block that is being written was asked for.
    private var renderedAt = Instant.zero
    /// The instant at which the next block is rendered if no gap occurs; nil before the first block.
    private var expectedAt: Instant?
    /// Whether the device has stood still since the latest block: it has run dry, or another one has taken over. The
    /// sound of that time must be skipped.
    private var hasGap = false
    /// One bit for each open slot.
    private var openSlots: UInt64 = 0
    private let interleaved: UnsafeMutableBufferPointer<Float>

    init(
        configuration: AudioConfiguration, links: PlaybackLinks, receiver: consuming VoiceReceiver
    ) {
        devices = DeviceLoop(
            source: configuration.output, realTime: configuration.realTime, exchange: links.exchange,
            links: links.thread, standIn: ClockDevices.nothing, traits: { $0.traits })
        blocksPerPeriod = configuration.blocksPerPeriod
        receiver.isLoudnessMatched = configuration.isLoudnessMatched
        receiver.watchesTalk = configuration.speaking.isHalfDuplex
        receiver.tap = links.tap.voiceTap
        if let second = configuration.second { receiver.openSecond(gain: second.gain) }
        self.receiver = receiver
        ownVoice = OwnVoice(configuration, links: links.ownVoice)
        second = links.second
        savesPower = links.thread.savesPower
        heartbeat = links.thread.heartbeat
        down = links.ring.takeConsumer()
        tap = links.tap
        reportWriter = links.report.takeWriter()
        interleaved = .allocate(capacity: AudioLimits.renderSamplesMax * AudioLimits.channelsMax)
        interleaved.initialize(repeating: 0)
    }

    deinit {
        interleaved.deallocate()
    }

    /// Returns when the stop flag is raised.
    func run() {
        devices.run(round: round, beforeOpening: { ownVoice.pause() }, onChange: { hasGap = true })?.finish()
    }

    /// Waits for the queue to fall to the lead, or renders one block.
    private func round(_ device: any PlaybackEndpoint) -> DeviceFault? {
        heartbeat.beat()
        switch device.queued() {
        case .lost(let fault):
            return fault
        case .underrun:
            countUnderrun()
            return nil
        case .samples(let queued):
            drain()
            let turn = pacing.next(situation(of: device), now: .monotonicNow())
            guard queued <= turn.queueMax else {
                device.wait(until: pacing.wakeUp(queued: queued, for: turn, now: .monotonicNow()))
                return nil
            }
            second?.lead.value = UInt64(device.leadSamples)
            skipGap(lead: device.leadSamples)
            let count = pacing.samples(queued: queued, for: turn, now: .monotonicNow())
            // A block at rest is requested when its first part would have been requested while listening. At rest the
            // queue may fall below the lead, so that instant has passed by as much.
            let delay = turn.isResting ? max(0, device.leadSamples - queued) : 0
            let now = Instant.monotonicNow() - Interval(samples: delay)
            tap.begin(at: now + Interval(samples: device.leadSamples))
            render(count: count, channels: device.traits.channels, queued: queued, now: now)
            receiver.expectBlocks(of: turn.partSamples)
            tap.end()
            report.queuedSamples = Int32(clamping: queued + count)
            let fault = write(count: count, to: device)
            devices.links.reportLoss(of: device)
            publish()
            return fault
        }
    }

    private func drain() {
        while let frame = down.front() {
            perform(frame)
            down.removeFirst()
        }
    }

    private func perform(_ frame: RingFrame) {
        let slot = PeerSlot(index: Int(frame.header.peerIndex))
        switch PlaybackOrder(rawValue: frame.header.kind) {
        case .payload:
            receiver.insert(
                slot, payload: frame.bytes, on: PlaybackOrder.lines(of: frame.header), arrival: frame.header.instant)
        case .clock:
            receiver.clock(slot, sampleTime: frame.header.sampleTime, arrival: frame.header.instant)
        case .open:
            receiver.openPeer(slot)
            tap.open(slot, slotUse: frame.header.mark)
            report.slotUses[slot.index] = frame.header.mark
            openSlots |= 1 << UInt64(slot.index)
        case .close:
            receiver.closePeer(slot)
            openSlots &= ~(1 << UInt64(slot.index))
        case .gain:
            receiver.setGain(slot, to: PlaybackOrder.gain(ofMark: frame.header.mark))
        case .pan:
            receiver.setPan(slot, to: PlaybackOrder.pan(ofMark: frame.header.mark))
        case .priority:
            receiver.setPriority(slot, to: frame.header.mark != 0)
        case .master:
            receiver.setMaster(to: PlaybackOrder.gain(ofMark: frame.header.mark))
        case .beep:
            guard let kind = Beep.Kind(rawValue: UInt8(truncatingIfNeeded: frame.header.mark)) else { break }
            if kind.isOfOwnTalk { ownVoice.startBeep(kind) } else { receiver.startBeep(kind) }
        case .line:
            receiver.setLine(Int(frame.header.peerIndex), to: PlaybackOrder.sound(of: frame.header))
        case .closeLine:
            receiver.closeLine(Int(frame.header.mark))
        case nil:
            illegal("order \(frame.header.kind)", in: "draining")
        }
    }

    /// After an underrun or a change of device, renders the sound of the time in which the device stood still, and
    /// drops it. Otherwise every voice would be late by the gap until its buffer has shrunk again, at 2 ms a second.
    private func skipGap(lead: Int) {
        guard hasGap else { return }
        hasGap = false
        guard let expectedAt else { return }
        let now = Instant.monotonicNow()
        var gap = min(now - expectedAt, AudioLimits.gapSkippedMax).samples
        while 0 < gap {
            let count = min(gap, AudioLimits.renderSamplesMax)
            tap.begin(at: now + Interval(samples: lead - gap))
            receiver.render(into: block(of: count), now: now)
            feedSecond(count: count)
            tap.end()
            gap -= count
        }
    }

    /// - Parameters:
    ///   - queued: the number of samples that sound before the block.
    ///   - now: the instant at which the block was due to be asked for.
    private func render(count: Int, channels: Int, queued: Int, now: Instant) {
        let begun = Instant.monotonicNow()
        renderedAt = now
        expectedAt = now + Interval(samples: count)
        if receiver.outputChannels != channels { receiver.outputChannels = channels }
        receiver.render(into: block(of: count), now: now)
        feedSecond(count: count)
        if let samples = interleaved.baseAddress {
            ownVoice.process(
                samples, count: count, channels: channels, playsAt: begun + Interval(samples: queued),
                isOtherHeard: receiver.hasTalkSounded)
        }
        report.blocks += 1
        report.renderNanoseconds = (Instant.monotonicNow() - begun).nanoseconds
    }

    private func feedSecond(count: Int) {
        guard let second else { return }
        receiver.passOnSecond { left, right in second.push(left, right, count: count) }
    }

    private func block(of count: Int) -> UnsafeMutableBufferPointer<Float> {
        UnsafeMutableBufferPointer(rebasing: interleaved[..<(count * receiver.outputChannels)])
    }

    private func write(count: Int, to device: any PlaybackEndpoint) -> DeviceFault? {
        guard let samples = interleaved.baseAddress else { illegal("no memory", in: "running") }
        switch device.offer(samples, count: count, onUnderrun: countUnderrun) {
        case .written(let soundsAt): report.playoutNanoseconds = (soundsAt - renderedAt).nanoseconds
        case .lost(let fault): return fault
        case .noRoom, .underrun: report.droppedBlocks += 1
        }
        return nil
    }

    private func countUnderrun() {
        // A device that takes over may run dry before its first block. That belongs to the gap of the change.
        guard !hasGap else { return }
        report.underruns += 1
        if AudioLimits.restAfterSamples <= receiver.quietSamples { report.underrunsInSilence += 1 }
        hasGap = true
        let now = Instant.monotonicNow()
        receiver.stoodStill(now: now)
        pacing.ranDry(now: now)
    }

    private func situation(of device: any PlaybackEndpoint) -> BlockPacing.Situation {
        let traits = device.traits
        let isWhole = savesPower.isOn || traits.movesWholePeriods
        return BlockPacing.Situation(
            leadSamples: device.leadSamples, periodSamples: traits.periodSamples,
            blocksPerPeriod: isWhole ? 1 : blocksPerPeriod, hasPeers: openSlots != 0,
            quietSamples: receiver.quietSamples,
            // Rest relies on the clock, and a program may pull at any time.
            mayRest: !hasGap && traits.pacing != .driven)
    }

    private func publish() {
        guard pace.isDue() else { return }
        report.levelDecibels = receiver.level.decibels
        report.malformedPayloads = receiver.malformedPayloads
        for index in 0..<MeshScale.peersMax where openSlots & (1 << UInt64(index)) != 0 {
            report.talkers[index] = receiver.statistics(of: PeerSlot(index: index))
        }
        reportWriter.publish(report)
    }
}

/// Everything that the playback thread shares with the node loop.
struct PlaybackLinks {
    let thread: ThreadLinks
    let exchange: DeviceExchange<any PlaybackEndpoint>
    let ownVoice: OwnVoiceLinks
    /// Nil if there is no second output.
    let second: SecondFeed?
    let ring: FrameRing
    let report: LatestValue<PlaybackReport>
    let tap: RecordingTap
}
