import MeshSimulator
import Primitives
import Testing

/// People talk in a mesh at rest, and what must not happen to that is done to it.
@Suite("Speech in whole nodes")
struct SpeechWatchTests {
    private static let core = [0, 1, 2]
    private static let rule = SpeechRule(talkerCount: 1, pauseFor: .milliseconds(100))

    private func world() -> World {
        let world = World(WorldOptions(seed: 2, names: WorldOptions.numberedNames(3)))
        world.startSpeech(Self.rule)
        for node in 0..<3 { world.apply(.start(node)) }
        world.run(until: .zero + .seconds(5))
        return world
    }

    /// How talkers were heard after `disturb`, and who complains of it.
    private func listen(in world: World, _ disturb: (World) -> Void) -> (watch: SpeechWatch, checker: String?) {
        disturb(world)
        let end = world.now + .seconds(11)
        let watch = SpeechWatch(world, Self.rule, core: Self.core, lossPermille: 0, until: end)
        world.run(until: end)
        return (watch, watch.judge(world)?.checker ?? world.violation?.checker)
    }

    @Test("everybody hears every frame within some hundredths of a second, whatever the drift of the cards")
    func whole() {
        let world = world()
        let (watch, checker) = listen(in: world) { _ in }
        #expect(checker == nil)
        let hearings = watch.hearings(in: world)
        #expect(hearings.map(\.listener) == [1, 2])
        #expect(hearings.allSatisfy { 1_000 < $0.hearing.spoken && $0.hearing.delayMax < .milliseconds(40) })
        #expect(world.takeHearingGap(of: 0, at: 1) != nil)
    }

    @Test("a network that takes a third of all packets is noticed")
    func lossy() {
        let (_, checker) = listen(in: world()) { world in
            var rule = LinkRule(delayMin: .microseconds(500), delayMean: .milliseconds(2))
            rule.lossPermille = 350
            world.apply(.setAllRules(rule))
        }
        #expect(checker == "SpeechIsWhole")
    }

    @Test("words that are missing in a row are noticed, few as they are")
    func cut() {
        let world = world()
        let end = world.now + .seconds(61)
        let watch = SpeechWatch(world, Self.rule, core: Self.core, lossPermille: 0, until: end)
        world.apply(.partition(0b001))
        world.run(until: world.now + .milliseconds(700))
        world.apply(.mendAll)
        world.run(until: end)
        let violation = watch.judge(world)
        #expect(violation?.checker == "SpeechIsWhole")
        #expect(violation?.text.contains("in a row") == true)
    }

    @Test("a talker who says nothing for two minutes is noticed")
    func mute() {
        let world = world()
        world.setMuted(true)
        // The word that it was saying ends.
        world.run(until: world.now + SpeechWatch.silenceAfter)
        let end = world.now + .seconds(125)
        let watch = SpeechWatch(world, Self.rule, core: Self.core, lossPermille: 0, until: end)
        world.run(until: end)
        #expect(watch.judge(world)?.checker == "TalkersTalk")
    }

    @Test("a payload that no receiver can read is noticed as it comes")
    func malformed() {
        let world = world()
        // A bare stamp, without a packet around it.
        world.say(0)
        world.run(until: world.now + .seconds(1))
        #expect(world.violation?.checker == "GhostsStaySilent")
    }

    @Test("a network that is slow is noticed")
    func slow() {
        let (_, checker) = listen(in: world()) { world in
            world.apply(.setAllRules(LinkRule(delayMin: .milliseconds(230), delayMean: .milliseconds(1))))
            // Until the listeners have found out, everything is late and nothing sounds.
            world.run(until: world.now + .seconds(6))
        }
        #expect(checker == "SpeechIsPrompt")
    }

    @Test("silence follows where all are hushed, and not where somebody goes on")
    func silence() {
        let talked = world()
        let (watch, _) = listen(in: talked) { _ in }
        var noticed = 0
        for _ in 0..<20 {
            talked.run(until: talked.now + .milliseconds(100))
            if watch.judgeSilence(talked)?.checker == "SilenceFollows" { noticed += 1 }
        }
        #expect(10 < noticed)
        talked.setMuted(true)
        talked.run(until: talked.now + SpeechWatch.silenceAfter)
        #expect(watch.judgeSilence(talked) == nil)
    }

    @Test("two acts with speech repeat to the bit, and keep their promises", arguments: [3, 4] as [UInt64])
    func repeats(seed: UInt64) {
        var options = SwarmOptions(seed: seed, nodeCount: 4)
        options.drawSpeech()
        options.speech = Self.rule
        // Of the first node, which is the one that talks: nobody is judged who has one.
        options.hasDuplicate = false
        options.lostNodes = []
        let acts = TwoActs(options, sealing: WorldOptions.transparentSealing)
        let report = acts.run()
        #expect(report.violation == nil)
        #expect(!report.hearings.isEmpty)
        #expect(acts.repeats(report))
    }
}
