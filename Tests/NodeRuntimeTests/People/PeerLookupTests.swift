import ControlPlane
import Mesh
import NodeRuntime
import Primitives
import Testing

@Suite("Finding the peer that a person means")
struct PeerLookupTests {
    private let ada = PeerLookupTests.peer(1, "Ada")
    private let ben = PeerLookupTests.peer(2, "Ben")
    private let otherBen = PeerLookupTests.peer(3, "ben")

    private static func peer(_ number: UInt64, _ name: String) -> PeerStatus {
        PeerStatus(node: NodeID(words: (number << 32, 0, 0, number)), name: SafeText(name), state: .up)
    }

    @Test("a peer is found by its name in any case, by its short id and by its whole id")
    func found() throws {
        let peers = [ada, ben]
        #expect(try PeerLookup.find("ada", among: peers).node == ada.node)
        #expect(try PeerLookup.find(ben.node.short, among: peers).node == ben.node)
        #expect(try PeerLookup.find(ben.node.text, among: peers).node == ben.node)
    }

    @Test("the error about an unknown name holds no control characters")
    func nobody() {
        let failure = #expect(throws: ControlFailure.self) { try PeerLookup.find("\u{1B}[2Jcarl", among: [ada]) }
        #expect(failure?.code == .noSuchPeer)
        #expect(failure?.message.contains("\u{1B}") == false)
    }

    @Test("of two peers with a name, the one that is linked is meant")
    func linkedFirst() throws {
        var gone = otherBen
        gone.state = .down
        #expect(try PeerLookup.find("ben", among: [gone, ben]).node == ben.node)
        #expect(try PeerLookup.find("ben", among: [gone]).node == gone.node)
    }

    @Test("a name of two peers is refused, and the error lists their ids")
    func ambiguous() {
        let failure = #expect(throws: ControlFailure.self) { try PeerLookup.find("Ben", among: [ada, ben, otherBen]) }
        #expect(failure?.code == .ambiguousPeer)
        #expect(failure?.message.contains(otherBen.node.short) == true)
    }
}
