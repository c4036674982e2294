import Channels
package import Primitives
package import Voice

/// The talk in a run: the talkers, their channels, the lengths of talk and pauses, and the voice profile. The nodes of
/// such a run have their whole voice path: microphone, packets, jitter buffer, sound.
package struct SpeechRule: Hashable, Codable, Sendable {
    /// Number of talkers. The first nodes talk, in spurts, and all nodes listen.
    package var talkerCount: Int
    /// Number of channels. Each start of a node draws one of them.
    package var channelCount: Int
    /// The voice profile of the talkers.
    package var profile: VoiceProfile
    /// Mean lengths of the talk spurts and of the silences between them.
    package var talkFor: Interval
    package var pauseFor: Interval
    /// Mean time between two changes of the other channels to which a node listens; nil where it never listens to
    /// another channel than its own.
    package var changeEvery: Interval?
    /// Number of talk keys of a talker, 1 to `keysMax` (`SpokenTo` says to whom they speak). The first one is pressed
    /// in spurts, and the others are pressed now and then while the first one is down.
    package var keyCount = 1
    /// Greatest error of a sound card's clock.
    package var driftPartsPerMillionMax: UInt64
    package static let keysMax = 4

    package init(
        talkerCount: Int = 2, channelCount: Int = 1, profile: VoiceProfile = .low, talkFor: Interval = .seconds(3),
        pauseFor: Interval = .seconds(1), changeEvery: Interval? = nil, driftPartsPerMillionMax: UInt64 = 100
    ) {
        self.talkerCount = talkerCount
        self.channelCount = channelCount
        self.profile = profile
        self.talkFor = talkFor
        self.pauseFor = pauseFor
        self.changeEvery = changeEvery
        self.driftPartsPerMillionMax = driftPartsPerMillionMax
    }

    init(using random: inout SeededRandom, nodeCount: Int) {
        talkerCount = Int(1 + random.below(UInt64(min(3, nodeCount))))
        channelCount = random.chance(permille: 500) ? 1 : Int(2 + random.below(2))
        profile = VoiceProfile.allCases[Int(random.below(UInt64(VoiceProfile.allCases.count)))]
        talkFor = random.interval(in: .milliseconds(300)...(.seconds(8)))
        pauseFor = random.interval(in: .milliseconds(100)...(.seconds(4)))
        driftPartsPerMillionMax = random.below(200)
        guard channelCount != 1 else { return }
        changeEvery = random.interval(in: .milliseconds(100)...(.seconds(10)))
        keyCount = Int(1 + random.below(UInt64(Self.keysMax)))
    }

    /// Returns why the rule is not valid, as text; nil if it is valid. A person may have written the rule.
    package func trouble(nodeCount: Int) -> String? {
        guard (0...nodeCount).contains(talkerCount) else { return "talkers must be 0 to \(nodeCount)" }
        guard (1...SimLimits.channelsMax).contains(channelCount) else {
            return "channels must be 1 to \(SimLimits.channelsMax)"
        }
        guard (1...Self.keysMax).contains(keyCount) else { return "keys must be 1 to \(Self.keysMax)" }
        guard .zero < talkFor, .zero < pauseFor else { return "talk and pause must be longer than nothing" }
        if let changeEvery, changeEvery <= .zero { return "time between changes must be longer than nothing" }
        guard driftPartsPerMillionMax <= SimLimits.driftPartsPerMillionMax else {
            return "no sound card's clock is off by more than \(SimLimits.driftPartsPerMillionMax) ppm"
        }
        return nil
    }

    package var text: String {
        "\(talkerCount) talkers, \(channelCount) channels, \(keyCount) keys, \(profile), \(talkFor)/\(pauseFor), "
            + (changeEvery.map { "changes every \($0), " } ?? "") + "drift \(driftPartsPerMillionMax) ppm"
    }
}

extension SwarmOptions {
    /// Draws how people talk. A seed does not do so by itself, because a run in which sound is rendered takes several
    /// times as long.
    package mutating func drawSpeech() {
        var random = SeedStreams(seed: seed).speech
        speech = SpeechRule(using: &random, nodeCount: nodeCount)
        // The talkers of `talkerCount` send bare stamps, which are no voice payloads.
        talkerCount = 0
    }
}

extension SwarmSetting {
    static let speech = SwarmSetting(name: "voice", form: "drawn or none") { options in
        options.speech == nil ? "none" : "drawn"
    } write: { options, text in
        switch text {
        case "drawn": options.drawSpeech()
        case "none": options.speech = nil
        default: return false
        }
        return true
    }
}

/// A person who joins and parts other channels while the node runs. The node talks on its own channel, which it never
/// parts.
struct ChannelHopping {
    private let others: [ChannelID]
    private let every: Interval
    private var random: SeededRandom
    private var nextAt: Instant

    /// Nil if the person never changes anything.
    init?(_ rule: SpeechRule, own: ChannelID, random: SeededRandom, now: Instant) {
        guard let every = rule.changeEvery else { return nil }
        others = (0..<rule.channelCount).map(SpeechRule.channel).filter { $0 != own }
        guard !others.isEmpty else { return nil }
        self.every = every
        self.random = random
        nextAt = now + Exponential.interval(mean: every, using: &self.random)
    }

    /// Returns the order that is due; nil if there is none.
    mutating func order(_ list: ListeningList, now: Instant) -> ListeningCommand? {
        guard nextAt <= now else { return nil }
        nextAt = now + Exponential.interval(mean: every, using: &random)
        let channel = others[Int(random.below(UInt64(others.count)))]
        guard list[channel] == nil else { return .part(channel) }
        let ear = Ear.allCases[Int(random.below(UInt64(Ear.allCases.count)))]
        return .join(ListeningEntry(channel, levelTenths: -60, ear: ear))
    }
}
