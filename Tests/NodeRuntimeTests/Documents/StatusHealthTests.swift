import Mesh
import NodeRuntime
import Primitives
import Testing
import Wire

@Suite("The problems that the status names")
struct StatusHealthTests {
    /// A linked peer: the path of its voice and the neighbour in between, whether it has a carrier, and the neighbour
    /// through which the carrier goes.
    private struct Link {
        let path: PathKind
        var via: NodeID?
        var hasCarrier = true
        var carrierVia: NodeID?
        let detour: String?
    }

    @Test("a linked peer that is heard through a neighbour is never said to have no way")
    func detours() {
        let (ada, bob) = (NodeID(words: (1, 0, 0, 1)), NodeID(words: (2, 0, 0, 1)))
        let links = [
            Link(path: .direct, detour: nil),
            Link(path: .direct, hasCarrier: false, detour: nil),
            Link(path: .carrier, detour: "UDP does not pass, voice goes through TCP"),
            Link(path: .relay, via: ada, detour: "UDP does not pass directly, voice goes via Ada"),
            Link(path: .relay, via: ada, hasCarrier: false, detour: "no direct way, voice goes via Ada"),
            Link(path: .direct, carrierVia: ada, detour: "TCP does not pass directly, TLS goes via Ada"),
            Link(path: .carrier, carrierVia: ada, detour: "no direct way, voice and TLS go via Ada"),
            Link(path: .relay, via: ada, carrierVia: ada, detour: "no direct way, voice and TLS go via Ada"),
            Link(path: .relay, via: ada, carrierVia: bob, detour: "no direct way, voice goes via Ada, and TLS via Bob"),
        ]
        for link in links {
            var peer = PeerStatus(node: NodeID(words: (3, 0, 0, 1)), name: SafeText("Cy"), state: .up)
            (peer.path, peer.via) = (link.path, link.via)
            (peer.hasCarrier, peer.carrierVia) = (link.hasCarrier, link.carrierVia)
            let words = peer.detour { $0 == ada ? "Ada" : "Bob" }
            #expect(words == link.detour)
        }
    }
}
