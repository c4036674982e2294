import MeshSimulator
import Primitives
import Testing

@Suite("Speech checkers can fail")
struct SpeechCheckerTests {
    private static let one = Instance(exactly: 1)!

    private func verdict(_ checker: some SafetyChecker, _ observations: [Observation]) -> String? {
        var checker = checker
        return observations.compactMap { checker.observe($0, at: .zero) }.first
    }

    private func sounded(_ talker: Int, in holder: Int?, life: UInt32 = 1, _ sequence: UInt32) -> Observation {
        .sounded(observer: 0, slotHolder: holder, VoiceStamp(talker: talker, life: life, sequence: sequence))
    }

    @Test("FramesSoundInOrder finds a repeated frame, an older one, another talker's and a damaged one")
    func order() {
        func judge(_ observations: Observation...) -> String? {
            verdict(FramesSoundInOrder(nodeCount: 3), observations)
        }
        #expect(judge(sounded(1, in: 1, 1), sounded(1, in: 1, 4), sounded(2, in: 2, 1)) == nil)
        #expect(judge(sounded(1, in: 1, 9), sounded(1, in: 1, life: 2, 1)) == nil)
        #expect(judge(sounded(1, in: 1, 4), sounded(1, in: 1, 4)) != nil)
        #expect(judge(sounded(1, in: 1, 4), sounded(1, in: 1, 3)) != nil)
        #expect(judge(sounded(1, in: 1, life: 2, 1), sounded(1, in: 1, life: 1, 9)) != nil)
        #expect(judge(sounded(1, in: 2, 1)) != nil)
        #expect(judge(.sounded(observer: 0, slotHolder: 1, nil)) != nil)
        // A new link does not know the frames of the previous one.
        let up = Observation.peerUp(observer: 0, peer: 1, slot: 0, Self.one)
        #expect(judge(sounded(1, in: 1, 4), up, sounded(1, in: 1, 4)) == nil)
        #expect(judge(sounded(1, in: 1, 4), .started(node: 0, Self.one), sounded(1, in: 1, 4)) == nil)
    }

    private func said(_ talker: Int, life: UInt32 = 1, _ sequence: UInt32 = 1, to: SpokenTo) -> Observation {
        .said(VoiceStamp(talker: talker, life: life, sequence: sequence), to: to)
    }

    /// The checker decides about a frame by the next observation.
    private static let anything = Observation.sounded(observer: 2, slotHolder: 0, nil)

    @Test("VoiceStaysInItsChannel judges the frames of one block together, by the last of them")
    func block() {
        let (main, stage) = (ChannelID(high: 1, low: 0), ChannelID(high: 1, low: 1))
        func judge(_ second: ChannelID) -> String? {
            verdict(
                VoiceStaysInItsChannel(nodeCount: 3),
                [
                    .tuned(node: 0, life: 1, main), said(1, 1, to: SpokenTo(channels: [stage])),
                    said(1, 2, to: SpokenTo(channels: [second])), sounded(1, in: 1, 1), sounded(1, in: 1, 2),
                    Self.anything,
                ])
        }
        #expect(judge(main) == nil)
        #expect(judge(stage) != nil)
    }

    @Test("VoiceStaysInItsChannel finds sound of a channel whose code the listener does not have")
    func codes() {
        let lights = ChannelID(high: 1, low: 1, hasCode: true)
        func judge(_ talker: UInt8?, _ listener: UInt8?) -> String? {
            verdict(
                VoiceStaysInItsChannel(nodeCount: 3),
                [
                    .tuned(node: 0, life: 1, lights), .holdsCode(node: 1, lights, code: talker),
                    .holdsCode(node: 0, lights, code: listener), said(1, 1, to: SpokenTo(channels: [lights])),
                    sounded(1, in: 1, 1), Self.anything,
                ])
        }
        #expect(judge(4, 4) == nil)
        #expect(judge(4, 5) != nil && judge(4, nil) != nil && judge(nil, 4) != nil && judge(nil, nil) != nil)
    }

    @Test("VoiceStaysInItsChannel lets sound for 220 ms what had come before the listener took another code")
    func formerCode() {
        let lights = ChannelID(high: 1, low: 1, hasCode: true)
        func isFound(after wait: Interval) -> Bool {
            var checker = VoiceStaysInItsChannel(nodeCount: 3)
            let before: [Observation] = [
                .tuned(node: 0, life: 1, lights), .holdsCode(node: 1, lights, code: 4),
                .holdsCode(node: 0, lights, code: 4), said(1, 1, to: SpokenTo(channels: [lights])),
                .holdsCode(node: 0, lights, code: 5),
            ]
            let found =
                before.map { checker.observe($0, at: .zero) }
                + [sounded(1, in: 1, 1), Self.anything].map { checker.observe($0, at: .zero + wait) }
            return found.contains { $0 != nil }
        }
        #expect(!isFound(after: .milliseconds(220)) && isFound(after: .milliseconds(221)))
    }

    @Test("VoiceStaysInItsChannel finds sound of another channel, and private talk at another node")
    func channels() {
        let (main, stage) = (ChannelID(high: 1, low: 0), ChannelID(high: 1, low: 1))
        func judge(_ to: SpokenTo) -> String? {
            verdict(
                VoiceStaysInItsChannel(nodeCount: 3),
                [.tuned(node: 0, life: 1, main), said(1, to: to), sounded(1, in: 1, 1), Self.anything])
        }
        #expect(judge(SpokenTo(channels: [main])) == nil)
        #expect(judge(SpokenTo(channels: [stage, main])) == nil)
        #expect(judge(SpokenTo(channels: [stage])) != nil)
        #expect(judge(SpokenTo(listeners: [0])) == nil)
        #expect(judge(SpokenTo(channels: [stage], listeners: [2])) != nil)
        #expect(judge(SpokenTo(isToAll: true)) == nil)
        #expect(judge(SpokenTo()) != nil)
    }

    @Test("EndsAreHeard finds samples that are missed, and a wait for more, after the last word to a listener")
    func ends() {
        let (main, stage) = (ChannelID(high: 1, low: 0), ChannelID(high: 1, low: 1))
        let toMain = said(1, 1, to: SpokenTo(channels: [main]))
        let toStage = said(1, 2, to: SpokenTo(channels: [stage]))
        func report(lost: UInt64, isTalking: Bool = true, isJudged: Bool = true) -> Observation {
            .received(
                observer: 0, talker: 1, lostSamples: lost, isTalking: isTalking,
                arrivalMax: isJudged ? .milliseconds(20) : nil)
        }
        // The last word to node 0 is said at 10 s. It arrives within 20 ms, and the end within 30 ms more.
        func isFound(_ course: (Int64, Observation)...) -> Bool {
            var checker = EndsAreHeard(nodeCount: 2)
            let start: [(Int64, Observation)] = [(0, .tuned(node: 0, life: 1, main)), (0, toMain), (10, toStage)]
            return (start + course).contains {
                checker.observe($0.1, at: .zero + .seconds(10) + .milliseconds($0.0)) != nil
            }
        }
        #expect(!isFound((49, report(lost: 0)), (50, report(lost: 9)), (99, report(lost: 9))))
        #expect(isFound((50, report(lost: 0)), (99, report(lost: 1))))
        #expect(!isFound((350, report(lost: 0))) && isFound((351, report(lost: 0))))
        #expect(!isFound((351, report(lost: 0, isTalking: false))))
        #expect(!isFound((50, report(lost: 0)), (60, toMain), (99, report(lost: 1)), (400, report(lost: 1))))
        #expect(isFound((50, report(lost: 0)), (60, toStage), (99, report(lost: 1))))
        #expect(isFound((400, toMain), (800, report(lost: 0))))
        let joins = Observation.listens(node: 0, stage, isOn: true)
        #expect(!isFound((20, joins), (340, toStage), (351, report(lost: 0))))
        #expect(!isFound((50, report(lost: 0)), (60, report(lost: 0, isJudged: false)), (400, report(lost: 9))))
    }

    @Test("EndsAreHeard judges a pair ten seconds after a fault, and no pair that loses packets")
    func judgedEnds() {
        let world = World(WorldOptions(seed: 6, names: WorldOptions.numberedNames(3)))
        world.startSpeech(SpeechRule(talkerCount: 1))
        world.startWatching()
        for node in 0..<3 { world.apply(.start(node)) }
        world.run(until: .zero + .seconds(20))
        var rule = world.options.rule
        #expect(world.arrivalMax(from: 0, to: 1) == rule.delayMax)
        world.apply(.cut(from: 0, to: 2))
        world.apply(.mend(from: 0, to: 2))
        #expect(world.arrivalMax(from: 0, to: 1) == rule.delayMax && world.arrivalMax(from: 0, to: 2) == nil)
        world.run(until: world.now + .seconds(11))
        #expect(world.arrivalMax(from: 0, to: 2) == rule.delayMax)
        rule.lossPermille = 1
        world.apply(.setAllRules(rule))
        world.run(until: world.now + .seconds(11))
        #expect(world.arrivalMax(from: 0, to: 1) == nil && world.violation == nil)
    }

    @Test("VoiceStaysInItsChannel lets a frame sound at a node that went over between two channels of that frame")
    func wentOver() {
        let (main, stage) = (ChannelID(high: 1, low: 0), ChannelID(high: 1, low: 1))
        // The frame is said at 20 ms, and the node joins `stage` at 30 ms.
        func isFound(saidTo channels: [ChannelID], parts parted: Int64, joins isJoined: Bool = true, heard: Int64)
            -> Bool
        {
            var checker = VoiceStaysInItsChannel(nodeCount: 2)
            let stamp = VoiceStamp(talker: 1, life: 1, sequence: 1, spokenAt: .zero + .milliseconds(20))
            var course: [(Observation, Int64)] = [
                (.tuned(node: 0, life: 1, main), 0), (.listens(node: 0, main, isOn: false), parted),
                (said(1, to: SpokenTo(channels: channels)), 20),
            ]
            if isJoined { course.append((.listens(node: 0, stage, isOn: true), 30)) }
            course.append((.sounded(observer: 0, slotHolder: 1, stamp, toldSince: .zero), heard))
            course.append((Self.anything, heard + 1))
            return course.map { checker.observe($0, at: .zero + .milliseconds($1)) }.contains { $0 != nil }
        }
        #expect(!isFound(saidTo: [main, stage], parts: 25, heard: 60))
        #expect(!isFound(saidTo: [main, stage], parts: 10, heard: 60), "the talker may not know")
        #expect(isFound(saidTo: [main, stage], parts: 10, heard: 3_000))
        #expect(isFound(saidTo: [stage], parts: 25, heard: 60) && isFound(saidTo: [main], parts: 25, heard: 60))
        #expect(isFound(saidTo: [main, stage], parts: 25, joins: false, heard: 60))
    }

    @Test("VoiceStaysInItsChannel lets a talker send what waited while it was held back to one who joined meanwhile")
    func heldBack() {
        let (main, stage) = (ChannelID(high: 1, low: 0), ChannelID(high: 1, low: 1))
        func isFound(said spoken: Int64, released: Int64?, resumed: Int64? = nil, again: Int64? = nil) -> Bool {
            var checker = VoiceStaysInItsChannel(nodeCount: 2)
            let stamp = VoiceStamp(talker: 1, life: 1, sequence: 1, spokenAt: .zero + .milliseconds(spoken))
            var course: [(Observation, Int64)] = [
                (.tuned(node: 0, life: 1, main), 0), (.heldBack(node: 1, isOn: true), 10),
                (said(1, to: SpokenTo(channels: [stage])), 15), (.heldBack(node: 1, isOn: true), 20),
                (.listens(node: 0, stage, isOn: true), 30),
            ]
            if let released { course.append((.heldBack(node: 1, isOn: false), released)) }
            if let resumed { course.append((.heldBack(node: 1, isOn: false), resumed)) }
            if let again { course.append((.heldBack(node: 1, isOn: true), again)) }
            course += [(.sounded(observer: 0, slotHolder: 1, stamp), 40), (Self.anything, 41)]
            return course.map { checker.observe($0, at: .zero + .milliseconds($1)) }.contains { $0 != nil }
        }
        #expect(!isFound(said: 10, released: 30) && !isFound(said: 29, released: 35))
        #expect(!isFound(said: 20, released: 35, again: 38), "held back again while the frame is on its way")
        #expect(isFound(said: 9, released: 35), "spoken before")
        #expect(isFound(said: 20, released: 29), "joined afterwards")
        #expect(isFound(said: 20, released: nil), "nothing was sent yet")
        #expect(isFound(said: 25, released: 29, resumed: 35), "another pause makes the first no longer")
    }

    @Test("VoiceStaysInItsChannel knows which channels a node has joined and parted, and what was said before")
    func joining() {
        let (main, stage) = (ChannelID(high: 1, low: 0), ChannelID(high: 1, low: 1))
        let start = Instant(nanoseconds: 1_000_000_000)
        var checker = VoiceStaysInItsChannel(nodeCount: 2)
        func observe(_ observation: Observation, after milliseconds: Int64) -> String? {
            checker.observe(observation, at: start + .milliseconds(milliseconds))
        }
        func hears(saidAfter milliseconds: Int64, after now: Int64) -> Bool {
            let stamp = VoiceStamp(talker: 1, life: 1, sequence: 1, spokenAt: start + .milliseconds(milliseconds))
            let earlier = observe(.sounded(observer: 0, slotHolder: 1, stamp), after: now)
            return earlier != nil || observe(Self.anything, after: now) != nil
        }
        _ = observe(.tuned(node: 0, life: 1, main), after: 0)
        _ = observe(said(1, to: SpokenTo(channels: [stage])), after: 0)
        #expect(hears(saidAfter: 5, after: 10))
        _ = observe(.listens(node: 0, stage, isOn: true), after: 20)
        #expect(hears(saidAfter: 19, after: 30) && !hears(saidAfter: 20, after: 30))
        _ = observe(.listens(node: 0, stage, isOn: false), after: 40)
        #expect(!hears(saidAfter: 35, after: 50) && hears(saidAfter: 35, after: 51))
        // Frames from before the part may be under way when the node joins again.
        _ = observe(.listens(node: 0, stage, isOn: true), after: 60)
        #expect(!hears(saidAfter: 39, after: 70))
        _ = observe(.tuned(node: 0, life: 2, main), after: 80)
        #expect(hears(saidAfter: 75, after: 90))
    }

    @Test("a node that joins again may hear what was said before for two seconds, or until the talker can know")
    func joiningAgain() {
        let (main, stage) = (ChannelID(high: 1, low: 0), ChannelID(high: 1, low: 1))
        let start = Instant.zero + .seconds(100)
        func isFound(again: Int64, said spoken: Int64 = 39, at now: Int64, toldSince: Int64?) -> Bool {
            var checker = VoiceStaysInItsChannel(nodeCount: 2)
            let stamp = VoiceStamp(talker: 1, life: 1, sequence: 1, spokenAt: start + .milliseconds(spoken))
            let told = toldSince.map { start + .milliseconds($0) }
            let course: [(Observation, Int64)] = [
                (.tuned(node: 0, life: 1, main), 0), (said(1, to: SpokenTo(channels: [stage])), 0),
                (.listens(node: 0, stage, isOn: true), 20), (.listens(node: 0, stage, isOn: false), 40),
                (.listens(node: 0, stage, isOn: true), again),
                (.sounded(observer: 0, slotHolder: 1, stamp, toldSince: told), now), (Self.anything, now),
            ]
            return course.map { checker.observe($0, at: start + .milliseconds($1)) }.contains { $0 != nil }
        }
        #expect(!isFound(again: 60, at: 70, toldSince: 0))
        #expect(isFound(again: 5_000, at: 5_010, toldSince: 0), "the talker has long known of the part")
        #expect(!isFound(again: 5_000, said: 5_000, at: 5_010, toldSince: 0))
        #expect(!isFound(again: 5_000, at: 5_010, toldSince: nil), "the talker may not know of it")
        #expect(!isFound(again: 5_000, at: 5_010, toldSince: 4_000))
        #expect(isFound(again: 5_000, at: 5_010, toldSince: 1_000))
    }
}
