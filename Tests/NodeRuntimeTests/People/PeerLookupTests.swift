import ControlPlane
import Mesh
import NodeRuntime
import Primitives
import Testing
import Wire

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

    @Test("a text that begins the NodeID of one peer and is the name of another means neither; the whole id wins")
    func idOrName() throws {
        let station = Self.peer(4, "station")
        for text in [String(station.node.text.prefix(15)), String(station.node.text.prefix(7))] {
            let decoy = Self.peer(5, text.lowercased())
            for peers in [[decoy, station], [station, decoy]] {
                let failure = #expect(throws: ControlFailure.self) { try PeerLookup.find(text, among: peers) }
                #expect(failure?.code == .ambiguousPeer)
                #expect(try PeerLookup.find(station.node.text, among: peers).node == station.node)
                #expect(try PeerLookup.find(decoy.node.short, among: peers).node == decoy.node)
            }
        }
    }

    @Test(
        "a short id, or its beginning, wins over a name of the same form",
        arguments: ["0000-0001", "0000-000", "00000001"])
    func shortIDAsName(text: String) throws {
        let decoy = PeerStatus(node: NodeID(words: (0xF << 60, 0, 0, 5)), name: SafeText(text), state: .up)
        for peers in [[ada, decoy], [decoy, ada]] {
            #expect(try PeerLookup.find(text, among: peers).node == ada.node)
            #expect(try PeerLookup.find(text, among: peers, prefersLinked: false).node == ada.node)
        }
        #expect(try PeerLookup.find(text, among: [decoy, ben]).node == (text == "0000-000" ? ben.node : decoy.node))
    }

    @Test("four digits of a short id are enough, with or without the dash; the error lists the candidates")
    func shortBeginning() throws {
        func peer(_ id: UInt64, _ name: String) -> PeerStatus {
            PeerStatus(node: NodeID(words: (id << 32, 0, 0, id)), name: SafeText(name), state: .up)
        }
        let peers = [peer(0xF2F5_34BB, "Carla"), peer(0xF2F5_9A01, "Dora"), peer(0xCAFE_0001, "Emil"), peer(7, "cafe")]
        for text in ["f2f5-3", "F2F534", "f2f5-34bb", "f2f534bb"] {
            #expect(try PeerLookup.find(text, among: peers).node == peers[0].node, "\(text)")
        }
        let failure = #expect(throws: ControlFailure.self) { try PeerLookup.find("f2f5", among: peers) }
        #expect(failure?.code == .ambiguousPeer)
        #expect(failure?.message.contains("Carla f2f5-34bb, Dora f2f5-9a01") == true, "\(failure?.message ?? "")")
        for text in ["f2f", "f2-f5", "f2f53-4"] {
            #expect(throws: ControlFailure.self, "\(text)") { try PeerLookup.find(text, among: peers) }
        }
        let word = #expect(throws: ControlFailure.self) { try PeerLookup.find("cafe", among: peers) }
        #expect(word?.code == .ambiguousPeer, "a word that is a name is not taken for an id")
        #expect(try PeerLookup.find("cafe", among: [peers[0], peers[3]]).node == peers[3].node)
    }

    @Test("a peer whose name is its own short id is found by it")
    func ownID() throws {
        let own = PeerStatus(node: ben.node, name: SafeText(ben.node.short), state: .up)
        #expect(try PeerLookup.find(ben.node.short, among: [ada, own]).node == ben.node)
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

    @Test("a newcomer with another code is past once no attempt is planned; a peer with a record never is")
    func pastNewcomer() {
        var peer = Self.peer(6, "")
        (peer.state, peer.failure) = (.down, .refused(.wrongCode))
        #expect(peer.isPastNewcomer)
        peer.retryAt = .zero
        #expect(!peer.isPastNewcomer, "the refusal is half a minute old at most")
        (peer.state, peer.retryAt) = (.connecting, nil)
        #expect(!peer.isPastNewcomer, "it tries again")
        peer.state = .down
        for failure: LinkFailure? in [nil, .refused(.noProof), .refused(.otherMesh), .noAnswer] {
            peer.failure = failure
            #expect(!peer.isPastNewcomer, "it may belong to the mesh")
        }
        (peer.failure, peer.instance) = (.refused(.wrongCode), Instance(exactly: 1))
        #expect(!peer.isPastNewcomer)
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
