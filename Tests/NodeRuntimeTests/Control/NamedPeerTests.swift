import ControlPlane
import NodeRuntime
import Testing

/// A node whose friend is gone, while a linked peer has taken the name of the friend.
@Suite("Peers that requests name", .serialized, .timeLimit(.minutes(1)))
struct NamedPeerTests {
    /// Every request that takes a peer.
    private static func requests(naming peer: String) -> [any ControlRequest] {
        let hearing: [any ControlRequest] = [
            MuteRequest(peer: peer, muted: true), VolumeRequest(peer: peer, gainDb: -6),
            PanRequest(peer: peer, pan: -100), PriorityRequest(peer: peer, priority: true),
        ]
        let speaking: [any ControlRequest] = [
            PrivateRequest(peer: peer, isDown: true), CallMakeRequest(peer: peer), CloseMicrophoneRequest(peer: peer),
            PingRequest(peer: peer), LatencyRequest(peer: peer), CutRequest(peer: peer, blocked: true),
        ]
        let deciding: [any ControlRequest] = [
            BlockRequest(peer: peer), UnblockRequest(peer: peer), TrustRequest(peer: peer), ForgetRequest(peer: peer),
            VerifyRequest(peer: peer), ConfirmRequest(peer: peer), AcceptRequest(peer: peer), DenyRequest(peer: peer),
            CodeChangeRequest(code: "apple zebra onion island", leave: [peer]),
        ]
        return hearing + speaking + deciding
    }

    @Test("the tests ask every method that has a parameter for a peer")
    func complete() {
        let asked = Self.requests(naming: "FOH").map { type(of: $0).method.name }
        let taking = NodeMethods.all.filter { method in
            DocumentShape(of: method).fields.contains { ["peer", "leave"].contains($0.key) }
        }
        #expect(Set(asked) == Set(taking.map { $0.method.name }))
    }

    @Test("the name of a friend that is gone never means an impostor, in any request; an id means it")
    func impostor() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "null", .simcut: "true"])
        let friend = try await bench.start("friend", [.input: "null", .nick: "FOH"], peer: a)
        _ = try await NodeBench.onThread { try a.awaitStatus("the friend is linked") { $0.mesh.linksUp == 1 } }
        let impostor = try await bench.start("impostor", [.input: "null", .nick: "FOH"], peer: a)
        try await NodeBench.onThread {
            try a.awaitEvent("key_changed")
            try friend.stop()
        }
        try await friend.ended()
        try await NodeBench.onThread {
            try Self.expectNobodyMeant(at: a)
            for node in [impostor, a] { try node.stop() }
        }
        for node in [impostor, a] { try await node.ended() }
    }

    /// The name is ambiguous in every request, and nothing is changed for the impostor until its id is given.
    private static func expectNobodyMeant(at node: NodeUnderTest) throws {
        // `linksUp` counts links that are being verified, too.
        let status = try node.awaitStatus("the impostor alone is there") { status in
            status.mesh.linksUp == 1 && linkedImpostor(in: status) != nil
        }
        let id = try #require(linkedImpostor(in: status)).id
        for request in requests(naming: "FOH") {
            let code = try failure(of: request, at: node)
            #expect(code == .ambiguousPeer, "\(type(of: request).method.name)")
        }
        let peer = try #require(linkedImpostor(in: try node.ask(StatusRequest())))
        #expect(peer.id == id && !peer.muted && peer.gainDb == 0 && !peer.blocked && peer.trust == "met")
        #expect(peer.mix?.panAuto == true && peer.mix?.priority == false)
        try node.ask(MuteRequest(peer: id, muted: true))
        #expect(linkedImpostor(in: try node.ask(StatusRequest()))?.muted == true)
    }

    private static func linkedImpostor(in status: StatusDocument) -> StatusDocument.Peer? {
        status.peers.first { $0.state == "up" && $0.otherKey != nil }
    }

    /// The code of the failure; nil if the node does what was asked.
    private static func failure<Request: ControlRequest>(
        of request: Request, at node: NodeUnderTest
    ) throws -> ControlFailure.Code? {
        do {
            try node.ask(request)
        } catch ControlClientError.refused(let failure) {
            return failure.code
        }
        return nil
    }
}
