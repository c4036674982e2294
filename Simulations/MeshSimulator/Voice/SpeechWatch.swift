package import Primitives
import Voice

/// Judges the talk in a core of nodes that are a clique. All listeners on a talker's channel must hear the whole voice,
/// within a bounded delay. When no node talks, nothing may sound.
package struct SpeechWatch {
    /// Least number of frames that must sound, in 1,000 spoken ones. The network's own loss is allowed in addition.
    static let soundingPermilleMin = 980
    /// Greatest number of frames in a row that may be missing. A change of path costs some hundredths of a second, in
    /// frames of the shortest length.
    static let missingRunMax = 40
    /// Longest delay from the last sample of a frame until it sounds. A jitter buffer aims at 200 ms at most. It lowers
    /// such a target only after seconds of talk, and there may be no talk between the faults and this check.
    static let delayMax = Interval.milliseconds(220)
    /// Returns the longest delay for a listener that has heard enough over a route: one frame, one block of each
    /// card, the longest delay of a packet, and one block of reserve in the buffers.
    static func settledDelayMax(frame: Interval, over rule: LinkRule, paths: Int64 = 1) -> Interval {
        frame + SimVoice.block * 3 + rule.delayMax * paths
    }
    /// Time within which every talker says something.
    private static let talkWithin = Interval.seconds(120)
    /// Number of frames that may be missing, however few were spoken.
    static let missingMin = 2
    /// Time after the last word within which everything has sounded.
    package static let silenceAfter = Interval.seconds(2)

    private let core: [Int]
    private let talkers: [Int]
    private let lossPermille: Int
    /// The rule of all routes in the core.
    private let rule: LinkRule

    /// Listens from now until shortly before `end`.
    package init(_ world: World, _ rule: SpeechRule, core: [Int], lossPermille: UInt64, until end: Instant) {
        self.core = core
        self.lossPermille = Int(lossPermille)
        self.rule = world.network[core[0], core[core.count - 1]]
        talkers = core.filter { $0 < rule.talkerCount }
        world.listen(from: world.now, until: max(world.now, end - .seconds(1)))
    }

    package func judge(_ world: World) -> Violation? {
        if let ledger = world.ledger, Self.talkWithin < ledger.span.upperBound - ledger.span.lowerBound {
            for talker in talkers where ledger.hearing(of: talker, at: talker).spoken == 0 {
                return violation("TalkersTalk", "node \(talker) never spoke", world)
            }
        }
        for (talker, listener, hearing) in hearings(in: world) {
            let missing = hearing.spoken - hearing.sounded
            if Self.missingMin < missing,
                hearing.sounded * 1_000 < hearing.spoken * (Self.soundingPermilleMin - lossPermille)
            {
                let text = "node \(listener) heard \(hearing.sounded) of \(hearing.spoken) frames of \(talker)"
                return violation("SpeechIsWhole", text + ": " + world.account(of: talker, at: listener), world)
            }
            if Self.missingRunMax < hearing.missingRunMax {
                let text = "node \(listener) missed \(hearing.missingRunMax) frames of \(talker) in a row"
                return violation("SpeechIsWhole", text + ": " + world.account(of: talker, at: listener), world)
            }
            let paths = world.network.isOpen(from: talker, to: listener) ? 1 : 2 as Int64
            let settledMax = Self.settledDelayMax(
                frame: hearing.frameMax * (lossPermille == 0 ? 1 : 3), over: rule, paths: paths)
            if settledMax < hearing.settledDelayMax {
                let text = "node \(listener) heard \(talker) up to \(hearing.settledDelayMax) late after 15 s of talk"
                return violation("SpeechIsPrompt", text + ": " + world.account(of: talker, at: listener), world)
            }
            if Self.delayMax < hearing.delayMax {
                let text = "node \(listener) heard \(talker) up to \(hearing.delayMax) late"
                return violation("SpeechIsPrompt", text + ": " + world.account(of: talker, at: listener), world)
            }
        }
        return nil
    }

    /// Returns how each listener heard each talker of its channel that has spoken; empty if the core is no clique.
    package func hearings(in world: World) -> [(talker: Int, listener: Int, hearing: SpeechLedger.Hearing)] {
        guard let ledger = world.ledger, world.up.firstGap(among: core) == nil else { return [] }
        return talkers.flatMap { talker in
            core.filter { $0 != talker && world.channel(of: $0) == world.channel(of: talker) }
                .map { (talker, $0, ledger.hearing(of: talker, at: $0)) }.filter { 0 < $0.2.spoken }
        }
    }

    /// Judges the silence. Call it `silenceAfter` after all nodes were muted.
    package func judgeSilence(_ world: World) -> Violation? {
        for listener in core {
            guard let voice = world.voice(of: listener) else { continue }
            if let slot = voice.leftovers.first {
                guard let talker = voice.holders[slot.index] else { continue }
                let text = "node \(listener) still waits for more of \(talker): \(voice.account(of: talker))"
                return violation("SilenceFollows", text, world)
            }
        }
        return nil
    }

    private func violation(_ checker: String, _ text: String, _ world: World) -> Violation {
        Violation(kind: .liveness, checker: checker, text: text, at: world.now)
    }
}
