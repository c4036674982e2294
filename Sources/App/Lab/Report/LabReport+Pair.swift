import NodeRuntime
package import Primitives

extension LabReport {
    /// The result of one ordered pair; with several channels, of one pair on the channels of one of the speaker's
    /// turns.
    package struct Pair: Codable, Hashable, Sendable {
        package var from: Int
        package var to: Int
        /// The channels on which the speaker talked. Absent in a lab of one channel.
        package var channels: [String]?
        /// Whether the listener is on one of them, and must hear the speaker.
        package var expected = true
        /// Whether it heard the speaker. For a pair that must not hear, whether anything leaked.
        package var heard: Bool
        package var latencyMs: Double?
        /// Absent for a pair that must not hear.
        package var lossPct: Double?
        /// The level at which the voice was heard, and the one at which the listener hears these channels. Absent in a
        /// lab of one channel, and for a pair that must not hear.
        package var levelDb: Double?
        package var levelExpectedDb: Double?
        /// The same for the ear: `both`, `left` or `right`. The ear heard is absent if it differed between turns.
        package var ear: String?
        package var earExpected: String?
        /// For a pair that must not hear: the loudest sound of the turns, in dB against the speaker's pilot. Absent if
        /// there was none.
        package var leakDb: Double?

        package init(_ judgement: PairJudgement) {
            from = judgement.from
            to = judgement.to
            heard = judgement.isHeard
            latencyMs = judgement.latency.map { Pair.rounded($0.inMilliseconds) }
            lossPct = Pair.rounded(judgement.lossPercent)
        }

        /// A pair that must not hear.
        package init(from: Int, to: Int, _ leak: LeakJudgement) {
            (self.from, self.to, expected) = (from, to, false)
            heard = leak.isLeak
            leakDb = leak.decibels.map(Pair.rounded)
        }

        /// Adds at which level and in which ear the pair hears, and has to hear.
        package mutating func add(_ hearing: HearingJudgement, levelExpectedDecibels: Double, earExpected: Ear) {
            levelDb = hearing.levelDecibels.map(Pair.rounded)
            levelExpectedDb = levelExpectedDecibels
            ear = hearing.ear.map { EarWord($0).rawValue }
            self.earExpected = EarWord(earExpected).rawValue
        }

        /// Whether the listener heard what it must not hear.
        package var isLeak: Bool { !expected && heard }
        /// Whether the level is wrong, for a pair that was heard.
        package var isLevelWrong: Bool {
            guard expected, heard, let levelExpectedDb else { return false }
            return levelDb.map { LabLimits.levelErrorDecibelsMax < abs($0 - levelExpectedDb) } ?? true
        }
        /// Whether the ear is wrong, for a pair that was heard.
        package var isEarWrong: Bool { expected && heard && earExpected != nil && ear != earExpected }

        private static func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
    }
}
