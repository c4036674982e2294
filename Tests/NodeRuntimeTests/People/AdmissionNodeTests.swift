import ControlPlane
import NodeRuntime
import Testing

/// Whole nodes that ask their person, and that compare words.
@Suite("Nodes that ask", .serialized, .timeLimit(.minutes(2)))
struct AdmissionNodeTests {
    @Test("a stranger waits, is listed, compares words and is let in; a denied one is told so, also after a restart")
    func ask() async throws {
        let bench = try NodeBench()
        var a = try await bench.start("a", [.input: "null", .admission: "ask"])
        var address = try await NodeBench.onThread { [a] in try a.address() }
        let friend = try await bench.start("friend", [.input: "null", .nick: "FOH", .peer: address])
        let pest = try await bench.start("pest", [.input: "null", .nick: "pest", .peer: address])
        try await NodeBench.onThread { [a] in
            try a.awaitEvent("invitation_asked")
            let status = try a.awaitStatus("both ask") { $0.peers.count { $0.asksSinceS != nil } == 2 }
            #expect(status.node.access.line.hasPrefix("open mesh, but this node asks you"))
            #expect(status.mesh.peersKnown == 0 && !status.isDegraded)
            #expect(Set(try a.ask(RequestsRequest()).requests.map(\.name)) == ["FOH", "pest"])
            try friend.awaitStatus("waits") { $0.health.contains { $0.hasSuffix("asked whether to let this node in") } }
            // The other verbs say the reason too, and name the peer as it was typed.
            let refusal = "no link to A: its person is asked whether to let this node in"
            #expect(try friend.refusal(of: PingRequest(peer: "A")) == refusal)
            #expect(try friend.refusal(of: LatencyRequest(peer: "A")) == refusal)
            let asked = try a.refusal(of: PingRequest(peer: "foh"))
            #expect(asked?.hasPrefix("no link to foh: you have to decide") == true)
            let (own, others) = (try a.ask(VerifyRequest(peer: "foh")), try friend.ask(VerifyRequest(peer: "a")))
            #expect(own.words != nil && own.words == others.words)
            #expect(try a.ask(VerifyRequest(peer: "foh")).words == own.words, "the same words for a minute")
            #expect(throws: ControlClientError.self) { try a.ask(AcceptRequest(peer: "nobody")) }
            #expect(try a.ask(AcceptRequest(peer: "FOH")).trust == "trusted")
            try friend.awaitEvent("peer_up")
            #expect(try a.ask(ConfirmRequest(peer: "FOH")).trust == "verified")
            #expect(throws: ControlClientError.self) { try a.ask(ConfirmRequest(peer: "pest")) }
            // A key that is forgotten is asked about again, and its link ends.
            #expect(try a.ask(ForgetRequest(peer: "FOH")).trust == nil)
            try friend.awaitEvent("peer_down")
            #expect(Set(try a.ask(RequestsRequest()).requests.map(\.name)) == ["FOH", "pest"])
            #expect(try a.ask(AcceptRequest(peer: "FOH")).trust == "trusted")
            #expect(try a.ask(ConfirmRequest(peer: "FOH")).trust == "verified")
            #expect(try a.ask(DenyRequest(peer: "pest")).trust == "denied")
            try pest.awaitStatus("is told") { $0.health.contains { $0.hasSuffix("has denied this node") } }
            #expect(try a.ask(RequestsRequest()).requests.isEmpty)
            // All verbs say the same, and each in the right direction.
            let told = try pest.ask(StatusRequest())
            #expect(told.peers.contains { $0.state != "awaitingDecision" && $0.lastFailure == "refused: notAllowed" })
            #expect(!told.health.contains { $0.hasSuffix("asked whether to let this node in") })
            // A further attempt may end without an answer, so the reason may be another one for a moment.
            try pest.awaitStatus("discover says so too") { _ in
                (try? pest.ask(DiscoverRequest()).nodes.map(\.why)) == [.refused]
            }
            #expect(try a.ask(StatusRequest()).peers.first { $0.name == "pest" }?.lastFailure == FailureText.keptOut)
            for node in [friend, pest, a] { try node.stop() }
        }
        for node in [friend, pest, a] { try await node.ended() }

        a = try await bench.start("a", [.input: "null", .admission: "ask"])
        address = try await NodeBench.onThread { [a] in try a.address() }
        let friendAgain = try await bench.start("friend", [.input: "null", .nick: "FOH", .peer: address])
        let pestAgain = try await bench.start("pest", [.input: "null", .nick: "pest", .peer: address])
        try await NodeBench.onThread { [a] in
            try a.awaitStatus("FOH is linked") { $0.peers.contains { $0.name == "FOH" && $0.trust == "verified" } }
            // Its event may come before the bench gets events.
            try friendAgain.awaitStatus("linked") { $0.mesh.linksUp == 1 }
            try pestAgain.awaitStatus("is told") { $0.health.contains { $0.hasSuffix("has denied this node") } }
            // A node that blocks another one misses no link with it.
            try pestAgain.ask(BlockRequest(peer: try a.ask(StatusRequest()).node.id))
            let health = try pestAgain.ask(StatusRequest()).health
            #expect(health.allSatisfy { !$0.hasSuffix("let this node in") && !$0.hasSuffix("denied this node") })
            #expect(try !a.eventsUntilNow().contains("invitation_asked"))
            // The missing link is no fault at the node that has denied the other one.
            #expect(try a.ask(StatusRequest()).health.allSatisfy { !$0.contains("pest") })
            let unlinked = try a.ask(DiscoverRequest()).nodes.first { $0.name == "pest" }
            #expect(unlinked?.why == .blocked && unlinked?.text.contains("partyline trust") == true)
            // The person decides otherwise, and trusts the key.
            #expect(try a.ask(TrustRequest(peer: "pest")).trust == "trusted")
            for node in [friendAgain, pestAgain, a] { try node.stop() }
        }
        for node in [friendAgain, pestAgain, a] { try await node.ended() }
    }

    @Test("a name that a linked node and a waiting one have means neither in any verb that decides; an id means one")
    func namesakes() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "null", .admission: "ask"])
        let friend = try await bench.start("friend", [.input: "null", .nick: "FOH"], peer: a)
        let own = try await NodeBench.onThread {
            try a.awaitStatus("the friend asks") { $0.peers.contains { $0.asksSinceS != nil } }
            let own = try a.ask(AcceptRequest(peer: "FOH")).id
            try friend.awaitEvent("peer_up")
            return own
        }
        let impostor = try await bench.start("impostor", [.input: "null", .nick: "FOH"], peer: a)
        try await NodeBench.onThread {
            try a.awaitStatus("the impostor asks") { $0.peers.contains { $0.asksSinceS != nil } }
            let asking = try #require(try a.ask(RequestsRequest()).requests.first)
            #expect(asking.id != own && asking.otherKey == own)
            #expect(throws: ControlClientError.self) { try a.ask(VerifyRequest(peer: "FOH")) }
            #expect(throws: ControlClientError.self) { try a.ask(ConfirmRequest(peer: "FOH")) }
            #expect(throws: ControlClientError.self) { try a.ask(TrustRequest(peer: "FOH")) }
            #expect(throws: ControlClientError.self) { try a.ask(ForgetRequest(peer: "FOH")) }
            #expect(throws: ControlClientError.self) { try a.ask(AcceptRequest(peer: "FOH")) }
            #expect(throws: ControlClientError.self) { try a.ask(DenyRequest(peer: "FOH")) }
            #expect(throws: ControlClientError.self) { try a.ask(BlockRequest(peer: "FOH")) }
            #expect(throws: ControlClientError.self) { try a.ask(UnblockRequest(peer: "FOH")) }
            #expect(throws: ControlClientError.self, "it does not ask") { try a.ask(AcceptRequest(peer: own)) }
            let denied = try a.ask(DenyRequest(peer: asking.shortId))
            #expect(denied.id == asking.id && denied.trust == "denied")
            let refusal = #expect(throws: ControlClientError.self) { try a.ask(AcceptRequest(peer: asking.shortId)) }
            #expect("\(try #require(refusal))".contains("denied, and `partyline trust \(asking.shortId)` lets it in"))
            let keys = try a.ask(KnownKeysRequest()).keys
            #expect(keys.first { $0.id == own }?.trust == "trusted")
            for node in [friend, impostor, a] { try node.stop() }
        }
        for node in [friend, impostor, a] { try await node.ended() }
    }

    @Test("a name is free for the next key as soon as the person has forgotten the key that had it and is gone")
    func forgottenName() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "null", .admission: "ask"])
        let former = try await bench.start("former", [.input: "null", .nick: "FOH"], peer: a)
        let gone = try await NodeBench.onThread {
            try a.awaitStatus("the former one asks") { $0.peers.contains { $0.asksSinceS != nil } }
            let gone = try a.ask(AcceptRequest(peer: "FOH")).id
            try a.awaitStatus("linked") { $0.mesh.linksUp == 1 }
            try former.stop()
            return gone
        }
        try await former.ended()
        let next = try await bench.start("next", [.input: "null", .nick: "FOH"], peer: a)
        try await NodeBench.onThread {
            try a.awaitStatus("the next one asks, and the former one is gone") { status in
                status.mesh.linksUp == 0 && status.peers.contains { $0.asksSinceS != nil }
            }
            #expect(throws: ControlClientError.self) { try a.ask(AcceptRequest(peer: "FOH")) }
            try a.ask(ForgetRequest(peer: gone))
            let asking = try #require(try a.ask(RequestsRequest()).requests.first)
            #expect(asking.id != gone && asking.otherKey == nil)
            #expect(try a.refusal(of: PriorityRequest(peer: "FOH", priority: true)) == nil)
            #expect(try a.ask(AcceptRequest(peer: "FOH")).id == asking.id)
            for node in [next, a] { try node.stop() }
        }
        for node in [next, a] { try await node.ended() }
    }

    @Test("a peer that was linked, and after a restart takes known keys only, is listed with its refusal")
    func knownFromNextStart() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "null"])
        let b = try await bench.start("b", [.input: "null"], peer: a)
        try await NodeBench.onThread {
            try a.awaitStatus("linked") { $0.mesh.linksUp == 1 }
            try b.stop()
        }
        try await b.ended()
        try await NodeBench.onThread {
            try a.awaitStatus("it has said good-bye") { $0.peers.map(\.presence) == ["left"] }
            #expect(try a.ask(DiscoverRequest()).nodes.isEmpty)
        }
        let again = try await bench.start("b", [.input: "null", .admission: "known"], peer: a)
        try await NodeBench.onThread {
            let status = try a.awaitStatus("is told") { $0.peers.map(\.lastFailure) == ["refused: notAllowed"] }
            #expect(status.peers.map(\.presence) == ["unmet"])
            #expect(try a.ask(DiscoverRequest()).nodes.map(\.why) == [.refused])
            for node in [again, a] { try node.stop() }
        }
        for node in [again, a] { try await node.ended() }
    }

    @Test("a node that takes known keys only asks nobody, and links to a key as soon as it is trusted")
    func known() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "null", .admission: "known"])
        let b = try await bench.start("b", [.input: "null"])
        let id = try await NodeBench.onThread { try b.ask(StatusRequest()).node.id }
        _ = try await NodeBench.onThread { try a.ask(TrustRequest(peer: id)) }
        let c = try await bench.start("c", [.input: "null"], peer: a)
        try await NodeBench.onThread {
            try c.awaitStatus("is told") { $0.health.contains { $0.hasSuffix("has denied this node") } }
            #expect(try a.ask(RequestsRequest()).requests.isEmpty)
            #expect(try !a.eventsUntilNow().contains("invitation_asked"))
            #expect(try a.ask(KnownKeysRequest()).keys.map(\.id) == [id])
            for node in [b, c, a] { try node.stop() }
        }
        for node in [b, c, a] { try await node.ended() }
    }
}
