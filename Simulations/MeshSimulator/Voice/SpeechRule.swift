package import Primitives
package import Voice

/// How people talk in a run whose nodes have their whole voice path: microphone, packets, jitter buffer, sound.
package struct SpeechRule: Hashable, Codable, Sendable {
    /// The first of the nodes talk, in spurts; all listen.
    package var talkerCount: Int
    /// Each start of a node is on one of so many channels.
    package var channelCount: Int
    /// What the talkers wish for.
    package var profile: VoiceProfile
    /// Means of what is drawn for each spurt and each silence.
    package var talkFor: Interval
    package var pauseFor: Interval
    /// How far a sound card's clock is off at most.
    package var driftPartsPerMillionMax: UInt64

    package init(
        talkerCount: Int = 2, channelCount: Int = 1, profile: VoiceProfile = .low, talkFor: Interval = .seconds(3),
        pauseFor: Interval = .seconds(1), driftPartsPerMillionMax: UInt64 = 100
    ) {
        self.talkerCount = talkerCount
        self.channelCount = channelCount
        self.profile = profile
        self.talkFor = talkFor
        self.pauseFor = pauseFor
        self.driftPartsPerMillionMax = driftPartsPerMillionMax
    }

    init(using random: inout SeededRandom, nodeCount: Int) {
        talkerCount = Int(1 + random.below(UInt64(min(3, nodeCount))))
        channelCount = random.chance(permille: 500) ? 1 : Int(2 + random.below(2))
        profile = VoiceProfile.allCases[Int(random.below(UInt64(VoiceProfile.allCases.count)))]
        talkFor = random.interval(in: .milliseconds(300)...(.seconds(8)))
        pauseFor = random.interval(in: .milliseconds(100)...(.seconds(4)))
        driftPartsPerMillionMax = random.below(200)
    }

    /// Why nodes cannot talk so; nil where they can. Asked of what a person may have written.
    package func trouble(nodeCount: Int) -> String? {
        guard (0...nodeCount).contains(talkerCount) else { return "talkers must be 0 to \(nodeCount)" }
        guard (1...SimLimits.channelsMax).contains(channelCount) else {
            return "channels must be 1 to \(SimLimits.channelsMax)"
        }
        guard .zero < talkFor, .zero < pauseFor else { return "talk and pause must be longer than nothing" }
        guard driftPartsPerMillionMax <= SimLimits.driftPartsPerMillionMax else {
            return "no sound card's clock is off by more than \(SimLimits.driftPartsPerMillionMax) ppm"
        }
        return nil
    }

    package var text: String {
        "\(talkerCount) talkers, \(channelCount) channels, \(profile), \(talkFor)/\(pauseFor), "
            + "drift \(driftPartsPerMillionMax) ppm"
    }
}

extension SwarmOptions {
    /// Nothing but the flag `--voice` draws any: a run in which sound is rendered takes several times as long.
    package mutating func drawSpeech() {
        var random = SeedStreams(seed: seed).speech
        speech = SpeechRule(using: &random, nodeCount: nodeCount)
        // Stamps without a payload around them are no voice.
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
