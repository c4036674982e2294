import CAlsa
package import Primitives
import SystemClock

/// A capture device of ALSA. One thread opens, reads and drops it.
package final class AlsaCapture {
    package let choice: AlsaChoice
    private let stream: AlsaStream
    private var pace: PaceKeeper
    private let descriptors: UnsafeMutableBufferPointer<pollfd>
    private var progressAt: Instant
    private var isStarted = false
    /// Number of samples read since the latest end of a period.
    private var offset = 0
    /// Whether the thread has already waited for the block by the clock, and the block was not complete.
    private var hasWaited = false

    /// Opens the device and agrees with it on its parameters.
    ///
    /// - Throws: `AlsaError` if the device cannot be opened, or refuses parameters that the node needs.
    package init(_ request: AlsaRequest) throws(AlsaError) {
        stream = try AlsaStream(request, direction: SND_PCM_STREAM_CAPTURE)
        choice = stream.choice
        pace = PaceKeeper(keepsTime: choice.keepsTime, bufferSamples: choice.bufferSamples)
        descriptors = .allocate(capacity: AlsaLimits.pollDescriptorsMax)
        descriptors.initialize(repeating: pollfd())
        progressAt = .monotonicNow()
    }

    deinit { descriptors.deallocate() }

    /// Waits for `count` samples and writes them, in mono, to `block`. If they are not one whole period, it waits by
    /// the clock, since a device also reports its position between its interrupts.
    package func read(into block: UnsafeMutablePointer<Float>, count: Int) -> AlsaCaptureOutcome {
        precondition(0 < count && count <= choice.bufferSamples, "\(count) samples of \(choice.bufferSamples)")
        if !isStarted {
            if let fault = start() { return .lost(fault) }
        }
        guard pace.keepsTime else { return readPaced(into: block, count: count) }
        switch wait(for: count) {
        case .ready(let delaySamples): return take(into: block, count: count, delaySamples: delaySamples)
        case .notYet: return .nothingYet
        case .failed(let code): return recover(from: code)
        case .lost(let fault): return .lost(fault)
        }
    }

    private func start() -> AlsaFault? {
        let code = snd_pcm_start(stream.pcm)
        guard code == 0 else { return .gone(code: code) }
        isStarted = true
        (offset, hasWaited) = (0, false)
        progressAt = .monotonicNow()
        pace.restart(at: progressAt)
        return nil
    }

    private enum Wait {
        case ready(delaySamples: Int)
        case notYet
        case failed(Int32)
        case lost(AlsaFault)
    }

    private func wait(for count: Int) -> Wait {
        let missing: Int
        switch look(for: count) {
        case .answer(let answer): return answer
        case .missing(let samples): missing = samples
        }
        if AlsaLimits.noProgressMax < Instant.monotonicNow() - progressAt { return .lost(.stalled) }
        let endsAtWakeUp = offset == 0 && count == choice.periodSamples
        return endsAtWakeUp ? waitForWakeUp(for: count) : waitOnClock(for: count, missing: missing)
    }

    /// Waits at first for all missing samples. A device that moves in steps may then still lack some, and is asked
    /// again after 1 ms at most.
    private func waitOnClock(for count: Int, missing: Int) -> Wait {
        let step = AlsaLimits.askAgainSamples
        let wait = hasWaited ? min(max(missing, step.lowerBound), step.upperBound) : missing + 1
        sleep(for: Interval(samples: wait))
        hasWaited = true
        return look(for: count).answer ?? .notYet
    }

    private func waitForWakeUp(for count: Int) -> Wait {
        let found = snd_pcm_poll_descriptors(stream.pcm, descriptors.baseAddress, UInt32(descriptors.count))
        guard 0 < found else { return .failed(Int32(found)) }
        let woken = poll(descriptors.baseAddress, nfds_t(found), Int32(AlsaLimits.waitMax.milliseconds))
        guard 0 < woken else { return .notYet }
        var answers: UInt16 = 0
        snd_pcm_poll_descriptors_revents(stream.pcm, descriptors.baseAddress, UInt32(found), &answers)
        if let answer = look(for: count).answer { return answer }
        if calsa_is_broken(answers) != 0 { return .lost(.gone(code: -ENODEV)) }
        // Some plugins wake the thread before the period is complete. A short sleep keeps the thread from spinning.
        sleep(for: Interval(samples: count) / 8)
        return .notYet
    }

    private enum Look {
        case missing(samples: Int)
        case answer(Wait)

        var answer: Wait? { if case .answer(let answer) = self { answer } else { nil } }
    }

    private func look(for count: Int) -> Look {
        switch stream.position() {
        case .failed(let code): .answer(.failed(code))
        case .samples(let available, let delay) where count <= available:
            .answer(.ready(delaySamples: delay ?? available))
        case .samples(let available, _): .missing(samples: count - available)
        }
    }

    private func take(
        into block: UnsafeMutablePointer<Float>, count: Int, delaySamples: Int
    ) -> AlsaCaptureOutcome {
        let now = Instant.monotonicNow()
        let moved = snd_pcm_readi(stream.pcm, stream.scratch, snd_pcm_uframes_t(count))
        guard moved == count else {
            if moved == -Int(EAGAIN) {
                sleep(for: Interval(samples: count) / 8)
                return .nothingYet
            }
            // The device gave fewer samples than it had reported. They are no whole block, and are lost.
            if 0 <= moved { return .overrun }
            return recover(from: Int32(truncatingIfNeeded: moved))
        }
        choice.format.decode(stream.scratch, channels: choice.channels, into: block, count: count)
        stream.forgetRecoveries()
        offset = (offset + count) % choice.periodSamples
        hasWaited = false
        progressAt = now
        pace.moved(count, now: now)
        return .block(capturedAt: now - Interval(samples: delaySamples))
    }

    private func readPaced(into block: UnsafeMutablePointer<Float>, count: Int) -> AlsaCaptureOutcome {
        let due = pace.due(after: count)
        sleep(until: due)
        let now = Instant.monotonicNow()
        if pace.ahead(of: now) < -Int64(choice.bufferSamples) { pace.restart(at: now) }
        let moved = snd_pcm_readi(stream.pcm, stream.scratch, snd_pcm_uframes_t(count))
        if AlsaRemedy.isNeeded(after: moved) { return recover(from: Int32(truncatingIfNeeded: moved)) }
        stream.forgetRecoveries()
        let came = max(0, moved)
        choice.format.decode(stream.scratch, channels: choice.channels, into: block, count: came)
        // The part that the device lacks is silence, and not the sound of the read before.
        (block + came).update(repeating: 0, count: count - came)
        pace.moved(count, now: now)
        return .block(capturedAt: due - Interval(samples: count))
    }

    private func recover(from code: Int32) -> AlsaCaptureOutcome {
        if let fault = stream.recover(from: code) { return .lost(fault) }
        if let fault = start() { return .lost(fault) }
        return .overrun
    }
}

package enum AlsaCaptureOutcome: Hashable, Sendable {
    /// The samples have been read. The first one was captured at this instant, according to the device.
    case block(capturedAt: Instant)
    /// The samples have not come yet. Read again.
    case nothingYet
    /// The thread came too late, and samples are lost. The device runs again.
    case overrun
    /// Drop this object and open the device anew.
    case lost(AlsaFault)
}
