import CAlsa
package import Primitives
import SystemClock

/// A playback device of ALSA. One thread opens, writes and drops it.
///
/// The thread decides when to write, not the device: it asks how much is queued, and writes when that has fallen to the
/// lead (docs/THREADS.md, "When a block is written"). The queue is the latency of this device, so it never exceeds the
/// lead by more than a block.
package final class AlsaPlayback {
    package let choice: AlsaChoice
    /// The number of samples that must be queued so that the device does not run dry before the next block.
    package let leadSamples: Int
    private let stream: AlsaStream
    private var pace: PaceKeeper
    private var progressAt: Instant
    private var isStarted = false
    private var queuedBefore = 0
    /// The instant of the latest look at the device, and whether a block was written after it.
    private var lookedAt = Instant.zero
    private var hasWritten = false
    /// The instant at which all that has been written will have sounded, as seen at that look.
    private var soundsUpTo = Instant.zero

    /// Opens the device and agrees with it on its parameters.
    ///
    /// - Throws: `AlsaError` if the device cannot be opened, or refuses parameters that the node needs.
    package init(_ request: AlsaRequest) throws(AlsaError) {
        stream = try AlsaStream(request, direction: SND_PCM_STREAM_PLAYBACK)
        choice = stream.choice
        leadSamples = AlsaPlayback.lead(
            buffer: choice.bufferSamples, period: choice.periodSamples,
            wanted: (request.buffer - request.period).samples)
        pace = PaceKeeper(keepsTime: choice.keepsTime, bufferSamples: choice.bufferSamples)
        progressAt = .monotonicNow()
    }

    /// The lead in samples: the buffer minus one period. If the card has only larger buffers, the lead is the wanted
    /// one, but at least two periods, which sound servers expect. More queued sound would only be delay.
    package static func lead(buffer: Int, period: Int, wanted: Int) -> Int {
        min(buffer - period, max(wanted, 2 * period))
    }

    /// The samples that have been written and have not sounded yet. It also reports underruns and lost devices.
    package func queued() -> AlsaQueue {
        guard isStarted else { return begin() }
        let now = Instant.monotonicNow()
        guard pace.keepsTime else { return queuedByClock(now) }
        // The thread also asks when it has just written a block. The device then has nothing new to tell.
        let isKnown = hasWritten && now - lookedAt < AlsaLimits.lookValidFor
        hasWritten = false
        if isKnown { return .samples(queuedBefore) }
        lookedAt = now
        switch stream.position() {
        case .samples(let available, let delay):
            let queued = max(0, choice.bufferSamples - available)
            soundsUpTo = now + Interval(samples: delay ?? queued)
            if queued < queuedBefore { progressAt = now }
            queuedBefore = queued
            if AlsaLimits.noProgressMax < now - progressAt { return .lost(.stalled) }
            return .samples(queued)
        case .failed(let code):
            return recover(from: code)
        }
    }

    /// Writes `count` samples of `choice.channels` interleaved channels, and starts the device if it does not run.
    /// `count` is at most the buffer.
    package func write(_ block: UnsafePointer<Float>, count: Int) -> AlsaPlaybackOutcome {
        precondition(count <= choice.bufferSamples, "a block of \(count) in a buffer of \(choice.bufferSamples)")
        choice.format.encode(block, into: stream.scratch, count: count * choice.channels)
        let moved = snd_pcm_writei(stream.pcm, stream.scratch, snd_pcm_uframes_t(count))
        guard moved == count || (!pace.keepsTime && !AlsaRemedy.isNeeded(after: moved)) else {
            return refused(Int32(truncatingIfNeeded: moved))
        }

        let now = Instant.monotonicNow()
        stream.forgetRecoveries()
        queuedBefore += count
        hasWritten = true
        if !isStarted {
            let code = snd_pcm_start(stream.pcm)
            guard code == 0 else { return .lost(.gone(code: code)) }
            isStarted = true
            progressAt = now
            soundsUpTo = now + Interval(samples: leadSamples)
            pace.restart(at: now)
            pace.moved(leadSamples, now: now)
        }
        pace.moved(count, now: now)
        defer { soundsUpTo = soundsUpTo + Interval(samples: count) }
        return .written(soundsAt: soundsUpTo)
    }

    /// Fills the stopped device with its lead of silence, so that the first block has exactly the latency of every
    /// later one.
    private func begin() -> AlsaQueue {
        stream.scratch.initializeMemory(
            as: UInt8.self, repeating: 0, count: leadSamples * choice.channels * choice.format.bytes)
        let moved = snd_pcm_writei(stream.pcm, stream.scratch, snd_pcm_uframes_t(leadSamples))
        guard moved == leadSamples || !choice.keepsTime else {
            return .lost(moved < 0 ? .gone(code: Int32(truncatingIfNeeded: moved)) : .stalled)
        }
        queuedBefore = leadSamples
        return .samples(leadSamples)
    }

    private func queuedByClock(_ now: Instant) -> AlsaQueue {
        let ahead = pace.ahead(of: now)
        if ahead < 0 { pace.restart(at: now) }
        queuedBefore = max(0, Int(ahead))
        soundsUpTo = now + Interval(samples: queuedBefore)
        return .samples(queuedBefore)
    }

    /// If the device has no room, waits a little, since a sound server frees whole periods at a time. Recovers from
    /// other errors.
    private func refused(_ code: Int32) -> AlsaPlaybackOutcome {
        if 0 <= code || code == -EAGAIN {
            sleep(for: Interval(samples: choice.periodSamples) / 4)
            return .noRoom
        }
        switch recover(from: code) {
        case .lost(let fault): return .lost(fault)
        case .samples, .underrun: return .underrun
        }
    }

    private func recover(from code: Int32) -> AlsaQueue {
        if let fault = stream.recover(from: code) { return .lost(fault) }
        isStarted = false
        progressAt = .monotonicNow()
        return .underrun
    }
}

package enum AlsaQueue: Hashable, Sendable {
    case samples(Int)
    /// The device ran dry and is prepared again. Ask once more.
    case underrun
    /// Drop this object and open the device anew.
    case lost(AlsaFault)
}

package enum AlsaPlaybackOutcome: Hashable, Sendable {
    /// The block's first sample will sound at this instant, according to the device.
    case written(soundsAt: Instant)
    /// The device took nothing, or only a part. The block must be dropped or offered again.
    case noRoom
    /// The device ran dry and is prepared again. It did not take the block.
    case underrun
    /// Drop this object and open the device anew.
    case lost(AlsaFault)
}
