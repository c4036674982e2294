import Mesh
import Primitives
import Testing
import Trust
import Wire

@Suite("Advance of a counter that was rolled back")
struct InstanceAdvanceTests {
    private func ownRecord(_ stage: LinkStage, instance: UInt64) -> SignedRecord {
        var former = stage.configuration
        (former.instance, former.bootNonce) = (Instance(exactly: instance)!, BootNonce(number: 4_711))
        return OwnRecord(former, sealing: stage.sealing).signed
    }

    struct Word: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let count: UInt64
        let isProof: Bool
        var seen: UInt64?
        let record: @Sendable (InstanceAdvanceTests, LinkStage) -> SignedRecord?
    }

    @Test(
        "only a record with the own signature and a higher instance proves a rollback; a bare claim is counted",
        arguments: [
            Word(testDescription: "proof", count: 1, isProof: true) { $0.ownRecord($1, instance: 7) },
            Word(testDescription: "the present instance", count: 0, isProof: false) { $0.ownRecord($1, instance: 3) },
            Word(testDescription: "a lower one", count: 0, isProof: false, seen: 3) { $0.ownRecord($1, instance: 2) },
            Word(testDescription: "no record", count: 0, isProof: false, seen: 3) { _, _ in nil },
            Word(testDescription: "a bare claim", count: 1, isProof: false, seen: 4) { _, _ in nil },
            Word(testDescription: "a forgery", count: 1, isProof: false, seen: 9) {
                var record = $0.ownRecord($1, instance: 7)
                record.signature[3] ^= 1
                return record
            },
            Word(testDescription: "another's record", count: 1, isProof: false, seen: 9) {
                let other = $1.puppet(.leads, 3)
                other.instance = 9
                return other.record()
            },
        ])
    func word(_ word: Word) {
        let stage = LinkStage(instance: 3)
        let peer = stage.puppet(.leads)
        peer.open(1)
        peer.hello(on: 1, yourRecord: word.record(self, stage), seen: word.seen.flatMap { Instance(exactly: $0) })
        #expect(stage.counter(.ownInstanceRolledBack) == word.count)
        #expect(stage.events == (word.isProof ? [.refused(peer.id, .staleInstance)] : []))
        #expect(stage.invites(on: 1).count == 1)
        stage.pass(.milliseconds(2_499))
        #expect(stage.advances.isEmpty)
        stage.pass(.milliseconds(1))
        #expect(stage.advances.map(\.number) == (word.isProof ? [8] : []))
    }

    enum Refused: CaseIterable { case stale, late, otherMesh }

    @Test(
        "the own record in a refused ghost's HELLO still counts, because the node may have been rolled back too",
        arguments: Refused.allCases)
    func performed(_ refused: Refused) {
        let stage = LinkStage(instance: 3)
        let (peer, ghost) = (stage.puppet(.leads), stage.puppet(.leads))
        (peer.instance, peer.boot) = (5, 500)
        if refused == .stale { peer.sendBeacon() }
        ghost.open(1)
        if refused == .late { peer.sendBeacon() }
        ghost.hello(on: 1, mesh: refused == .otherMesh ? "other" : "test", yourRecord: ownRecord(stage, instance: 7))
        let reasons: [Refused: RefusalReason] = [.stale: .staleInstance, .late: .coolingDown, .otherMesh: .otherMesh]
        #expect(stage.refusal(on: 1)?.reason == reasons[refused])
        #expect(stage.counter(.ownInstanceRolledBack) == (refused == .otherMesh ? 0 : 1))
    }

    @Test("the highest of several proofs counts, and none prolongs the wait")
    func several() {
        let stage = LinkStage(instance: 3)
        for (place, instance) in [7, 20, 9].enumerated() as EnumeratedSequence<[UInt64]> {
            let peer = stage.puppet(.leads, place)
            peer.open(UInt64(place + 1))
            peer.hello(on: UInt64(place + 1), yourRecord: ownRecord(stage, instance: instance))
            stage.pass(.milliseconds(500))
        }
        #expect(stage.counter(.ownInstanceRolledBack) == 3 && stage.events.count == 1)
        stage.passAlmost(.seconds(1))
        #expect(stage.advances.isEmpty)
        stage.tick()
        #expect(stage.advances.map(\.number) == [21])
        // While the shell writes, the node asks for no other advance. It ignores a written instance that is not higher.
        let late = stage.puppet(.leads, 5)
        late.open(9)
        late.hello(on: 9, yourRecord: ownRecord(stage, instance: 30))
        stage.input(.instanceAdvanced(Instance(exactly: 3)!))
        stage.pass(.seconds(3))
        #expect(stage.advances.count == 1 && stage.counter(.instanceAdvances) == 0)
        stage.input(.instanceAdvanced(Instance(exactly: 21)!))
        #expect(stage.counter(.instanceAdvances) == 1 && stage.node.status(now: stage.now).instance.number == 21)
        #expect(stage.events.contains(.ownInstanceAdvanced(Instance(exactly: 21)!)))
        stage.input(.instanceAdvanced(Instance(exactly: 22)!))
        #expect(stage.counter(.instanceAdvances) == 1)
    }

    @Test("the highest instance cannot be advanced, and a refusal as a duplicate stops an advance")
    func never() {
        let stage = LinkStage(instance: 3)
        let (peer, neighbour) = (stage.puppet(.leads), stage.puppet(.follows))
        peer.open(1)
        peer.hello(on: 1, yourRecord: ownRecord(stage, instance: Instance.max.number))
        stage.pass(.seconds(3))
        #expect(stage.advances.isEmpty)
        neighbour.open(2)
        neighbour.hello(on: 2, yourRecord: ownRecord(stage, instance: 8))
        stage.frame(.refuse(.duplicateIdentity, retryAfterMilliseconds: 5_000), on: 2)
        stage.pass(.seconds(3))
        #expect(stage.advances.isEmpty)
    }

    @Test("after an advance, links go on under the new label, and waiting peers are dialled at once")
    func advanced() throws {
        let stage = LinkStage(instance: 3, admissionPolicy: .open)
        let (peer, gone, waiting) = (stage.puppet(.leads), stage.puppet(.leads, 1), stage.puppet(.leads, 2))
        let (quarantined, stranded) = (stage.puppet(.leads, 3), stage.puppet(.follows))
        try peer.link(on: 1)
        try stranded.link(on: 2)
        gone.greet(3)
        stage.frame(.leave, on: 3)
        waiting.greet(4)
        stage.frame(.decline(.blocked), on: 4)
        let place = quarantined.endpoint
        stage.onDial = { dial, endpoint in if endpoint == place { stage.input(.dialFailed(dial, .refused)) } }
        stage.input(.discovered(PeerHint(source: .avahi, node: quarantined.id, endpoints: [place])))
        for _ in 0..<15 where stage.state(quarantined) != .quarantined { stage.pass(.seconds(1)) }
        #expect(stage.state(quarantined) == .quarantined)
        stage.close(2)
        let reporter = stage.puppet(.leads, 4)
        reporter.open(5)
        reporter.hello(on: 5, yourRecord: ownRecord(stage, instance: 7))
        // The negotiation that is under way ends, because its keys contain the old instance.
        stage.pass(.milliseconds(2_500))
        #expect(stage.advances.map(\.number) == [8])
        let (dials, link) = (stage.dials.count, stage.peer(peer)?.link)
        let sequence = stage.node.status(now: stage.now).digest
        stage.input(.instanceAdvanced(Instance(exactly: 8)!))
        stage.pass(.zero)
        #expect(stage.isClosed(5))
        #expect(stage.peer(peer)?.link?.attempt == link?.attempt && stage.peer(peer)?.link?.leaderInstance.number == 8)
        #expect(stage.peer(stranded)?.link?.followerInstance.number == 8)
        #expect(stage.wait(for: gone) == nil && stage.node.status(now: stage.now).digest != sequence)
        let dialled = Set(stage.dials.dropFirst(dials).map(\.endpoint))
        #expect(dialled == [waiting.endpoint, quarantined.endpoint, stranded.endpoint, reporter.endpoint])
        stage.pass(.seconds(1))
        let row = stage.messages(on: 1).compactMap { if case .records(let records) = $0 { records } else { nil } }
        #expect(row.joined().contains { (try? $0.verified(with: stage.sealing))?.instance.number == 8 })
        #expect(stage.state(peer) == .up && stage.counter(.linksDown) == 0)
    }
}
