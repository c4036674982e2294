import Mesh
import NodeRuntime
import Primitives
import Testing
import Wire

@Suite("Which missing links are troubles")
struct ExpectedLinksTests {
    private let nodes = (0...3).map { NodeID(words: (UInt64($0 + 1), 0, 0, 1)) }

    private func crew(_ expected: [Int], keptOut: [Int] = []) -> ExpectedLinks {
        let out = keptOut.map { nodes[$0] }
        return ExpectedLinks(expected: Set(expected.map { nodes[$0] })) { !out.contains($0) }
    }

    private func peer(_ node: Int, _ failure: LinkFailure?, _ presence: PeerPresence = .unmet) -> PeerStatus {
        var peer = PeerStatus(node: nodes[node], name: SafeText(""), state: .quarantined)
        (peer.failure, peer.presence) = (failure, presence)
        return peer
    }

    /// What a node says of its links to these nodes.
    private func row(_ node: Int, _ peers: [Int]) -> AdvertisedLinks {
        AdvertisedLinks(
            node: nodes[node], name: SafeText(""),
            entries: peers.map { peer in
                AdvertisedLink(
                    peer: nodes[peer], instance: Instance(exactly: 1)!, path: .direct, rttClass: 0, lossClass: 0)
            })
    }

    @Test("a peer that is there, was linked lately or refuses as a member is missed, whatever the failure")
    func missed() {
        #expect(crew([1]).misses(peer(1, .dial(.timedOut))))
        #expect(crew([]).misses(peer(1, .noAnswer, .present)))
        #expect(crew([]).misses(peer(1, .refused(.version))) && crew([]).misses(peer(1, .refused(.full))))
    }

    @Test("a node that was never linked and is not there, one of another mesh, and one that is gone are not missed")
    func notMissed() {
        let failures: [LinkFailure?] = [
            .dial(.refused), .dial(.otherIdentity), .noProof, .noHello, .refused(.otherMesh), .refused(.noProof), nil,
        ]
        for failure in failures { #expect(!crew([2]).misses(peer(1, failure)), "\(String(describing: failure))") }
        for presence in [PeerPresence.dead(since: .zero), .left] {
            #expect(!crew([]).misses(peer(1, .dial(.refused), presence)))
        }
    }

    @Test("a node that is kept out here is not missed")
    func keptOut() { #expect(!crew([1], keptOut: [1]).misses(peer(1, .silent, .present))) }

    @Test("links of others to a node that is kept out here do not break the clique; a missing one does")
    func complete() {
        let crew = crew([1, 2], keptOut: [3])
        let whole = [row(0, [1, 2]), row(1, [0, 2, 3]), row(2, [0, 1])]
        #expect(crew.isCompleteApartFromKeptOut(whole, of: nodes[0]))
        for broken in [
            [row(0, [1, 2]), row(1, [0, 3]), row(2, [0])], [row(0, [1, 2]), row(1, [0, 2, 3]), row(2, [])],
            [row(0, [1]), row(1, [0, 2, 3])],
        ] {
            #expect(!crew.isCompleteApartFromKeptOut(broken, of: nodes[0]))
        }
        #expect(!self.crew([1, 2]).isCompleteApartFromKeptOut(whole, of: nodes[0]), "the stranger is not kept out")
        // A person who names the keys to let in does not name the key of the own node.
        #expect(self.crew([1, 2], keptOut: [0, 3]).isCompleteApartFromKeptOut(whole, of: nodes[0]))
        #expect(!self.crew([1, 2], keptOut: [0]).isCompleteApartFromKeptOut(whole, of: nodes[0]))
    }
}
