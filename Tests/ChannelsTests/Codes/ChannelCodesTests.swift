import Channels
import Primitives
import Testing
import Trust
import Wire

@Suite("proofs of channel codes")
struct ChannelCodesTests {
    @Test("two nodes with one code share one tag, which is not the id, and both are told")
    func sameCode() throws {
        let bench = CodeBench()
        bench.link()
        bench.hold(1, at: 0)
        bench.run(for: .seconds(1))
        #expect(bench.tag(at: 0, for: 1) == nil)
        bench.hold(1, at: 1)
        bench.run(for: .seconds(1))
        let tags = try #require(bench.tag(at: 0, for: 1))
        #expect(tags.newest == bench.tag(at: 1, for: 0)?.newest)
        #expect(!tags.newest.hasCode && tags.newest.bytes != CodeBench.lights.bytes)
        #expect(bench.nodes[0].peers(knowing: [CodeBench.lights]) == [bench.id(1)])
        #expect(bench.events[0].last == .proved(CodeBench.lights, by: bench.id(1)))
        #expect(bench.events[1].last == .proved(CodeBench.lights, by: bench.id(0)))
    }

    @Test("another code, and no channel at all, look alike to the one that asks, and prove nothing")
    func otherCode() {
        func answers(of other: UInt8?) -> (sizes: [Int], event: ChannelCodeEvent?) {
            let bench = CodeBench()
            if let other { bench.hold(other, at: 1) }
            bench.link()
            bench.run(for: .seconds(10))
            let before = bench.sent.count
            bench.hold(1, at: 0)
            bench.run(for: .seconds(20))
            #expect(bench.tags.allSatisfy { $0.values.allSatisfy(\.isEmpty) })
            let frames = bench.sent.dropFirst(before).filter { $0.from == 1 }
            return (frames.map { CarrierMessage.channelJoin($0.join).encoded().count }, bench.events[0].last)
        }
        let (other, none) = (answers(of: 2), answers(of: nil))
        #expect(other.sizes == none.sizes && other.sizes.count == 1)
        #expect(other.event == .nobodyHas(CodeBench.lights) && none.event == other.event)
    }

    @Test("a peer is undecided until it has proved the code, has shown that it lacks it, or is silent for 6 s")
    func undecided() {
        for (other, isSilent) in [(1, false), (2, false), (1, true)] as [(UInt8, Bool)] {
            let bench = CodeBench()
            bench.link()
            bench.hold(other, at: 1)
            bench.run(for: .seconds(40))
            bench.drops = { _ in isSilent }
            bench.hold(1, at: 0)
            #expect(bench.nodes[0].peers(undecidedAbout: CodeBench.lights) == [bench.id(1)])
            bench.run(for: .seconds(isSilent ? 5 : 1))
            #expect(bench.nodes[0].peers(undecidedAbout: CodeBench.lights) == (isSilent ? [bench.id(1)] : []))
            bench.run(for: .seconds(2))
            #expect(bench.nodes[0].peers(undecidedAbout: CodeBench.lights) == [])
        }
    }

    @Test("a session proves each code anew, and the tag before counts until then, for 15 s at most")
    func renewal() throws {
        let bench = CodeBench()
        for index in 0...1 { bench.hold(1, at: index) }
        bench.link()
        bench.run(for: .seconds(2))
        let first = try #require(bench.tag(at: 0, for: 1)?.newest)
        bench.drops = { _ in true }
        bench.link(session: 2)
        bench.run(for: .seconds(14))
        #expect(bench.tag(at: 0, for: 1)?.newest == first)
        bench.run(for: .seconds(2))
        #expect(bench.tag(at: 0, for: 1) == nil)
        bench.drops = { _ in false }
        bench.run(for: .seconds(60))
        let second = try #require(bench.tag(at: 0, for: 1)?.newest)
        #expect(second != first)
        bench.link(session: 3)
        bench.run(for: .seconds(2))
        let third = try #require(bench.tag(at: 0, for: 1))
        #expect(third.older == [second] && third.newest != second)
    }

    @Test("where a session ends before step 3 has come, both sides still have a tag in common after the next proof")
    func lostConfirmation() throws {
        let bench = CodeBench()
        for index in 0...1 { bench.hold(1, at: index) }
        bench.link()
        bench.run(for: .seconds(2))
        let first = try #require(bench.tag(at: 0, for: 1)?.newest)
        bench.drops = { if case .confirm = $0.step { true } else { false } }
        bench.link(session: 2)
        bench.run(for: .seconds(2))
        let second = try #require(bench.tag(at: bench.greater, for: bench.lesser))
        #expect(second.older == [first] && bench.tag(at: bench.lesser, for: bench.greater)?.newest == first)
        bench.drops = { _ in false }
        bench.link(session: 3)
        bench.run(for: .seconds(2))
        let third = try #require(bench.tag(at: bench.greater, for: bench.lesser))
        #expect(third.older == [second.newest, first] && !third.isNewestHeld)
        let peers = try #require(bench.tag(at: bench.lesser, for: bench.greater))
        #expect(peers.newest == third.newest && peers.older == [first] && peers.isNewestHeld)
    }

    @Test("sessions that follow each other without a proof do not lengthen the life of the last one")
    func expiry() {
        let bench = CodeBench()
        for index in 0...1 { bench.hold(1, at: index) }
        bench.link()
        bench.run(for: .seconds(2))
        bench.drops = { _ in true }
        for session in 2...5 as ClosedRange<UInt8> {
            #expect(bench.tag(at: 0, for: 1) != nil)
            bench.link(session: session)
            bench.run(for: .seconds(4))
        }
        #expect(bench.tag(at: 0, for: 1) == nil)
    }

    @Test("after the link was down, another session begins without a tag, and the same session with it")
    func downs() throws {
        let bench = CodeBench()
        for index in 0...1 { bench.hold(1, at: index) }
        bench.link()
        bench.run(for: .seconds(2))
        let frames = bench.sent.count
        bench.input(0, .peerDown(CodeBench.slot(1)))
        #expect(bench.nodes[0].peers(knowing: [CodeBench.lights]).isEmpty)
        bench.link()
        bench.run(for: .seconds(5))
        #expect(bench.tag(at: 0, for: 1) != nil && bench.sent.count == frames)
        bench.input(0, .peerDown(CodeBench.slot(1)))
        bench.input(0, .sessionBegan(CodeBench.slot(1), bench.id(1), nonces: [UInt8](repeating: 9, count: 64)))
        #expect(bench.tag(at: 0, for: 1) == nil)
    }

    @Test("if both begin, one proof is made: the run of the greater id")
    func crossed() {
        let bench = CodeBench()
        bench.link()
        for index in 0...1 { bench.hold(1, at: index) }
        bench.run(for: .seconds(5))
        let confirms = bench.sent.filter { if case .confirm = $0.join.step { true } else { false } }
        #expect(confirms.map(\.from) == [bench.greater])
        #expect(bench.tag(at: 0, for: 1)?.newest == bench.tag(at: 1, for: 0)?.newest)
        #expect(bench.tag(at: bench.lesser, for: bench.greater)?.isNewestHeld == true)
        #expect(bench.tag(at: bench.greater, for: bench.lesser)?.isNewestHeld == false)
    }

    @Test("with two codes a pair makes one run in 30 s, and the right code is proved at once", arguments: 0...1)
    func alternation(wrongAt wrong: Int) {
        let bench = CodeBench()
        bench.hold(2, at: wrong)
        bench.hold(1, at: 1 - wrong)
        bench.link()
        bench.run(for: .seconds(40))
        #expect(bench.starts(of: bench.greater, to: bench.lesser) == 2)
        #expect(bench.starts(of: bench.lesser, to: bench.greater) == 0)
        bench.hold(1, at: wrong)
        bench.run(for: .seconds(1))
        #expect(bench.tag(at: 0, for: 1) != nil && bench.tag(at: 0, for: 1)?.newest == bench.tag(at: 1, for: 0)?.newest)
    }

    @Test("after more wrong codes than a peer has guesses, the right one is proved within 35 s", arguments: 0...1)
    func typingErrors(wrongAt wrong: Int) {
        let bench = CodeBench()
        bench.link()
        bench.hold(1, at: 1 - wrong)
        bench.run(for: .seconds(1))
        for code in [2, 3, 4, 1] as [UInt8] {
            bench.hold(code, at: wrong)
            bench.run(for: .seconds(1))
        }
        #expect(bench.events[wrong].last == .nobodyHas(CodeBench.lights))
        bench.run(for: .seconds(34))
        #expect(bench.events[wrong].last == .proved(CodeBench.lights, by: bench.id(1 - wrong)))
    }

    @Test("a peer that takes another code in the same session is no member after 6 s")
    func otherCodeInSession() {
        let bench = CodeBench()
        for index in 0...1 { bench.hold(1, at: index) }
        bench.link()
        bench.run(for: .seconds(2))
        bench.hold(2, at: 1)
        bench.run(for: .seconds(7))
        #expect(bench.tag(at: 0, for: 1) == nil)
    }

    @Test("a lost step is made good", arguments: 1...3)
    func losses(_ step: Int) {
        let bench = CodeBench()
        for index in 0...1 { bench.hold(1, at: index) }
        var lost = 0
        bench.drops = { join in
            let number =
                switch join.step {
                case .start: 1
                case .answer: 2
                case .confirm: 3
                }
            if number == step { lost += 1 }
            return number == step && lost == 1
        }
        bench.link()
        // Without step 3 the code may be another one.
        bench.run(for: step == 3 ? .seconds(40) : .seconds(10))
        let tags = [bench.tag(at: 0, for: 1), bench.tag(at: 1, for: 0)]
        #expect(tags[0] != nil && tags[0]?.newest == tags[1]?.newest)
    }

    /// A peer that begins runs with a wrong code again and again.
    private func guesses(_ count: Int, every wait: Interval, at bench: CodeBench) -> (answered: Int, tried: UInt64) {
        let before = bench.sent.count
        let channelPointer = bench.sent.first { $0.from == 0 }?.join.channelPointer ?? []
        let share = TransparentCode().element(ofUniform: [UInt8](repeating: 3, count: CodeSizes.uniformBytes))
        for run in 0..<count {
            bench.inject(
                ChannelJoin(channelPointer: channelPointer, run: 100 + UInt32(run), step: .start(share: share)),
                from: 1, to: 0)
            bench.run(for: wait)
        }
        let answers = bench.sent.dropFirst(before).filter {
            if case .answer = $0.join.step { $0.from == 0 } else { false }
        }
        return (answers.count, UInt64(count) - bench.nodes[0].counters[.channelProofsOverRate])
    }

    @Test("after three guesses a peer's further ones are not tried, but for one in 30 s, and it cannot tell")
    func guessing() {
        let bench = CodeBench()
        bench.link()
        bench.hold(1, at: 0)
        // Until then the node's own run may go on instead.
        bench.run(for: .seconds(2))
        let found = guesses(33, every: .seconds(1), at: bench)
        // The runs of this node are guesses of the peer too.
        #expect(found.answered == 33 && found.tried + UInt64(bench.starts(of: 0, to: 1)) == 4)
    }

    @Test("sessions that are renewed, and other codes, give a peer no more guesses")
    func guessingInSessions() {
        let bench = CodeBench()
        bench.hold(1, at: 0)
        for session in 1...40 as ClosedRange<UInt8> {
            bench.link(session: session)
            bench.hold(session + 1, at: 1)
            bench.run(for: .milliseconds(1_600))
        }
        let answers = bench.sent.filter { if case .answer = $0.join.step { $0.from == 0 } else { false } }.count
        let tried = answers + bench.starts(of: 0, to: 1) - Int(bench.nodes[0].counters[.channelProofsOverRate])
        // 64 s: three, and two more.
        #expect(3...5 ~= tried)
        #expect(bench.tag(at: 0, for: 1) == nil)
    }

    @Test("a peer that gives its slot away and comes back has no more guesses")
    func guessingFromSlots() {
        let bench = CodeBench(count: 3)
        bench.hold(1, at: 0)
        bench.link()
        for code in 2...6 as ClosedRange<UInt8> {
            bench.hold(code, at: 1)
            bench.run(for: .milliseconds(500))
        }
        let starts = bench.starts(of: 0, to: 1)
        for (session, node) in [(7, 2), (8, 1)] as [(UInt8, Int)] {
            let nonces = [UInt8](repeating: session, count: 64)
            bench.input(0, .peerDown(CodeBench.slot(1)))
            bench.input(0, .sessionBegan(CodeBench.slot(1), bench.id(node), nonces: nonces))
        }
        bench.run(for: .seconds(5))
        #expect(bench.starts(of: 0, to: 1) == starts)
    }

    @Test("a peer that has proved the code has all its guesses again")
    func guessesAfterProof() {
        let bench = CodeBench()
        bench.hold(1, at: 0)
        for (session, codes) in [(1, [2, 3, 1]), (2, [4, 5, 1])] as [(UInt8, [UInt8])] {
            for index in 0...1 { bench.input(index, .peerDown(CodeBench.slot(1 - index))) }
            bench.link(session: session)
            for code in codes {
                bench.hold(code, at: 1)
                bench.run(for: .milliseconds(500))
                #expect((bench.tag(at: 0, for: 1) != nil) == (code == 1))
            }
        }
    }

    @Test("runs whose numbers do not rise, and more than the allowance of a peer, are dropped")
    func floods() {
        let bench = CodeBench()
        bench.link()
        bench.hold(1, at: 0)
        bench.run(for: .milliseconds(10))
        let found = guesses(500, every: .milliseconds(1), at: bench)
        #expect(found.answered == ChannelCodeLimits.startsBurst)
        let unexpected = bench.nodes[0].counters[.channelJoinsUnexpected]
        bench.run(for: .seconds(10))
        bench.inject(ChannelJoin(channelPointer: [], run: 1, step: .start(share: [])), from: 1, to: 0)
        #expect(bench.nodes[0].counters[.channelJoinsUnexpected] == unexpected + 1)
    }

    @Test("an answer about an unknown channel that has no room is dropped, and a share that is no element fails")
    func blindAnswers() {
        func start(_ run: UInt32, share: [UInt8]) -> ChannelJoin {
            ChannelJoin(channelPointer: [UInt8](repeating: 9, count: 16), run: run, step: .start(share: share))
        }
        let bench = CodeBench()
        bench.link()
        bench.inject(start(1, share: [UInt8](repeating: 0, count: 32)), from: 1, to: 0)
        #expect(bench.sent.isEmpty && bench.nodes[0].counters[.channelProofsFailed] == 1)
        bench.leavesWork = true
        let share = TransparentCode().element(ofUniform: [UInt8](repeating: 3, count: CodeSizes.uniformBytes))
        for run in 0...ChannelCodeLimits.blindAnswersMax {
            #expect(bench.nodes[0].counters[.channelJoinsUnexpected] == 0)
            bench.inject(start(2 + UInt32(run), share: share), from: 1, to: 0)
            bench.run(for: ChannelCodeLimits.startInterval)
        }
        #expect(bench.nodes[0].counters[.channelJoinsUnexpected] == 1)
    }

    @Test("frames that belong to no run, or come from nobody, change nothing")
    func strays() {
        let bench = CodeBench(count: 3)
        for index in 0...1 { bench.hold(1, at: index) }
        bench.link()
        bench.run(for: .seconds(2))
        let tags = bench.tag(at: 0, for: 1)
        let channelPointer = bench.sent.last?.join.channelPointer ?? []
        let zeros = [UInt8](repeating: 0, count: 32)
        for step in [JoinStep.answer(share: zeros, tag: zeros + zeros), .confirm(tag: zeros + zeros)] {
            for sender in 1...2 {
                bench.inject(ChannelJoin(channelPointer: channelPointer, run: 1, step: step), from: sender, to: 0)
            }
        }
        bench.input(
            0,
            .join(
                ChannelJoin(channelPointer: channelPointer, run: 1, step: .start(share: zeros)),
                from: PeerSlot(index: 40)))
        bench.run(for: .seconds(2))
        #expect(bench.tag(at: 0, for: 1) == tags)
        #expect(bench.nodes[0].counters[.channelJoinsUnexpected] == 5)
    }

    @Test("a channel that is dropped, and one whose code is replaced, loses its tags")
    func dropped() {
        let bench = CodeBench()
        for index in 0...1 { bench.hold(1, at: index) }
        bench.link()
        bench.run(for: .seconds(2))
        bench.hold(2, at: 0)
        #expect(bench.tag(at: 0, for: 1) == nil)
        bench.hold(1, at: 0)
        bench.run(for: .seconds(2))
        #expect(bench.tag(at: 0, for: 1) != nil)
        bench.input(0, .drop(CodeBench.lights))
        #expect(bench.tag(at: 0, for: 1) == nil && bench.nodes[0].held.isEmpty)
    }

    @Test("a person is told that nobody has the code once all have answered, and not if one has it")
    func news() {
        let bench = CodeBench(count: 3)
        bench.link()
        bench.hold(1, at: 0)
        bench.run(for: .seconds(10))
        #expect(bench.events[0] == [.nobodyHas(CodeBench.lights)])
        bench.hold(1, at: 2)
        bench.run(for: .seconds(10))
        #expect(bench.events[2] == [.proved(CodeBench.lights, by: bench.id(0))])
        #expect(bench.events[0].last == .proved(CodeBench.lights, by: bench.id(2)))
    }
}
