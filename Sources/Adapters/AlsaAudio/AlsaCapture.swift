import CAlsa
package import Primitives
import SystemClock

/// A microphone. One thread opens, reads and drops it.
package final class AlsaCapture {
    package let choice: AlsaChoice
    private let stream: AlsaStream
    private var pace: PaceKeeper
    private let descriptors: UnsafeMutableBufferPointer<pollfd>
    private var progressAt: Instant
    private var isStarted = false

    package init(_ request: AlsaRequest) throws(AlsaError) {
        stream = try AlsaStream(request, direction: SND_PCM_STREAM_CAPTURE)
        choice = stream.choice
        pace = PaceKeeper(keepsTime: choice.keepsTime, bufferSamples: choice.bufferSamples)
        descriptors = .allocate(capacity: AlsaLimits.pollDescriptorsMax)
        descriptors.initialize(repeating: pollfd())
        progressAt = .monotonicNow()
    }

    deinit { descriptors.deallocate() }

    /// Waits for one period and writes it, in mono, to `block`, which has room for
    /// `choice.periodSamples`.
    package func read(into block: UnsafeMutablePointer<Float>) -> AlsaCaptureOutcome {
        if !isStarted {
            if let fault = start() { return .lost(fault) }
        }
        guard pace.keepsTime else { return readPaced(into: block) }
        switch waitForPeriod() {
        case .ready(let delaySamples): return take(into: block, delaySamples: delaySamples)
        case .notYet: return .nothingYet
        case .failed(let code): return recover(from: code)
        case .lost(let fault): return .lost(fault)
        }
    }

    private func start() -> AlsaFault? {
        let code = snd_pcm_start(stream.pcm)
        guard code == 0 else { return .gone(code: code) }
        isStarted = true
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

    private func waitForPeriod() -> Wait {
        if let answer = look() { return answer }
        if AlsaLimits.noProgressMax < Instant.monotonicNow() - progressAt { return .lost(.stalled) }
        return waitForWakeUp()
    }

    private func waitForWakeUp() -> Wait {
        let count = snd_pcm_poll_descriptors(stream.pcm, descriptors.baseAddress, UInt32(descriptors.count))
        guard 0 < count else { return .failed(Int32(count)) }
        let woken = poll(descriptors.baseAddress, nfds_t(count), Int32(AlsaLimits.waitMax.milliseconds))
        guard 0 < woken else { return .notYet }
        var answers: UInt16 = 0
        snd_pcm_poll_descriptors_revents(stream.pcm, descriptors.baseAddress, UInt32(count), &answers)
        if let answer = look() { return answer }
        if calsa_is_broken(answers) != 0 { return .lost(.gone(code: -ENODEV)) }
        // Woken for less than a period: some plugins do; a short rest keeps it from spinning.
        sleep(for: Interval(samples: choice.periodSamples) / 8)
        return .notYet
    }

    /// Nil where less than a period is there.
    private func look() -> Wait? {
        switch stream.position() {
        case .failed(let code): .failed(code)
        case .samples(let available, let delay) where choice.periodSamples <= available:
            .ready(delaySamples: delay ?? available)
        case .samples: nil
        }
    }

    private func take(into block: UnsafeMutablePointer<Float>, delaySamples: Int) -> AlsaCaptureOutcome {
        let now = Instant.monotonicNow()
        let count = choice.periodSamples
        let moved = snd_pcm_readi(stream.pcm, stream.scratch, snd_pcm_uframes_t(count))
        guard moved == count else {
            if moved == -Int(EAGAIN) {
                sleep(for: Interval(samples: count) / 8)
                return .nothingYet
            }
            // Less than it said it had: what came is no whole period and is lost.
            if 0 <= moved { return .overrun }
            return recover(from: Int32(truncatingIfNeeded: moved))
        }
        choice.format.decode(stream.scratch, channels: choice.channels, into: block, count: count)
        stream.noteProgress()
        progressAt = now
        pace.moved(count, now: now)
        return .block(capturedAt: now - Interval(samples: delaySamples))
    }

    private func readPaced(into block: UnsafeMutablePointer<Float>) -> AlsaCaptureOutcome {
        let count = choice.periodSamples
        let due = pace.due(after: count)
        sleep(until: due)
        let now = Instant.monotonicNow()
        if pace.ahead(of: now) < -Int64(choice.bufferSamples) { pace.restart(at: now) }
        let moved = snd_pcm_readi(stream.pcm, stream.scratch, snd_pcm_uframes_t(count))
        if AlsaRemedy.isLoss(moved) { return .lost(.gone(code: Int32(truncatingIfNeeded: moved))) }
        choice.format.decode(stream.scratch, channels: choice.channels, into: block, count: count)
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
    /// A period is there; its first sample was captured at this instant, as far as the device says.
    case block(capturedAt: Instant)
    /// Not yet: ask again.
    case nothingYet
    /// The thread came too late and samples are lost; the device runs again.
    case overrun
    /// Drop this object and open the device anew.
    case lost(AlsaFault)
}
