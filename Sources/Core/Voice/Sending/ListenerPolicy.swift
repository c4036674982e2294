package import Primitives
package import Wire

/// A talker's knowledge of the path to one listener, and the choice of how to serve that listener: decision 016.
///
/// A copy is an earlier frame that is sent once more in a later packet. It costs bytes. It also costs delay if it is
/// needed, since the listener waits for the farthest copy that it wants to use. Both sides use one price,
/// `VoiceLimits.samplesPerLatePercent`. The talker takes the distances with the smallest sum of delay, bytes, and the
/// price of the frames lost for good. The listener's target (`PlayoutPolicy`) then covers the wait for the copies as
/// long as they are worth the delay, and no longer.
///
/// Losses are counted as they were before any copy helped. Otherwise a copy that helps would hide the loss against
/// which it is sent. A loss worse than the remembered one is accepted at once; the remembered loss fades over five
/// minutes.
package struct ListenerPolicy: Sendable {
    /// The greatest share lost in recent reports, and the instant of that report.
    private var worstShare: Float = 0
    private var worstAt = Instant.zero
    /// Two sums over the reports of loss. `lost` adds up the shares of the packets that were lost. `runs` adds up the
    /// numbers of runs, each as a share of the packets too. A run is a number of packets lost in a row. Older reports
    /// fade, so newer reports have more weight.
    private var lost = Self.lostBefore
    private var runs = Self.lostBefore
    private var hasHeard = false

    package init() {}

    /// Adds a report on what the listener has received while this node talked.
    package mutating func add(_ report: ReceptionReport, now: Instant) {
        hasHeard = true
        let share = Float(min(1_000, report.lossPermille)) / 1_000
        if rememberedShare(now: now) <= share { (worstShare, worstAt) = (share, now) }
        guard 0 < report.lossPermille else { return }
        let run = Float(max(10, report.lossRunTenths)) / 10
        lost = lost * Self.runMemory + share
        runs = runs * Self.runMemory + share / run
    }

    /// Returns how the listener is served: a bundling, by frame length and number of listeners alone, and the cheapest
    /// copies for the loss that is known now.
    /// - Parameters:
    ///   - frame: length of the frames that the talker's encoder makes now.
    ///   - frameBytes: size of the largest frame lately.
    ///   - listeners: number of listeners of this talker.
    package func choice(
        frame: FrameDuration, frameBytes: Int, listeners: Int, now: Instant
    ) -> ListenerChoice {
        let bundling = Self.bundling(frame: frame, listeners: listeners)
        let (share, run, isBursty) = networkLoss(now: now)
        let model = LossModel(share: share, meanRun: isBursty ? run : 1 / (1 - min(share, 0.9)))
        let packet = frame.samples * bundling.frameCount
        let reach = Self.reach(packetSamples: packet, isBursty: isBursty)
        let room = Self.blocksMax(frameBytes: frameBytes) / bundling.frameCount - 1
        // If a packet has room, there is at least one copy, at first of the packet before: it protects against the
        // first loss, which no report has shown yet.
        let best = Self.best(
            model, reach: reach, copiesMax: min(room, VoiceLimits.copiesMax), packetSamples: packet,
            price: Self.price(of: frame, isBursty: isBursty))
        return ListenerChoice(
            scheme: ListenerScheme(bundling: bundling, copyDistances: best?.list ?? []),
            cause: cause(share: share, run: run, isBursty: isBursty))
    }

    /// Returns the remembered share of lost packets, how many are lost in a row on average, and whether these are more
    /// than chance explains.
    private func networkLoss(now: Instant) -> (share: Float, run: Float, isBursty: Bool) {
        let (share, run) = (rememberedShare(now: now), lost / runs)
        // Single losses make runs too, of mean length 1 / (1 - share).
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
    /// The saving by a shorter frame.
    package struct Gain: Comparable, Sendable {
        /// The gain by the shorter frame: the saved delay, plus the price of the frames that are no longer lost for
        /// good. In samples of delay.
        package let samples: Float
        /// The remembered loss to this listener.
        package let lossPermille: Int

        static let nothing = Gain(samples: 0, lossPermille: 0)
        package static func < (a: Gain, b: Gain) -> Bool { a.samples < b.samples }
    }

    /// Returns the gain of halving the frame. Against single losses a copy lies one packet back, and a shorter frame
    /// makes that packet shorter. A burst lasts equally long with packets of any length: there a shorter frame gains
    /// only its own length.
    func gain(from frame: FrameDuration, to half: FrameDuration, now: Instant) -> Gain {
        let (share, _, isBursty) = networkLoss(now: now)
        let saved = isBursty ? 0 : cost(of: share, frame) - cost(of: share, half)
        return Gain(samples: Float(frame.samples - half.samples) + saved, lossPermille: Int(share * 1_000 + 0.5))
    }

    /// Returns the remembered share of losses, in tenths of a percent.
    func lossPermille(now: Instant) -> Int { Int(rememberedShare(now: now) * 1_000 + 0.5) }

    /// Returns the cost of single losses as the listener counts it, in samples of delay: the listener waits for
    /// copies only if they are worth it.
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
    /// Returns the smallest number of frames in a packet with which the packets to all listeners stay within
    /// `VoiceLimits.packetsPerSecondMax`; four if none does.
    static func bundling(frame: FrameDuration, listeners: Int) -> VoiceBundling {
        let frames = listeners * SampleTime.rateHertz / frame.samples
        return VoiceBundling.allCases.first { frames / $0.frameCount <= VoiceLimits.packetsPerSecondMax } ?? .four
    }

    /// Returns how many frames of this size fit into a packet.
    static func blocksMax(frameBytes: Int) -> Int {
        let room = WireLimits.voicePayloadBytesMax - VoicePayloadHeader.byteCountMax
        return min(WireLimits.voiceBlocksMax, room / (frameBytes + VoicePayloadHeader.blockHeaderByteCount))
    }

    /// Returns the greatest number of packets that a copy may lie back. For single losses a near copy is as good as a
    /// far one, so this number is at most `VoiceLimits.copiesMax`. Against a burst a copy must lie farther back than
    /// the burst is long, so up to 45 ms (`VoiceLimits.copyReachSamplesMax`) are allowed, whatever the length of the
    /// bursts.
    static func reach(packetSamples: Int, isBursty: Bool) -> Int {
        let samples = isBursty ? VoiceLimits.copyReachSamplesMax : VoiceLimits.singleReachSamplesMax
        let packets = max(2, samples / packetSamples)
        return min(packets, isBursty ? VoiceLimits.copyDistanceMax : VoiceLimits.copiesMax)
    }

    /// Returns the cheapest set of copies, with at least one copy; nil if there is no room for any.
    private static func best(
        _ model: LossModel, reach: Int, copiesMax: Int, packetSamples: Int, price: Float
    ) -> Candidate? {
        let next = model.repeats(upTo: reach)
        var best: Candidate?
        /// Tries all sets that have the copies of `start` and more copies behind them, the nearest copy first. It stops
        /// at a copy if the delay and the bytes of its set alone cost as much as the best set so far.
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

    /// A set of copies, and the share of frames that stays lost with them.
    private struct Candidate {
        /// Bit `d` stands for a copy `d` packets back.
        private var distances: UInt32 = 0
        private(set) var count = 0
        private(set) var farthest = 0
        /// The share of frames that none of the copies brings.
        private(set) var lost: Float

        init(lost: Float) { self.lost = lost }

        func adding(_ distance: Int, lost: Float) -> Candidate {
            var longer = self
            longer.distances |= 1 << UInt32(distance)
            (longer.count, longer.farthest, longer.lost) = (count + 1, distance, lost)
            return longer
        }

        /// Returns the cost in samples of delay: waiting for the farthest copy, bytes, and frames lost for good;
        /// `price` is that of losing all frames.
        func cost(packetSamples: Int, price: Float) -> Float {
            Float(farthest * packetSamples + count * ListenerPolicy.copyPriceSamples) + lost * price
        }

        var list: [Int] { (0...farthest).filter { distances & (1 << UInt32($0)) != 0 } }
    }

    /// Returns the price of losing all frames for good, in samples of delay.
    private static func price(of frame: FrameDuration, isBursty: Bool) -> Float {
        let weight = isBursty ? 1 : VoiceLimits.singleLossWeight(frameSamples: frame.samples)
        return Float(100 * VoiceLimits.samplesPerLatePercent) * weight
    }

    /// Losses are bursts only if the mean run has more packets than this. The mean run must also be at least 1.2 times
    /// the mean run that single losses make by chance.
    private static let burstRunMin: Float = 1.5
    /// Losses that count as reported before a listener's first report: five single losses in 400 packets. So two
    /// adjacent losses within two seconds are not yet a burst.
    private static let lostBefore: Float = 5.0 / 400
    /// Share of the counted losses that remains with each report of a loss. At two such reports a second, half is
    /// forgotten in 5 s.
    private static let runMemory: Float = 0.93
    /// Price of the bytes of a copy: 1 ms.
    private static let copyPriceSamples = 48
}

// MARK: - Packet loss

/// A model of packet loss on the path to one listener: the share that is lost, and the chance that another loss
/// follows.
///
/// A chain of two states, of which the bad one loses everything (Gilbert, "Capacity of a burst-noise channel", 1960).
/// Of all packets `share` is lost. Of the packets that come `d` packets after a lost one, this share is lost:
/// `share + (1 - share) · persistence^d`. Single losses have persistence 0.
package struct LossModel: Equatable, Sendable {
    /// 0 … 1.
    package let share: Float
    /// 0 … 1.
    let persistence: Float

    /// - Parameter meanRun: mean number of packets lost in a row; 1 / (1 - share) or less stands for single losses.
    package init(share: Float, meanRun: Float) {
        self.share = min(max(0, share), Self.shareMax)
        let leaving = 1 / max(1, meanRun)
        let entering = leaving * self.share / (1 - self.share)
        persistence = max(0, 1 - leaving - entering)
    }

    /// Returns, for each number n from 0 to `distance`, the probability that the n-th packet after a lost one is lost
    /// too. For 0 this is the lost packet itself.
    package func repeats(upTo distance: Int) -> [Float] {
        var memory: Float = 1
        return (0...distance).map { _ in
            defer { memory *= persistence }
            return share + (1 - share) * memory
        }
    }

    /// A greater share of lost packets counts as this one: no conversation is possible with it.
    private static let shareMax: Float = 0.9
}
