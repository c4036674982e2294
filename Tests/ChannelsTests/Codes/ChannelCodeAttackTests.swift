import Channels
import Primitives
import Testing
import Trust
import Wire

/// A member without the code plays steps of others, as a member with a changed program can.
@Suite("attacks on proofs of channel codes")
struct ChannelCodeAttackTests {
    private static let zeros = [UInt8](repeating: 0, count: 32)
    /// Fails at its receiver.
    private static let wrongAnswer = JoinStep.answer(share: zeros, tag: zeros + zeros)

    @Test("two nodes with the code prove nothing to a member that hands the steps of each to the other")
    func relay() throws {
        // All sessions of this bench have the same nonces, so that the channel pointers are equal too.
        let bench = CodeBench(count: 3)
        let (relaying, relayed) = (2, 1)
        bench.drops = { _ in true }
        bench.link()
        bench.hold(1, at: relayed)
        let own = try #require(bench.sent.first { $0.from == relayed && $0.to == relaying }?.join)
        bench.inject(
            ChannelJoin(channelPointer: own.channelPointer, run: own.run, step: Self.wrongAnswer), from: relaying,
            to: relayed)
        bench.hold(1, at: 0)

        func handOver(from: Int, to: Int) throws {
            let join = try #require(bench.sent.last { $0.from == from && $0.to == relaying }?.join)
            bench.inject(join, from: relaying, to: to)
        }
        try handOver(from: 0, to: relayed)
        try handOver(from: relayed, to: 0)
        let answers = bench.sent.filter {
            if case .answer = $0.join.step { $0.from == relayed && $0.to == relaying } else { false }
        }
        #expect(answers.count == 1)
        #expect(bench.nodes[0].counters[.channelProofsFailed] == 1)
        bench.run(for: .seconds(10))
        #expect(bench.nodes.allSatisfy { $0.counters[.channelProofs] == 0 })
        #expect(bench.tags.allSatisfy { $0.values.allSatisfy(\.isEmpty) })
    }

    @Test("a node proves nothing to a member that hands its own steps back", arguments: 0...1)
    func reflection(of node: Int) {
        let bench = CodeBench()
        let member = 1 - node
        bench.drops = { _ in true }
        bench.link()
        bench.hold(1, at: node)
        var count = 0
        for _ in 0..<100 {
            while count < bench.sent.count {
                let frame = bench.sent[count]
                if frame.from == node { bench.inject(frame.join, from: member, to: node) }
                count += 1
            }
            bench.run(for: .seconds(1))
        }
        #expect(1 < count)
        #expect(bench.nodes[node].counters[.channelProofs] == 0 && bench.tag(at: node, for: member) == nil)
    }

    @Test("the steps of a proof prove nothing in the next session")
    func replay() throws {
        let bench = CodeBench()
        for index in 0...1 { bench.hold(1, at: index) }
        bench.link()
        bench.run(for: .seconds(2))
        let (honest, member) = (bench.lesser, bench.greater)
        let steps = bench.sent.filter { $0.from == member }.map(\.join.step)
        try #require(steps.count == 2)
        bench.drops = { _ in true }
        bench.link(session: 2)
        bench.run(for: .seconds(1))
        let channelPointer = try #require(bench.sent.last { $0.from == member }?.join.channelPointer)
        let proofs = bench.nodes[honest].counters[.channelProofs]
        for step in steps {
            bench.inject(ChannelJoin(channelPointer: channelPointer, run: 1_000, step: step), from: member, to: honest)
        }
        #expect(bench.nodes[honest].counters[.channelProofs] == proofs)
        #expect(bench.nodes[honest].counters[.channelProofsFailed] == 1)
        #expect(bench.tag(at: honest, for: member) == nil)
    }
}
