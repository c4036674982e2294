import NodeRuntime
import Primitives
import StateStore
import Testing

@Suite("News of keys")
struct KeyNewsTests {
    private func node(_ number: UInt64) -> NodeID { NodeID(words: (number << 32, 0, 0, number)) }
    private func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

    private func warning(_ look: String, rival: UInt64 = 9, trust: KeyTrust? = .met) -> KeyNews.Warning {
        KeyNews.Warning(look: look, rival: node(rival), trust: trust)
    }

    @Test("the first change of a name is written at once; further ones when the pause is over, once for all until then")
    func paced() {
        var news = KeyNews()
        #expect(news.plan(node(1), now: at(0)) == at(0))
        news.look(node(1), now: at(0))
        #expect(news.plan(node(1), now: at(20)) == at(10_000))
        #expect(news.plan(node(1), now: at(40)) == nil)
        #expect(news.plan(node(2), now: at(40)) == at(40), "the pause of one key is none of another")
        news.look(node(1), now: at(10_000))
        #expect(news.plan(node(1), now: at(30_000)) == at(30_000))
    }

    @Test("a peer that alternates its name 50 times a second causes an event and a write once in 10 s at most")
    func flood() {
        var news = KeyNews()
        var (looks, tellings) = ([Instant](), [Instant]())
        var planned: Instant?
        for turn: Int64 in 0...3_000 {
            let now = at(20 * turn)
            if let due = planned, due <= now {
                news.look(node(1), now: now)
                looks.append(now)
                planned = nil
            }
            switch news.weigh(turn.isMultiple(of: 2) ? warning("foh") : nil, of: node(1), now: now) {
            case .tell: tellings.append(now)
            case .withhold, .nothing: break
            }
            if let due = news.plan(node(1), now: now) { planned = due }
        }
        for instants in [looks, tellings] {
            #expect((2...7).contains(instants.count))
            for (earlier, later) in zip(instants, instants.dropFirst()) { #expect(earlier + KeyNews.pause <= later) }
        }
    }

    @Test("a warning is told again only when the look of the name, the rival or the decision has changed meanwhile")
    func once() {
        let course: [(KeyNews.Warning?, KeyNews.Verdict)] = [
            (warning("foh"), .tell), (warning("foh"), .nothing), (warning("lx"), .tell), (warning("foh"), .tell),
            (warning("foh", rival: 8), .tell), (warning("foh", rival: 8, trust: .denied), .tell),
            (warning("foh", rival: 8, trust: .denied), .nothing), (nil, .nothing),
            (warning("foh", rival: 8, trust: .denied), .tell),
        ]
        var news = KeyNews()
        for (index, step) in course.enumerated() {
            #expect(news.weigh(step.0, of: node(1), now: at(10_000 * Int64(index))) == step.1, "\(index)")
        }
    }

    @Test("a warning is told at once, also between two writes; one soon after another is withheld until the pause ends")
    func withheld() {
        var news = KeyNews()
        _ = news.plan(node(1), now: at(0))
        news.look(node(1), now: at(0))
        #expect(news.weigh(warning("lx"), of: node(1), now: at(5_000)) == .tell)
        #expect(news.weigh(nil, of: node(1), now: at(5_100)) == .nothing)
        #expect(news.weigh(warning("lx"), of: node(1), now: at(5_200)) == .nothing)
        #expect(news.weigh(warning("foh"), of: node(1), now: at(5_300)) == .withhold)
        #expect(news.plan(node(1), now: at(5_300)) == at(15_000))
        news.look(node(1), now: at(15_000))
        #expect(news.weigh(warning("foh"), of: node(1), now: at(15_000)) == .tell)
    }

    @Test("ever new keys do not fill the memory, and the latest ones are kept")
    func bounded() {
        var news = KeyNews()
        for number: UInt64 in 1...5_000 {
            #expect(news.weigh(warning("foh"), of: node(number), now: at(Int64(number))) == .tell)
        }
        #expect(news.count == KeyNews.countMax)
        #expect(news.weigh(warning("foh"), of: node(5_000), now: at(5_001)) == .nothing)
        #expect(news.weigh(warning("lx"), of: node(5_000), now: at(5_002)) == .withhold)
    }
}
