import NodeRuntime
import Primitives
import StateStore
import Testing

@Suite("Warnings about keys")
struct KeyWarningsTests {
    private func node(_ number: UInt64) -> NodeID { NodeID(words: (number << 32, 0, 0, number)) }
    private func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

    private func warning(_ look: String, rival: UInt64 = 9, trust: KeyTrust? = .met) -> KeyWarnings.Warning {
        KeyWarnings.Warning(look: look, rival: node(rival), trust: trust)
    }

    @Test("the first change of a name is written at once; further ones when the pause is over, once for all until then")
    func paced() {
        var warnings = KeyWarnings()
        #expect(warnings.planCheck(of: node(1), now: at(0)) == at(0))
        warnings.beginCheck(of: node(1), now: at(0))
        #expect(warnings.planCheck(of: node(1), now: at(20)) == at(10_000))
        #expect(warnings.planCheck(of: node(1), now: at(40)) == nil)
        #expect(warnings.planCheck(of: node(2), now: at(40)) == at(40), "the pause of one key is none of another")
        warnings.beginCheck(of: node(1), now: at(10_000))
        #expect(warnings.planCheck(of: node(1), now: at(30_000)) == at(30_000))
    }

    @Test("a peer that alternates its name 50 times a second causes an event and a write once in 10 s at most")
    func flood() {
        var warnings = KeyWarnings()
        var (looks, tellings) = ([Instant](), [Instant]())
        var planned: Instant?
        for turn: Int64 in 0...3_000 {
            let now = at(20 * turn)
            if let due = planned, due <= now {
                warnings.beginCheck(of: node(1), now: now)
                looks.append(now)
                planned = nil
            }
            switch warnings.judge(turn.isMultiple(of: 2) ? warning("foh") : nil, of: node(1), now: now) {
            case .tell: tellings.append(now)
            case .withhold, .nothing: break
            }
            if let due = warnings.planCheck(of: node(1), now: now) { planned = due }
        }
        for instants in [looks, tellings] {
            #expect((2...7).contains(instants.count))
            for (earlier, later) in zip(instants, instants.dropFirst()) {
                #expect(earlier + KeyWarnings.pause <= later)
            }
        }
    }

    @Test("a warning is told again only when the look of the name, the rival or the decision has changed meanwhile")
    func once() {
        let course: [(KeyWarnings.Warning?, KeyWarnings.Verdict)] = [
            (warning("foh"), .tell), (warning("foh"), .nothing), (warning("lx"), .tell), (warning("foh"), .tell),
            (warning("foh", rival: 8), .tell), (warning("foh", rival: 8, trust: .denied), .tell),
            (warning("foh", rival: 8, trust: .denied), .nothing), (nil, .nothing),
            (warning("foh", rival: 8, trust: .denied), .tell),
        ]
        var warnings = KeyWarnings()
        for (index, step) in course.enumerated() {
            #expect(warnings.judge(step.0, of: node(1), now: at(10_000 * Int64(index))) == step.1, "\(index)")
        }
    }

    @Test("a warning is told at once, also between two writes; one soon after another is withheld until the pause ends")
    func withheld() {
        var warnings = KeyWarnings()
        _ = warnings.planCheck(of: node(1), now: at(0))
        warnings.beginCheck(of: node(1), now: at(0))
        #expect(warnings.judge(warning("lx"), of: node(1), now: at(5_000)) == .tell)
        #expect(warnings.judge(nil, of: node(1), now: at(5_100)) == .nothing)
        #expect(warnings.judge(warning("lx"), of: node(1), now: at(5_200)) == .nothing)
        #expect(warnings.judge(warning("foh"), of: node(1), now: at(5_300)) == .withhold)
        #expect(warnings.planCheck(of: node(1), now: at(5_300)) == at(15_000))
        warnings.beginCheck(of: node(1), now: at(15_000))
        #expect(warnings.judge(warning("foh"), of: node(1), now: at(15_000)) == .tell)
    }

    @Test("ever new keys do not fill the memory, and the latest ones are kept")
    func bounded() {
        var warnings = KeyWarnings()
        for number: UInt64 in 1...5_000 {
            #expect(warnings.judge(warning("foh"), of: node(number), now: at(Int64(number))) == .tell)
        }
        #expect(warnings.count == KeyWarnings.countMax)
        #expect(warnings.judge(warning("foh"), of: node(5_000), now: at(5_001)) == .nothing)
        #expect(warnings.judge(warning("lx"), of: node(5_000), now: at(5_002)) == .withhold)
    }
}
