import Handover
import Voice

/// What the own talking does to the own output, on the playback thread: side tone, and silence for
/// the others where only one direction is wanted.
struct OwnVoice: ~Copyable {
    private let floor: TalkFloor
    private let sideTone: SampleRingConsumer
    private let hasSideTone: Bool
    private let isHalfDuplex: Bool
    private var line = SideToneLine()
    private var mute = FloorMute()
    private let capturePeriodSamples: Int

    init(_ configuration: AudioConfiguration, floor: TalkFloor, sideTone: SampleRing) {
        self.floor = floor
        self.sideTone = sideTone.takeConsumer()
        hasSideTone = 0 < configuration.speaking.sideToneGain
        isHalfDuplex = configuration.speaking.isHalfDuplex
        capturePeriodSamples = samples(in: configuration.periodWanted)
    }

    /// Works on the mix of the others, in place: `count` frames of `channels` interleaved samples.
    mutating func process(_ mix: UnsafeMutablePointer<Float>, count: Int, channels: Int) {
        if isHalfDuplex {
            floor.isOtherHeard = Self.peak(mix, count: count * channels) > TalkLimits.heardPeak
            mute.process(mix, count: count, channels: channels, isMute: floor.isTalking)
        }
        addSideTone(mix, count: count, channels: channels)
    }

    private mutating func addSideTone(_ mix: UnsafeMutablePointer<Float>, count: Int, channels: Int) {
        guard hasSideTone else { return }
        let plan = line.plan(waiting: sideTone.count, count: count, period: capturePeriodSamples)
        guard plan.from != 0 || plan.to != 0 else { return }
        sideTone.drop(plan.skipping)
        sideTone.add(to: mix, channels: channels, count: count, from: plan.from, to: plan.to)
    }

    private static func peak(_ samples: UnsafePointer<Float>, count: Int) -> Float {
        var peak: Float = 0
        for index in 0..<count { peak = max(peak, abs(samples[index])) }
        return peak
    }
}
