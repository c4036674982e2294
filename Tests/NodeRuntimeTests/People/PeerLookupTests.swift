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

    @Test("where a key is decided about, a name of two keys means neither, also if one of them is linked")
    func noneFirst() throws {
        let real = NamedKey(node: ben.node, name: ben.name, isHere: true)
        let waiting = NamedKey(node: otherBen.node, name: otherBen.name, isHere: false)
        for keys in [[real, waiting], [waiting, real]] {
            let failure = #expect(throws: ControlFailure.self) {
                try PeerLookup.find("ben", among: keys, prefersLinked: false)
            }
            #expect(failure?.code == .ambiguousPeer)
            for key in keys { #expect(failure?.message.contains(key.node.short) == true) }
            for key in keys {
                #expect(try PeerLookup.find(key.node.short, among: keys, prefersLinked: false).node == key.node)
            }
        }
    }

    @Test("an id comes before a name, so nobody hides behind a name that is written like an id")
    func idFirst() throws {
        let pest = Self.peer(4, "pest")
        let decoy = Self.peer(5, pest.node.short)
        #expect(try PeerLookup.find(pest.node.short, among: [decoy, pest]).node == pest.node)
        let whole = Self.peer(6, String(pest.node.text.prefix(15)))
        #expect(try PeerLookup.find(String(pest.node.text.prefix(15)), among: [whole, pest]).node == pest.node)
    }

    @Test("the beginning of a NodeID is enough from the first group on, in any case and without its dashes")
    func beginning() throws {
        let neighbour = PeerStatus(node: NodeID(words: (1 << 32, 0, 0, 9)), name: SafeText("Cy"), state: .up)
        let (first, second) = (String(ada.node.text.prefix(7)), String(ben.node.text.prefix(9)))
        #expect(try PeerLookup.find(first.lowercased(), among: [ada, ben]).node == ada.node)
        #expect(try PeerLookup.find(second.replacing("-", with: ""), among: [ada, ben]).node == ben.node)
        let failure = #expect(throws: ControlFailure.self) { try PeerLookup.find(first, among: [ada, neighbour]) }
        #expect(failure?.code == .ambiguousPeer)
        #expect(throws: ControlFailure.self) { try PeerLookup.find(String(first.dropLast()), among: [ada]) }
    }

    @Test("of two keys with one short id, the error lists the whole ids")
    func groundShortID() {
        let twin = PeerStatus(
            node: NodeID(words: (1 << 32 | 7, 1, 1, 1)), name: SafeText("Ada"), state: .up)
        #expect(twin.node.short == ada.node.short)
        for text in ["Ada", ada.node.short] {
            let failure = #expect(throws: ControlFailure.self) { try PeerLookup.find(text, among: [ada, twin]) }
            #expect(failure?.message.contains(twin.node.text) == true)
        }
    }

    @Test("a name of 10 kB with bidirectional marks finds nobody, and the error is short")
    func long() {
        let text = "\u{202E}" + String(repeating: "x", count: 10_000)
        let failure = #expect(throws: ControlFailure.self) { try PeerLookup.find(text, among: [ada]) }
        #expect(failure.map { $0.message.count < 100 } == true)
    }

    @Test("a name of two peers is refused, and the error lists their ids")
    func ambiguous() {
        let failure = #expect(throws: ControlFailure.self) { try PeerLookup.find("Ben", among: [ada, ben, otherBen]) }
        #expect(failure?.code == .ambiguousPeer)
        #expect(failure?.message.contains(otherBen.node.short) == true)
    }
}
