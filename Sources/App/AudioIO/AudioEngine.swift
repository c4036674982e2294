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
    /// Moved by the node loop: whether the threads wake up as seldom as they can.
    package let powerSaving = SharedFlag()

    private let stopFlag = SharedFlag()
    private let capture: CaptureEnd
    private let playback: PlaybackEnd

    /// Takes ownership of the codecs: one encoder of the profile's frame, a decoder for each of
    /// `VoiceLimits.talkersMax` slots. Throws only where the process has no descriptor left.
    package init(
        _ configuration: AudioConfiguration, encoder: VoiceEncoder, decoders: [VoiceDecoder]
    ) throws(AudioThreadError) {
        let ownVoice = OwnVoiceLinks(configuration.speaking)
        capture = try CaptureEnd(
            configuration, encoder: encoder, origin: .monotonicNow(), ownVoice: ownVoice, savesPower: powerSaving,
            stop: stopFlag)
        playback = PlaybackEnd(
            configuration, decoders: decoders, ownVoice: ownVoice, savesPower: powerSaving, stop: stopFlag)
    }

    deinit { stop() }

    /// Starts both threads; they open their devices themselves, and go on trying where there is none.
    package func start() throws(AudioThreadError) {
        try capture.thread.start()
        try playback.thread.start()
    }

    /// Stops both threads and waits for them, at most about 0.1 s.
    package func stop() {
        stopFlag.isOn = true
        capture.thread.join()
        playback.thread.join()
    }

    /// Looks whether both threads still go round; to be called every half second.
    package func watchThreads() {
        capture.thread.look()
        playback.thread.look()
    }

    package var status: AudioStatus {
        AudioStatus(
            input: capture.thread.device, output: playback.thread.device, capture: capture.report,
            playback: playback.report, framesRefused: capture.framesRefused,
            payloadsRefused: playback.payloadsRefused, isInputStuck: capture.thread.isStuck,
            isOutputStuck: playback.thread.isStuck)
    }
}

// MARK: - What is captured

extension AudioEngine {
    package var key: TalkKey { capture.key }
    package var encoderOrder: EncoderOrder { capture.encoderOrder }
    /// An eventfd, readable when frames wait in the up ring. The engine closes it.
    package var wakeDescriptor: Int32 { capture.wakeDescriptor }
    /// Samples by which coded sound lags behind what was captured.
    package var lookaheadSamples: Int { capture.lookaheadSamples }

    /// Gives every coded frame that waits to `body`, oldest first; its bytes are good during the call.
    package func drainCaptured(_ body: (VoiceFrame, UnsafeRawBufferPointer) -> Void) { capture.drain(body) }

    /// Moves the key: down as long as it is held, or up.
    package func setTalking(_ isTalking: Bool) { key.move(to: isTalking ? .held : .released) }

    /// Where capture stands at `instant` on the line of its sample times. The line begins with the
    /// engine, before any device is open, so that what a peer is told first is already right.
    package func mediaTime(at instant: Instant) -> SampleTime { capture.mediaTime(at: instant) }
}

// MARK: - What is played

extension AudioEngine {
    /// What playback hands to the recorder, and when.
    package var recordingRing: FrameRing { playback.recordingRing }
    package var recordingSwitch: RecordingSwitch { playback.recordingSwitch }

    /// Hands a peer's voice payload to the playback thread; false, counted, where it was refused: the peer's share of
    /// the ring is full, or the payload larger than any may be.
    @discardableResult
    package func deliver(_ payload: [UInt8], slot: PeerSlot, arrival: Instant) -> Bool {
        playback.deliver(payload, slot: slot, arrival: arrival)
    }

    /// A peer's media clock from a control block.
    package func peerClock(_ slot: PeerSlot, sampleTime: SampleTime, arrival: Instant) {
        playback.peerClock(slot, sampleTime: sampleTime, arrival: arrival)
    }

    /// A peer has this slot from now on: empty buffer, gain 1, not muted. Returns how often the slot
    /// has been opened, wrapping: what is recorded of it bears that number.
    @discardableResult
    package func openPeer(_ slot: PeerSlot) -> UInt16 { playback.order { $0.open(slot) } }

    /// The peer of this slot has gone.
    package func closePeer(_ slot: PeerSlot) { playback.order { $0.close(slot) } }

    /// The listener's volume for a peer, 0 … `AudioLimits.gainMax`.
    package func setGain(_ slot: PeerSlot, to gain: Float) { playback.order { $0.setGain(slot, to: gain) } }

    /// Silences a peer for this listener; the volume is kept.
    package func setMute(_ slot: PeerSlot, to isMuted: Bool) { playback.order { $0.setMute(slot, to: isMuted) } }

    /// Where a peer stands, -100 left … 100 right; heard where the card has two channels.
    package func setPan(_ slot: PeerSlot, to pan: Int) { playback.order { $0.setPan(slot, to: pan) } }

    /// Makes the others step back while a peer speaks, or no more.
    package func setPriority(_ slot: PeerSlot, to hasPriority: Bool) {
        playback.order { $0.setPriority(slot, to: hasPriority) }
    }

    /// What the whole mix is multiplied by, 0 … 1.
    package func setMaster(to gain: Float) { playback.order { $0.setMaster(to: gain) } }

    /// Lets the listener hear that somebody is lost or back.
    package func beep(_ kind: Beep.Kind) { playback.order { $0.beep(kind) } }
}
