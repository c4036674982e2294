import Primitives
import TestKit
import Testing
import Trust

@Suite("What a run about a code is bound to")
struct CodeRunTests {
    private static let (one, other) = (TestIdentity.nodeID(seed: 1), TestIdentity.nodeID(seed: 2))

    private func run(
        of channel: UInt8 = 1, by initiator: NodeID = one, with responder: NodeID = other, nonces: UInt8 = 1,
        run: UInt32 = 1
    ) -> CodeRun {
        CodeRun(
            of: [UInt8](repeating: channel, count: ChannelID.byteCount), by: initiator, with: responder,
            nonces: [UInt8](repeating: nonces, count: 64), run: run, sealing: TransparentSealing(seed: 9))
    }

    @Test("a run about the code of a channel is of one session: with other nonces it is another run")
    func session() { #expect(run(nonces: 2) != run()) }

    @Test("a run about the code of a channel is of its two nodes, and of the one that has begun it")
    func identities() {
        let third = TestIdentity.nodeID(seed: 3)
        let runs = [
            run(), run(by: Self.other, with: Self.one), run(by: third), run(with: third), run(by: Self.other),
            run(with: Self.one),
        ]
        #expect(Set(runs).count == runs.count)
    }

    @Test("a run about the code of a channel is of one channel and has one number")
    func channelAndNumber() { #expect(Set([run(), run(of: 2), run(run: 2)]).count == 3) }
}
