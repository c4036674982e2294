import MeshSimulator
import Primitives
import Testing

/// Talkers speak in a mesh at rest, and each test does one thing to it that must not happen.
@Suite("Speech between whole nodes")
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

    /// The watch of the talkers after `disturb`, and the checker that reports a violation.
    private func listen(in world: World, _ disturb: (World) -> Void) -> (watch: SpeechWatch, checker: String?) {
        disturb(world)
        let end = world.now + .seconds(11)
        let watch = SpeechWatch(world, Self.rule, core: Self.core, lossPermille: 0, until: end)
        world.run(until: end)
        return (watch, watch.judge(world)?.checker ?? world.violation?.checker)
    }

    @Test("every listener hears every frame within 40 ms, whatever the drift of the sound cards")
    func whole() {
        let world = world()
        let (watch, checker) = listen(in: world) { _ in }
        #expect(checker == nil)
        let hearings = watch.hearings(in: world)
        #expect(hearings.map(\.listener) == [1, 2])
        #expect(hearings.allSatisfy { 1_000 < $0.hearing.spoken && $0.hearing.delayMax < .milliseconds(40) })
        #expect(world.takeHearingGap(of: 0, at: 1) != nil)
    }

    @Test("a network that loses two thirds of all packets is found")
    func lossy() {
        let (_, checker) = listen(in: world()) { world in
            var rule = LinkRule(delayMin: .microseconds(500), delayMean: .milliseconds(2))
            rule.lossPermille = 650
            world.apply(.setAllRules(rule))
        }
        #expect(checker == "SpeechIsWhole")
    }

    @Test("missing frames in a row are found, however few they are")
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

    @Test("a talker that says nothing for two minutes is found")
    func mute() {
        let world = world()
        world.setMuted(true)
        // Its current talk spurt ends first.
        world.run(until: world.now + SpeechWatch.silenceAfter)
        let end = world.now + .seconds(125)
        let watch = SpeechWatch(world, Self.rule, core: Self.core, lossPermille: 0, until: end)
        world.run(until: end)
        #expect(watch.judge(world)?.checker == "TalkersTalk")
    }

    @Test("a payload that no receiver can read is found at once")
    func malformed() {
        let world = world()
        // This is a bare stamp without a packet around it.
        world.say(0)
        world.run(until: world.now + .seconds(1))
        #expect(world.violation?.checker == "GhostsStaySilent")
    }

    @Test("a slow network is found")
    func slow() {
        let (_, checker) = listen(in: world()) { world in
            world.apply(.setAllRules(LinkRule(delayMin: .milliseconds(230), delayMean: .milliseconds(1))))
            // Until the listeners have adapted, every frame is late and none is played.
            world.run(until: world.now + .seconds(6))
        }
        #expect(checker == "SpeechIsPrompt")
    }

    @Test("silence follows when all talkers are muted, and its absence is found")
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
        // The first node is the one that talks. A node with a duplicate is not judged.
        options.hasDuplicate = false
        options.lostNodes = []
        let acts = TwoActs(options, sealing: WorldOptions.transparentSealing)
        let report = acts.run()
        #expect(report.violation == nil)
        #expect(!report.hearings.isEmpty)
        #expect(acts.repeats(report))
    }
}
