package import Primitives

/// How people talk in a run whose nodes have their whole voice path: microphone, packets, jitter buffer, sound.
package struct SpeechRule: Hashable, Codable, Sendable {
    /// The first of the nodes talk, in spurts; all listen.
    package var talkerCount: Int
    /// Each start of a node is on one of so many channels.
    package var channelCount: Int
    /// What the talkers wish for: 120, 240, 480 or 960.
    package var frameSamples: Int
    /// Means of what is drawn for each spurt and each silence.
    package var talkFor: Interval
    package var pauseFor: Interval
    /// How far a sound card's clock is off at most.
    package var driftPartsPerMillionMax: UInt64

    package init(
        talkerCount: Int = 2, channelCount: Int = 1, frameSamples: Int = 240, talkFor: Interval = .seconds(3),
        pauseFor: Interval = .seconds(1), driftPartsPerMillionMax: UInt64 = 100
    ) {
        self.talkerCount = talkerCount
        self.channelCount = channelCount
        self.frameSamples = frameSamples
        self.talkFor = talkFor
        self.pauseFor = pauseFor
        self.driftPartsPerMillionMax = driftPartsPerMillionMax
    }

    init(using random: inout SeededRandom, nodeCount: Int) {
        talkerCount = Int(1 + random.below(UInt64(min(3, nodeCount))))
        channelCount = random.chance(permille: 500) ? 1 : Int(2 + random.below(2))
        frameSamples = FrameDuration.coded[Int(random.below(UInt64(FrameDuration.coded.count)))].samples
        talkFor = random.interval(in: .milliseconds(300)...(.seconds(8)))
        pauseFor = random.interval(in: .milliseconds(100)...(.seconds(4)))
        driftPartsPerMillionMax = random.below(200)
    }

    package var frame: FrameDuration {
        FrameDuration.coded.first { $0.samples == frameSamples } ?? .ms5
    }

    package var text: String {
        "\(talkerCount) talkers, \(channelCount) channels, \(frame), \(talkFor)/\(pauseFor), "
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
