package import Primitives
package import Wire

/// What a talker has learned of the way to one listener, and how to serve it: decision 016.
///
/// A copy costs bytes, and where it is needed, delay: the listener waits for the farthest copy that
/// it wants to use. Both sides judge by one price, `VoiceLimits.samplesPerLatePercent`: the talker
/// takes the distances for which delay and frames lost for good cost least together, the
/// listener's `DelayHistogram` then waits as long as the copies are worth it, and no longer.
///
/// Only losses count here that the listener had before any copy helped, so what helps is not
/// forgotten because it helps. What is worse than known is believed at once; what was known fades
/// over five minutes.
package struct ListenerPolicy: Sendable {
    /// The greatest share lost lately, and when.
    private var worstShare: Float = 0
    private var worstAt = Instant.zero
    /// Lost packets and the runs that they came in, newer ones weighing more.
    private var lost = Self.lostBefore
    private var runs = Self.lostBefore
    private var hasHeard = false

    package init() {}

    /// A report about what the listener has heard while this node talked.
    package mutating func note(_ report: ReceptionReport, now: Instant) {
        hasHeard = true
        let share = Float(min(1_000, report.lossPermille)) / 1_000
        if rememberedShare(now: now) <= share { (worstShare, worstAt) = (share, now) }
        guard 0 < report.lossPermille else { return }
        let run = Float(max(10, report.lossRunTenths)) / 10
        lost = lost * Self.runMemory + share
        runs = runs * Self.runMemory + share / run
    }

    /// The cheapest service as things stand.
    /// - Parameters:
    ///   - frame: what the talker's encoder makes now, and how many bytes it is mostly within.
    ///   - listeners: of this talker, all together.
    package func choice(
        frame: FrameDuration, frameBytes: Int, listeners: Int, now: Instant
    ) -> ListenerChoice {
        let bundling = Self.bundling(frame: frame, listeners: listeners)
        let (share, run, isBursty) = way(now: now)
        let model = LossModel(share: share, meanRun: isBursty ? run : 1 / (1 - min(share, 0.9)))
        let packet = frame.samples * bundling.frameCount
        let reach = Self.reach(packetSamples: packet, isBursty: isBursty)
        let room = Self.blocksMax(frameBytes: frameBytes) / bundling.frameCount - 1
        // At least one copy of the packet before: whoever has heard nothing of a loss yet is armed against the first.
        let best = Self.best(
            model, reach: reach, copiesMax: min(room, VoiceLimits.copiesMax), packetSamples: packet,
            price: Self.price(of: frame, isBursty: isBursty))
        return ListenerChoice(
            scheme: ListenerScheme(bundling: bundling, copyDistances: best?.list ?? []),
            cause: cause(share: share, run: run, isBursty: isBursty))
    }

    /// The remembered share of losses, their mean run, and whether that is more than chance makes.
    private func way(now: Instant) -> (share: Float, run: Float, isBursty: Bool) {
        let (share, run) = (rememberedShare(now: now), lost / runs)
        // Single losses make runs too, of 1 / (1 - share).
        return (share, run, Self.burstRunMin < run && Self.burstRunMin * 0.8 < run * (1 - share))
    }

    private func cause(share: Float, run: Float, isBursty: Bool) -> ListenerChoice.Cause {
        let permille = Int(share * 1_000 + 0.5)
        guard hasHeard else { return .unheard }
        guard 0 < permille else { return .clean }
        return isBursty
            ? .runs(lossPermille: permille, runTenths: Int(run * 10 + 0.5)) : .singles(lossPermille: permille)
    }

    private func rememberedShare(now: Instant) -> Float {
        let age = Float((now - worstAt).milliseconds) / Float(VoiceLimits.lossMemory.milliseconds)
        return worstShare * max(0, 1 - age)
    }
}

// MARK: - What shorter frames would gain

extension ListenerPolicy {
    /// Delay and frames lost for good that a shorter frame would spare, in samples of delay.
    package struct Gain: Comparable, Sendable {
        package let samples: Float
        package let lossPermille: Int

        static let nothing = Gain(samples: 0, lossPermille: 0)
        package static func < (a: Gain, b: Gain) -> Bool { a.samples < b.samples }
    }

    /// A copy of a single loss lies a packet back, and packets are as long as frames. What comes in runs
    /// lasts as long in any packets: there a shorter frame gains its own length alone.
    func gain(from frame: FrameDuration, to half: FrameDuration, now: Instant) -> Gain {
        let (share, _, isBursty) = way(now: now)
        let saved = isBursty ? 0 : cost(of: share, frame) - cost(of: share, half)
        return Gain(samples: Float(frame.samples - half.samples) + saved, lossPermille: Int(share * 1_000 + 0.5))
    }

    /// The remembered share of losses.
    func lossPermille(now: Instant) -> Int { Int(rememberedShare(now: now) * 1_000 + 0.5) }

    /// As the listener sees it: it waits for copies only where they are worth it.
    private func cost(of share: Float, _ frame: FrameDuration) -> Float {
        let model = LossModel(share: share, meanRun: 1 / (1 - min(share, 0.9)))
        let price = Self.price(of: frame, isBursty: false)
        let best = Self.best(
            model, reach: VoiceLimits.copiesMax, copiesMax: VoiceLimits.copiesMax, packetSamples: frame.samples,
            price: price)
        return min(share * price, best?.cost(packetSamples: frame.samples, price: price) ?? .infinity)
    }
}

// MARK: - The decision

extension ListenerPolicy {
    /// As few packets as the machine and the network can do with: frames share them where the
    /// listeners are many.
    static func bundling(frame: FrameDuration, listeners: Int) -> VoiceBundling {
        let frames = listeners * SampleTime.rateHertz / frame.samples
        return VoiceBundling.allCases.first { frames / $0.frameCount <= VoiceLimits.packetsPerSecondMax } ?? .four
    }

    /// How many frames of this size a packet holds.
    static func blocksMax(frameBytes: Int) -> Int {
        let room = WireLimits.voicePayloadBytesMax - VoicePayloadHeader.byteCount
        return min(WireLimits.voiceBlocksMax, room / (frameBytes + VoicePayloadHeader.blockHeaderByteCount))
    }

    /// How many packets back a copy may lie. For single losses an early copy is as good as a late
    /// one: as many packets as there are copies at most. A burst must be outlived.
    static func reach(packetSamples: Int, isBursty: Bool) -> Int {
        let samples = isBursty ? VoiceLimits.copyReachSamplesMax : VoiceLimits.singleReachSamplesMax
        let packets = max(2, samples / packetSamples)
        return min(packets, isBursty ? VoiceLimits.copyDistanceMax : VoiceLimits.copiesMax)
    }

    /// The copies that cost least, one at least; nil where there is no room for any.
    private static func best(
        _ model: LossModel, reach: Int, copiesMax: Int, packetSamples: Int, price: Float
    ) -> Candidate? {
        let next = model.repeats(upTo: reach)
        var best: Candidate?
        /// Puts one copy more behind those of `start`, as far as that alone is not too dear already.
        func extend(_ start: Candidate) {
            guard start.count < copiesMax, start.farthest < reach else { return }
            for distance in (start.farthest + 1)...reach {
                let longer = start.adding(distance, lost: start.lost * next[distance - start.farthest])
                let delay = longer.cost(packetSamples: packetSamples, price: 0)
                if let best, best.cost(packetSamples: packetSamples, price: price) <= delay { return }
                if best.map({ isCheaper(longer, than: $0) }) ?? true { best = longer }
                extend(longer)
            }
        }
        func isCheaper(_ a: Candidate, than b: Candidate) -> Bool {
            a.cost(packetSamples: packetSamples, price: price) < b.cost(packetSamples: packetSamples, price: price)
        }
        extend(Candidate(lost: model.share))
        return best
    }

    /// Some copies, and what they leave.
    private struct Candidate {
        /// Bit `d` stands for a copy `d` packets back.
        private var distances: UInt32 = 0
        private(set) var count = 0
        private(set) var farthest = 0
        /// The share that none of them brings.
        private(set) var lost: Float

        init(lost: Float) { self.lost = lost }

        func adding(_ distance: Int, lost: Float) -> Candidate {
            var longer = self
            longer.distances |= 1 << UInt32(distance)
            (longer.count, longer.farthest, longer.lost) = (count + 1, distance, lost)
            return longer
        }

        /// In samples of delay: the wait for the farthest copy, the bytes, and frames lost for good at `price` for all.
        func cost(packetSamples: Int, price: Float) -> Float {
            Float(farthest * packetSamples + count * ListenerPolicy.copyPriceSamples) + lost * price
        }

        var list: [Int] { (0...farthest).filter { distances & (1 << UInt32($0)) != 0 } }
    }

    /// Of all frames, in samples of delay.
    private static func price(of frame: FrameDuration, isBursty: Bool) -> Float {
        let weight = isBursty ? 1 : VoiceLimits.singleLossWeight(frameSamples: frame.samples)
        return Float(100 * VoiceLimits.samplesPerLatePercent) * weight
    }

    /// A mean run of more packets than this is a burst.
    private static let burstRunMin: Float = 1.5
    /// Five single losses of 400 packets are held to have been seen before any, so that two lost
    /// neighbours in two seconds are no burst.
    private static let lostBefore: Float = 5.0 / 400
    /// Of what was known of runs with each report, twice a second: half is forgotten in 5 s.
    private static let runMemory: Float = 0.93
    /// 1 ms.
    private static let copyPriceSamples = 48
}
