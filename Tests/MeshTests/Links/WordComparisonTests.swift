import Mesh
import MeshTestKit
import Primitives
import Testing
import Trust
import Wire

@Suite("Words that two persons compare")
struct WordComparisonNodeTests {
    /// The words that a node has reported, with whether it began.
    private func words(_ cluster: MeshCluster, _ index: Int) -> [(words: ComparedWords, isOwn: Bool)] {
        cluster.events(index).compactMap { event in
            if case .wordsCompared(_, let words, let isOwn) = event { (words, isOwn) } else { nil }
        }
    }

    private func begin(_ cluster: MeshCluster, _ node: Int, with peer: Int) {
        guard let slot = cluster.slot(of: peer, at: node) else { return }
        cluster.command(node, .compareWords(slot))
        cluster.drive(for: .milliseconds(500))
    }

    @Test("linked nodes report the same words, whichever of them begins")
    func linked() {
        let pair = MeshPair.linked()
        for (node, peer) in [(pair.leader, pair.follower), (pair.follower, pair.leader)] {
            let before = words(pair.cluster, node).count
            begin(pair.cluster, node, with: peer)
            let (own, others) = (words(pair.cluster, node), words(pair.cluster, peer))
            #expect(own.count == before + 1 && others.count == before + 1)
            #expect(own.last?.words == others.last?.words)
            #expect(own.last?.isOwn == true && others.last?.isOwn == false)
        }
    }

    @Test("a person may compare words with a peer before deciding about it")
    func waiting() {
        let pair = MeshPair(leaderPolicy: .ask(known: []))
        pair.discoverEachOther()
        pair.cluster.drive(for: .seconds(2))
        begin(pair.cluster, pair.leader, with: pair.follower)
        #expect(!pair.isUp)
        #expect(words(pair.cluster, pair.leader).count == 1)
        #expect(words(pair.cluster, pair.leader).last?.words == words(pair.cluster, pair.follower).last?.words)
    }

    @Test("a peer that begins again and again is answered three times, and then once in ten seconds")
    func flood() {
        let pair = MeshPair.linked()
        for _ in 0..<6 { begin(pair.cluster, pair.leader, with: pair.follower) }
        #expect(words(pair.cluster, pair.follower).count == 3)
        #expect(pair.cluster.counter(.comparisonsOverRate, at: pair.follower) == 3)
        pair.cluster.drive(for: .seconds(10))
        begin(pair.cluster, pair.leader, with: pair.follower)
        #expect(words(pair.cluster, pair.follower).count == 4)
    }

    @Test("after a lost step of the greater NodeID, the lesser one gets words at its next attempt")
    func lostStep() {
        let pair = MeshPair.linked()
        pair.cluster.dropsFrame = { frame in
            if case .words? = try? CarrierMessage(parsing: frame, isBeforeHello: false) { true } else { false }
        }
        begin(pair.cluster, pair.leader, with: pair.follower)
        pair.cluster.dropsFrame = { _ in false }
        begin(pair.cluster, pair.follower, with: pair.leader)
        #expect(words(pair.cluster, pair.follower).isEmpty)
        pair.cluster.drive(for: WordComparison.answerWaitMax)
        begin(pair.cluster, pair.follower, with: pair.leader)
        let (own, others) = (words(pair.cluster, pair.follower), words(pair.cluster, pair.leader))
        #expect(own.count == 1 && own.last?.words == others.last?.words)
    }

    @Test("a run that the peer leaves unended is not reported, and counted when the next begins, by either node")
    func unopened() throws {
        let stage = LinkStage()
        let peer = stage.puppet(.leads)
        try peer.link(on: 1)
        let commit = CarrierMessage.words(.commit([UInt8](repeating: 1, count: WireSizes.nonceBytes)))
        stage.frame(commit, on: 1)
        #expect(stage.counter(.comparisonsUnopened) == 0)
        stage.frame(commit, on: 1)
        #expect(stage.counter(.comparisonsUnopened) == 1)
        // The person here waits for the words of the peer's run; the next attempt begins a run.
        let slot = try #require(stage.peer(peer)?.slot)
        for count in [1, 2] as [UInt64] {
            stage.command(.compareWords(slot))
            #expect(stage.counter(.comparisonsUnopened) == count)
        }
        #expect(!stage.events.contains { if case .wordsCompared = $0 { true } else { false } })
    }

    @Test("without a link nothing is sent")
    func apart() {
        let pair = MeshPair.linked()
        pair.cluster.command(pair.leader, .block(pair.cluster.id(of: pair.follower)))
        pair.cluster.drive(for: .seconds(1))
        begin(pair.cluster, pair.leader, with: pair.follower)
        #expect(words(pair.cluster, pair.leader).isEmpty && words(pair.cluster, pair.follower).isEmpty)
    }
}
