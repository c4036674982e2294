import CLinux
import Glibc
package import Handover
package import Primitives
import SystemClock
package import Voice

/// Both audio threads, their rings, and the node loop's end of them.
///
/// Everything but `start` and `stop` is called on the node loop, one call at a time; that is what
/// makes the class safe to hand there.
///
/// ```swift
/// let engine = try AudioEngine(configuration, encoder: encoder, decoders: decoders)
/// try engine.start()
/// // dup(engine.wakeDescriptor) becomes a pipe channel of the node loop; whenever it is readable:
/// engine.drainCaptured { frame, bytes in fanOut.append(frame, bytes: bytes, now: now) … }
/// // for MeshOutput.voice and .peerMediaClock:
/// engine.deliver(payload, slot: slot, arrival: now)
/// engine.peerClock(slot, sampleTime: time, arrival: now)
/// // for every control block: node.handle(.mediaClock(engine.mediaTime(at: now)), now: now)
/// ```
package final class AudioEngine: @unchecked Sendable {
    /// An eventfd, readable when frames wait in the up ring. The engine closes it.
    package let wakeDescriptor: Int32
    /// Samples by which coded sound lags behind what was captured.
    package let lookaheadSamples: Int
    package let key: TalkKey
    package let encoderOrder: EncoderOrder
    /// Moved by the node loop.
    package let powerSaving = SharedFlag()
    /// What playback hands to the recorder, and when.
    package let recordingRing: FrameRing
    package let recordingSwitch = RecordingSwitch()

    /// Sample time 0.
    private let origin = Instant.monotonicNow()
    private let configuration: AudioConfiguration
    private let stopFlag = SharedFlag()
    private let wake = WakeFlag()
    private let upRing: FrameRing
    private let downRing: FrameRing
    private let up: FrameRingConsumer
    private let down: FrameRingProducer
    private var shares: RingShares
    private var orders = PeerOrders()
    private let inputBoard: LockedValue<DeviceStatus>
    private let outputBoard: LockedValue<DeviceStatus>
    private var captureReport: LatestValueReader<CaptureReport>
    private var playbackReport: LatestValueReader<PlaybackReport>
    private let captureThread: CaptureThread
    private let playbackThread: PlaybackThread
    private var running: [AudioThread] = []
    private let captureHeartbeat = ThreadHeartbeat()
    private let playbackHeartbeat = ThreadHeartbeat()
    private var captureWatch = ThreadWatch(looksInVainMax: AudioLimits.looksInVainMax)
    private var playbackWatch = ThreadWatch(looksInVainMax: AudioLimits.looksInVainMax)

    /// Takes ownership of the codecs: one encoder of the profile's frame, a decoder for each of
    /// `VoiceLimits.talkersMax` slots. Throws only where the process has no descriptor left.
    package init(
        _ configuration: AudioConfiguration, encoder: VoiceEncoder, decoders: [VoiceDecoder]
    ) throws(AudioThreadError) {
        let wakeUpEvent = try CaptureWakeUpEvent()
        key = TalkKey(wakeUpEvent: wakeUpEvent)
        let descriptor = linux_eventfd_open()
        guard 0 <= descriptor else { throw AudioThreadError(code: errno) }
        wakeDescriptor = descriptor
        lookaheadSamples = encoder.lookaheadSamples
        self.configuration = configuration
        encoderOrder = EncoderOrder(configuration.encoder)
        upRing = FrameRing(capacity: AudioLimits.upSlots, slotBytesMax: AudioLimits.upSlotBytesMax)
        downRing = FrameRing(capacity: AudioLimits.downSlots, slotBytesMax: AudioLimits.downSlotBytesMax)
        recordingRing = FrameRing(
            capacity: AudioLimits.recordedPieces,
            slotBytesMax: AudioLimits.recordedPieceSamples * MemoryLayout<StereoFrame>.size)
        up = upRing.takeConsumer()
        down = downRing.takeProducer()
        shares = RingShares(capacity: downRing.capacity)
        inputBoard = LockedValue(DeviceStatus(device: configuration.input.description))
        outputBoard = LockedValue(DeviceStatus(device: configuration.output.description))

        let captured = LatestValue(CaptureReport())
        let played = LatestValue(PlaybackReport())
        captureReport = captured.takeReader()
        playbackReport = played.takeReader()
        let (floor, sideTone) = (TalkFloor(), SampleRing(capacity: AudioLimits.sideToneSamples))
        let reference = configuration.speaking.makeReferenceRing()
        captureThread = CaptureThread(
            configuration: configuration,
            links: CaptureLinks(
                saving: powerSaving, origin: origin, key: key, wakeUpEvent: wakeUpEvent, encoder: encoderOrder,
                floor: floor,
                sideTone: sideTone, reference: reference,
                heartbeat: captureHeartbeat, board: inputBoard, ring: upRing, wake: wake,
                wakeDescriptor: descriptor, report: captured),
            sender: VoiceSender(
                encoder: encoder, duration: configuration.encoder.frame,
                preRollSamples: configuration.speaking.preRollSamples), stop: stopFlag)
        playbackThread = PlaybackThread(
            configuration: configuration,
            links: PlaybackLinks(
                saving: powerSaving,
                floor: floor, sideTone: sideTone, reference: reference, heartbeat: playbackHeartbeat,
                board: outputBoard, ring: downRing, report: played,
                tap: RecordingTap(ring: recordingRing.takeProducer(), control: recordingSwitch)),
            receiver: VoiceReceiver(decoders: decoders, outputChannels: 1), stop: stopFlag)
    }

    deinit {
        stop()
        close(wakeDescriptor)
    }

    /// Starts both threads; they open their devices themselves, and go on trying where there is none.
    package func start() throws(AudioThreadError) {
        precondition(running.isEmpty && !stopFlag.isOn, "an engine starts once")
        // Each thread object is touched by its own thread alone from here on.
        nonisolated(unsafe) let (capture, playback) = (captureThread, playbackThread)
        running.append(try AudioThread.start(name: "audio capture") { capture.run() })
        running.append(try AudioThread.start(name: "audio playback") { playback.run() })
    }

    /// Stops both threads and waits for them, at most about 0.1 s.
    package func stop() {
        stopFlag.isOn = true
        for thread in running { thread.join() }
        running = []
    }

    /// Gives every coded frame that waits to `body`, oldest first; its bytes are good during the call.
    package func drainCaptured(_ body: (VoiceFrame, UnsafeRawBufferPointer) -> Void) {
        _ = linux_eventfd_take(wakeDescriptor)
        wake.lower()
        while let next = up.front() {
            guard let duration = FrameDuration(rawValue: next.header.kind) else {
                illegal("frame of duration \(next.header.kind)", in: "draining")
            }
            let frame = VoiceFrame(
                sampleTime: next.header.sampleTime, duration: duration,
                spurt: UInt8(truncatingIfNeeded: next.header.mark),
                flags: VoiceFrameFlags(rawValue: next.header.flags), byteCount: next.bytes.count)
            body(frame, next.bytes)
            up.removeFirst()
        }
    }

    /// Hands a peer's voice payload to the playback thread; false, counted, where it was refused: the peer's share of
    /// the ring is full, or the payload larger than any may be.
    @discardableResult
    package func deliver(_ payload: [UInt8], slot: PeerSlot, arrival: Instant) -> Bool {
        guard orders.flush(into: down) else { return false }
        let header = RingHeader(
            kind: PlaybackOrder.payload.rawValue, peerIndex: UInt16(slot.index), instant: arrival)
        return payload.withUnsafeBytes { shares.push(header, $0, of: slot, into: down) }
    }

    /// A peer's media clock from a control block.
    package func peerClock(_ slot: PeerSlot, sampleTime: SampleTime, arrival: Instant) {
        guard orders.flush(into: down) else { return }
        let header = RingHeader(
            kind: PlaybackOrder.clock.rawValue, peerIndex: UInt16(slot.index), sampleTime: sampleTime,
            instant: arrival)
        _ = shares.push(header, UnsafeRawBufferPointer(start: nil, count: 0), of: slot, into: down)
    }

    /// A peer has this slot from now on: empty buffer, gain 1, not muted. Returns how often the slot
    /// has been opened, wrapping: what is recorded of it bears that number.
    @discardableResult
    package func openPeer(_ slot: PeerSlot) -> UInt16 {
        let generation = orders.open(slot)
        _ = orders.flush(into: down)
        return generation
    }

    /// The peer of this slot has gone.
    package func closePeer(_ slot: PeerSlot) {
        orders.close(slot)
        _ = orders.flush(into: down)
    }

    /// The listener's volume for a peer, 0 … `AudioLimits.gainMax`.
    package func setGain(_ slot: PeerSlot, to gain: Float) {
        orders.setGain(slot, to: gain)
        _ = orders.flush(into: down)
    }

    /// Silences a peer for this listener; the volume is kept.
    package func setMute(_ slot: PeerSlot, to isMuted: Bool) {
        orders.setMute(slot, to: isMuted)
        _ = orders.flush(into: down)
    }

    /// Where a peer stands, -100 left … 100 right; heard where the card has two channels.
    package func setPan(_ slot: PeerSlot, to pan: Int) {
        orders.setPan(slot, to: pan)
        _ = orders.flush(into: down)
    }

    /// Makes the others step back while a peer speaks, or no more.
    package func setPriority(_ slot: PeerSlot, to hasPriority: Bool) {
        orders.setPriority(slot, to: hasPriority)
        _ = orders.flush(into: down)
    }

    /// What the whole mix is multiplied by, 0 … 1.
    package func setMaster(to gain: Float) {
        orders.setMaster(to: gain)
        _ = orders.flush(into: down)
    }

    /// Lets the listener hear that somebody is lost or back.
    package func beep(_ kind: Beep.Kind) {
        orders.beep(kind)
        _ = orders.flush(into: down)
    }

    /// Moves the key: down as long as it is held, or up.
    package func setTalking(_ isTalking: Bool) { key.move(to: isTalking ? .held : .released) }

    /// Where capture stands at `instant` on the line of its sample times. The line begins with the
    /// engine, before any device is open, so that what a peer is told first is already right.
    package func mediaTime(at instant: Instant) -> SampleTime {
        let clock = captureReport.latest().clock
        guard clock.isRunning else {
            return SampleTime(samples: UInt32(truncatingIfNeeded: (instant - origin).samples))
        }
        return clock.sampleTime(at: instant)
    }

    package var status: AudioStatus {
        AudioStatus(
            input: inputBoard.current, output: outputBoard.current, capture: captureReport.latest(),
            playback: orders.ofPresentHolders(playbackReport.latest()), framesRefused: upRing.refusedCount,
            payloadsRefused: downRing.refusedCount + shares.refusedCount, isInputStuck: captureWatch.standsStill,
            isOutputStuck: playbackWatch.standsStill)
    }

    /// Looks whether both threads still go round; to be called every half second.
    package func watchThreads() {
        captureWatch.look(at: captureHeartbeat.count)
        playbackWatch.look(at: playbackHeartbeat.count)
    }
}
