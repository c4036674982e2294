import CAlsa
import Primitives

/// Agrees with an open PCM device on format, channels, rate, period and buffer, in this order.
struct AlsaNegotiation {
    let pcm: OpaquePointer
    let request: AlsaRequest
    let direction: snd_pcm_stream_t

    func agree() throws(AlsaError) -> AlsaChoice {
        var memory: OpaquePointer?
        try check(snd_pcm_hw_params_malloc(&memory), "memory for its parameters")
        guard let parameters = memory else { throw failed("memory for its parameters", -ENOMEM) }
        defer { snd_pcm_hw_params_free(parameters) }

        try check(snd_pcm_hw_params_any(pcm, parameters), "to say what it can do")
        try check(
            snd_pcm_hw_params_set_access(pcm, parameters, SND_PCM_ACCESS_RW_INTERLEAVED), "interleaved access")
        let format = try agreeOnFormat(parameters)
        let channels = try agreeOnChannels(parameters)
        try agreeOnRate(parameters)

        let ownRate = ownRate()
        let wanted = samples(request.period, max: AlsaLimits.periodSamplesMax)
        var period = snd_pcm_uframes_t(AlsaChoice.period(wanted: wanted, ownRate: ownRate))
        try check(snd_pcm_hw_params_set_period_size_near(pcm, parameters, &period, nil), "a period")
        var buffer = snd_pcm_uframes_t(samples(request.buffer, max: AlsaLimits.bufferSamplesMax))
        try check(snd_pcm_hw_params_set_buffer_size_near(pcm, parameters, &buffer), "a buffer")
        try check(snd_pcm_hw_params(pcm, parameters), "the whole of its parameters")
        try check(snd_pcm_hw_params_get_period_size(parameters, &period, nil), "to say its period")
        try check(snd_pcm_hw_params_get_buffer_size(parameters, &buffer), "to say its buffer")
        guard period <= AlsaLimits.periodSamplesMax, buffer <= AlsaLimits.bufferSamplesMax, period < buffer else {
            let (period, buffer) = (AlsaLimits.periodSamplesMax, AlsaLimits.bufferSamplesMax)
            throw failed("a period of at most \(period) samples, below a buffer of at most \(buffer)", -EINVAL)
        }
        try setSoftware(period: period, buffer: buffer)
        return choice(format, channels, Int(period), Int(buffer), movesWholePeriods: ownRate != nil)
    }

    /// The card's own rate in hertz if a plug converts the rate; nil if nothing converts it.
    private func ownRate() -> Int? {
        var memory: OpaquePointer?
        guard snd_pcm_hw_params_malloc(&memory) == 0, let parameters = memory else { return nil }
        defer { snd_pcm_hw_params_free(parameters) }
        let wanted = UInt32(SampleTime.rateHertz)
        guard snd_pcm_hw_params_any(pcm, parameters) >= 0,
            snd_pcm_hw_params_set_rate_resample(pcm, parameters, 0) >= 0,
            snd_pcm_hw_params_test_rate(pcm, parameters, wanted, 0) != 0
        else { return nil }
        var nearest = wanted
        return snd_pcm_hw_params_set_rate_near(pcm, parameters, &nearest, nil) == 0 ? Int(nearest) : nil
    }

    private func agreeOnFormat(_ parameters: OpaquePointer) throws(AlsaError) -> AlsaSampleFormat {
        for format in AlsaSampleFormat.allCases
        where snd_pcm_hw_params_set_format(pcm, parameters, format.alsa) == 0 {
            return format
        }
        throw .formatRefused(device: request.device)
    }

    private func agreeOnChannels(_ parameters: OpaquePointer) throws(AlsaError) -> Int {
        for channels in request.channelsWanted
        where snd_pcm_hw_params_set_channels(pcm, parameters, UInt32(channels)) == 0 {
            return channels
        }
        throw .channelsRefused(device: request.device)
    }

    /// The whole node runs at 48 kHz. A plug converts to other rates. A raw device of another rate is refused, with
    /// that rate in the error.
    private func agreeOnRate(_ parameters: OpaquePointer) throws(AlsaError) {
        let wanted = UInt32(SampleTime.rateHertz)
        guard snd_pcm_hw_params_set_rate(pcm, parameters, wanted, 0) != 0 else { return }
        var nearest = wanted
        let code = snd_pcm_hw_params_set_rate_near(pcm, parameters, &nearest, nil)
        throw .rateRefused(device: request.device, nearest: code == 0 ? Int(nearest) : 0)
    }

    /// Capture starts at the first read. Playback is started explicitly, when its lead of silence and the first block
    /// are written, and so gets a threshold that is never reached.
    private func setSoftware(period: snd_pcm_uframes_t, buffer: snd_pcm_uframes_t) throws(AlsaError) {
        var memory: OpaquePointer?
        try check(snd_pcm_sw_params_malloc(&memory), "memory for its thresholds")
        guard let parameters = memory else { throw failed("memory for its thresholds", -ENOMEM) }
        defer { snd_pcm_sw_params_free(parameters) }

        var boundary: snd_pcm_uframes_t = 0
        try check(snd_pcm_sw_params_current(pcm, parameters), "to say its thresholds")
        try check(snd_pcm_sw_params_get_boundary(parameters, &boundary), "to say its boundary")
        let start = direction == SND_PCM_STREAM_CAPTURE ? 1 : boundary
        try check(snd_pcm_sw_params_set_start_threshold(pcm, parameters, start), "a start threshold")
        try check(snd_pcm_sw_params_set_avail_min(pcm, parameters, period), "a wake-up threshold")
        try check(snd_pcm_sw_params(pcm, parameters), "its thresholds")
    }

    private func choice(
        _ format: AlsaSampleFormat, _ channels: Int, _ period: Int, _ buffer: Int, movesWholePeriods: Bool
    ) -> AlsaChoice {
        let card = calsa_card_of(pcm)
        let type = snd_pcm_type(pcm)
        return AlsaChoice(
            format: format, channels: channels, periodSamples: period, bufferSamples: buffer,
            card: card < 0 ? nil : Int(card), keepsTime: type != SND_PCM_TYPE_NULL && type != SND_PCM_TYPE_FILE,
            movesWholePeriods: movesWholePeriods)
    }

    private func samples(_ interval: Interval, max: Int) -> Int {
        min(Swift.max(1, interval.nearestSamples), max)
    }

    private func check(_ code: Int32, _ step: String) throws(AlsaError) {
        guard code < 0 else { return }
        throw failed(step, code)
    }

    private func failed(_ step: String, _ code: Int32) -> AlsaError {
        .setupFailed(device: request.device, step: step, code: code)
    }
}

extension AlsaChoice {
    /// The period to ask for, in samples. A plug converts period by period. If a period is no whole number of the
    /// card's samples, the pitch is wrong: 240 samples would be 220.5 samples at 44,100 Hz, and the card would seem off
    /// by 2,300 ppm.
    package static func period(wanted: Int, ownRate: Int?) -> Int {
        guard let ownRate, 0 < ownRate else { return wanted }
        var (step, rest) = (SampleTime.rateHertz, ownRate)
        while rest != 0 { (step, rest) = (rest, step % rest) }
        let whole = SampleTime.rateHertz / step
        return min(max(1, wanted / whole) * whole, AlsaLimits.periodSamplesMax)
    }
}
