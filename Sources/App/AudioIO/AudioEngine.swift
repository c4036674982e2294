package import Handover
package import Primitives
import SystemClock
package import Voice

/// The audio threads, their rings, and the node loop's end of these.
///
/// The node loop makes all calls, one at a time, except those of `start`, `stop`, `devices` and the functions that
/// change a device. For that reason the class is safe to pass to that loop.
///
/// ```swift
/// let engine = try AudioEngine(configuration, encoder: encoder, decoders: decoders)
/// try engine.start()
/// // dup(engine.wakeDescriptor) becomes a pipe channel of the node loop; whenever it is readable:
/// engine.drainCaptured { frame, bytes in node.queue(frame, bytes: bytes, now: now) }    // a VoiceNode
/// // for MeshOutput.voice, on the lines of VoiceNode.heardLines, and for .peerMediaClock:
/// engine.deliver(payload, slot: slot, on: lines, arrival: now)
/// engine.peerClock(slot, sampleTime: time, arrival: now)
/// // at the start, before `drainCaptured`, and before a deadline is handled:
/// node.handle(.mediaClock(engine.mediaTime(at: now)), now: now)
/// ```
package final class AudioEngine: @unchecked Sendable {
    /// Whether the threads wake up as rarely as they can. The node loop sets it.
    package let powerSaving = SharedFlag()

    private let stopFlag = SharedFlag()
    private let floor: TalkFloor
    private let capture: CaptureEnd
    private let playback: PlaybackEnd
    /// Nil if there is no second output.
    private let second: SecondOutput?

    /// Takes ownership of the codecs: one encoder for the configured frame, and a decoder for each of
    /// `VoiceLimits.talkersMax` slots.
    /// - Throws: `EventDescriptorError` if the process has no descriptor left.
    package init(
        _ configuration: AudioConfiguration, encoder: VoiceEncoder, decoders: [VoiceDecoder]
    ) throws(EventDescriptorError) {
        let ownVoice = OwnVoiceLinks(configuration.speaking)
        floor = ownVoice.floor
        capture = try CaptureEnd(
            configuration, encoder: encoder, origin: .monotonicNow(), ownVoice: ownVoice, savesPower: powerSaving,
            stop: stopFlag)
        second = configuration.second.map { [powerSaving, stopFlag] in
            SecondOutput($0.output, configuration, savesPower: powerSaving, stop: stopFlag)
        }
        playback = PlaybackEnd(
            configuration, decoders: decoders, ownVoice: ownVoice, second: second?.feed, savesPower: powerSaving,
            stop: stopFlag)
    }

    deinit { stop() }

    /// Starts the threads. They open their devices themselves, and keep trying if a device cannot be opened.
    /// - Throws: `AudioThreadError` if the machine has no thread left.
    package func start() throws(AudioThreadError) {
        try capture.thread.start()
        try playback.thread.start()
        try second?.thread.start()
    }

    /// Stops the threads and waits for them, about 0.1 s. A thread that hangs in a driver for `AudioLimits.stopMax` is
    /// left to itself. It keeps what it uses, and ends when the driver returns.
    /// - Returns: the names of the devices in which threads hang.
    @discardableResult
    package func stop() -> [String] {
        stopFlag.isOn = true
        let deadline = Instant.monotonicNow() + AudioLimits.stopMax
        let threads = [capture.thread, playback.thread] + (second.map { [$0.thread] } ?? [])
        return threads.filter { !$0.join(until: deadline) }.map(\.device.device)
    }

    /// Checks that the threads still make progress. Call it every half second.
    package func watchThreads() {
        capture.thread.look()
        playback.thread.look()
        second?.thread.look()
        floor.watched(isCaptureStuck: capture.thread.isStuck, isPlaybackStuck: playback.thread.isStuck)
    }

    /// Changes the capture device while the node runs. The former device is closed when the new one runs.
    ///
    /// Blocks while devices open and close. Call it, unlike the rest, on an ordinary thread, one call at a time.
    /// - Throws: `DeviceOpenError` if the device cannot be opened, or the capture thread hangs. Then the present device
    ///   goes on.
    package func changeInput(
        to source: EndpointSource<any CaptureEndpoint>, realTime: AudioConfiguration.RealTimePolicy
    ) throws(DeviceOpenError) {
        _ = try capture.exchange.change(to: source, realTime: realTime)
    }

    /// Changes the playback device while the node runs, as `changeInput` does for the capture device.
    /// - Throws: `DeviceOpenError`, as `changeInput`.
    package func changeOutput(
        to source: EndpointSource<any PlaybackEndpoint>, realTime: AudioConfiguration.RealTimePolicy
    ) throws(DeviceOpenError) {
        try playback.exchange.change(to: source, realTime: realTime)?.finish()
    }

    /// Changes the device of the second output, as `changeOutput` does for that of the first.
    /// - Precondition: there is a second output.
    /// - Throws: `DeviceOpenError`, as `changeInput`.
    package func changeSecond(
        to source: EndpointSource<any PlaybackEndpoint>, realTime: AudioConfiguration.RealTimePolicy
    ) throws(DeviceOpenError) {
        guard let second else { illegal("a change of the second output", in: "an engine without one") }
        try second.exchange.change(to: source, realTime: realTime)?.finish()
    }

    /// The devices now; the second output is nil if there is none. Any thread may ask.
    package var devices: (input: DeviceStatus, output: DeviceStatus, second: DeviceStatus?) {
        (capture.thread.device, playback.thread.device, second?.thread.device)
    }

    package var status: AudioStatus {
        AudioStatus(
            input: capture.thread.device, output: playback.thread.device, capture: capture.report,
            playback: playback.report, framesRefused: capture.framesRefused,
            payloadsRefused: playback.payloadsRefused, isInputStuck: capture.thread.isStuck,
            isOutputStuck: playback.thread.isStuck, second: second?.status)
    }
}

// MARK: - What is captured

extension AudioEngine {
    package var keys: PressedKeys { capture.keys }
    package var encoderOrder: EncoderOrder { capture.encoderOrder }
    /// An eventfd, readable when frames wait in the up ring. The engine closes it.
    package var wakeDescriptor: Int32 { capture.wakeDescriptor }
    /// Samples by which coded sound lags behind captured sound.
    package var lookaheadSamples: Int { capture.lookaheadSamples }

    /// Passes every waiting coded frame to `body`, oldest first. The bytes are valid only during the call. Read
    /// `wakeDescriptor` before, as a pipe channel does: else it stays readable.
    package func drainCaptured(_ body: (VoiceFrame, UnsafeRawBufferPointer) -> Void) { capture.drain(body) }

    /// The sample time of sound that is captured at `instant`. Sample time begins with the engine, before any device is
    /// open, so that already the first value that a peer gets is right.
    package func mediaTime(at instant: Instant) -> SampleTime { capture.mediaTime(at: instant) }
}

// MARK: - What is played

extension AudioEngine {
    /// The ring and the switch through which playback passes sound to the recorder.
    package var recordingRing: FrameRing { playback.recordingRing }
    package var recordingSwitch: RecordingSwitch { playback.recordingSwitch }

    /// Passes a peer's voice payload to the playback thread, with the lines on which it sounds. False if it was
    /// refused, which is counted: the peer's share of the ring is full, or the payload is larger than the limit.
    @discardableResult
    package func deliver(_ payload: [UInt8], slot: PeerSlot, on lines: HeardLines, arrival: Instant) -> Bool {
        playback.deliver(payload, slot: slot, on: lines, arrival: arrival)
    }

    /// Passes on a peer's media clock from a control block.
    package func peerClock(_ slot: PeerSlot, sampleTime: SampleTime, arrival: Instant) {
        playback.peerClock(slot, sampleTime: sampleTime, arrival: arrival)
    }

    /// The latest report of the playback thread.
    package var playbackReport: PlaybackReport { playback.report }

    /// Gives this slot to a new peer, with an empty buffer, gain 1, not muted. Returns the number of times that the
    /// slot has been opened, wrapping. Recorded sound of the peer bears that number.
    @discardableResult
    package func openPeer(_ slot: PeerSlot) -> UInt16 { playback.order { $0.open(slot) } }

    /// Closes the slot of a peer that has gone.
    package func closePeer(_ slot: PeerSlot) { playback.order { $0.close(slot) } }

    /// Sets the listener's volume for a peer, a factor of 0 … `AudioLimits.gainMax`.
    package func setGain(_ slot: PeerSlot, to gain: Float) { playback.order { $0.setGain(slot, to: gain) } }

    /// Silences a peer for this listener; the volume is kept.
    package func setMute(_ slot: PeerSlot, to isMuted: Bool) { playback.order { $0.setMute(slot, to: isMuted) } }

    /// Sets the pan of a peer, -100 left … 100 right. It is heard only if the device has two channels.
    package func setPan(_ slot: PeerSlot, to pan: Int) { playback.order { $0.setPan(slot, to: pan) } }

    /// Sets whether the other talkers are lowered while this peer speaks.
    package func setPriority(_ slot: PeerSlot, to hasPriority: Bool) {
        playback.order { $0.setPriority(slot, to: hasPriority) }
    }

    /// Sets how a line sounds, which is a channel at this listener. Before that it sounds as it is.
    package func setLine(_ line: Int, to sound: LineSound) { playback.orderLine(line, sound) }

    /// Ends a line: no voice sounds on it any more. The number may then belong to another channel.
    package func closeLine(_ line: Int) { playback.orderLine(line, nil) }

    /// Sets the factor of the whole mix, 0 … 1.
    package func setMaster(to gain: Float) { playback.order { $0.setMaster(to: gain) } }

    /// Plays a beep, which reports an event to the listener.
    package func beep(_ kind: Beep.Kind) { playback.order { $0.beep(kind) } }
}
