import ControlPlane
import Foundation
import NodeRuntime
import Primitives
import Testing

/// Whole nodes, of which one takes the name of another.
@Suite("Names under other keys", .serialized, .timeLimit(.minutes(1)))
struct KnownKeyNodeTests {
    @Test("a verb at the node itself is told so, by its name in any letters, and by its id")
    func ownName() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "null", .nick: "LX"])
        try await NodeBench.onThread {
            let id = try a.ask(StatusRequest()).node.shortId
            for name in ["LX", "lx", id] {
                let failure = "'\(name)' is this node; `partyline peers` lists the others"
                #expect(try a.refusal(of: CallMakeRequest(peer: name)) == failure)
                #expect(try a.refusal(of: PriorityRequest(peer: name, priority: true)) == failure)
                #expect(try a.refusal(of: ForgetRequest(peer: name)) == failure)
            }
            let wholeID = try a.ask(StatusRequest()).node.id
            #expect(try a.refusal(of: TrustRequest(peer: wholeID))?.contains("is this node") == true)
            #expect(try a.ask(KnownKeysRequest()).keys.isEmpty)
            #expect(try a.refusal(of: CallMakeRequest(peer: "SM"))?.hasPrefix("no peer 'SM'") == true)
            try a.stop()
        }
        try await a.ended()
    }

    @Test("a key that was never met may be trusted, blocked and forgotten, and unblocked by its id after all that")
    func blockedAndForgotten() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "null"])
        let stranger = NodeID(words: (1, 2, 3, 4)).text
        try await NodeBench.onThread {
            #expect(throws: ControlClientError.self) { try a.ask(UnblockRequest(peer: stranger)) }
            #expect(try a.ask(TrustRequest(peer: stranger)).trust == "trusted")
            try a.ask(BlockRequest(peer: stranger))
            #expect(try a.ask(KnownKeysRequest()).keys.map(\.blocked) == [true])
            #expect(try a.ask(ForgetRequest(peer: stranger)).blocked, "forget does not end a block")
            #expect(try a.ask(KnownKeysRequest()).keys.isEmpty)
            #expect(try a.ask(UnblockRequest(peer: stranger)).id == stranger)
            #expect(throws: ControlClientError.self, "it is no more than a stranger") {
                try a.ask(UnblockRequest(peer: stranger))
            }
            try a.stop()
        }
        try await a.ended()
    }

    @Test(
        "a known name under another key is told, marked and warned of until the person trusts it, also after a restart")
    func impostor() async throws {
        let bench = try NodeBench()
        var a = try await bench.start("a", [.input: "null"])
        var address = try await NodeBench.onThread { [a] in try a.address() }
        let friend = try await bench.start("friend", [.input: "null", .nick: "FOH", .peer: address])
        try await NodeBench.onThread { [a] in
            try a.awaitEvent("peer_up")
            #expect(try a.ask(StatusRequest()).peers.first?.otherKey == nil)
            for node in [friend, a] { try node.stop() }
        }
        for node in [friend, a] { try await node.ended() }

        a = try await bench.start("a", [.input: "null"])
        address = try await NodeBench.onThread { [a] in try a.address() }
        let impostor = try await bench.start("impostor", [.input: "null", .nick: "F0H", .peer: address])
        try await NodeBench.onThread { [a] in
            try a.awaitEvent("key_changed")
            let known = try a.ask(KnownKeysRequest()).keys
            let former = try #require(known.first { $0.name == "FOH" })
            let status = try a.ask(StatusRequest())
            let peer = try #require(status.peers.first { $0.name == "F0H" })
            #expect(peer.otherKey == former.id && peer.trust == "met" && former.trust == "met" && !former.here)
            #expect(status.health.contains { $0.contains("F0H (\(peer.shortId)) has another key than FOH") })
            // The list of its channels comes after the event.
            try a.awaitChannels("the mark in the channels") { list in
                list.channels.contains { $0.members == ["?F0H"] }
            }
            #expect(try a.ask(KeysRequest()).keys.first?.reaches == ["?F0H"])
            #expect(known.first { $0.name == "F0H" }?.otherKey == former.id)
            // F0H and FOH look alike, and are two names for a verb.
            #expect(try a.ask(TrustRequest(peer: "f0h")).id == peer.id)
            #expect(try a.ask(StatusRequest()).peers.first { $0.name == "F0H" }?.otherKey == nil)
            #expect(try a.ask(ForgetRequest(peer: "F0H")).trust == nil)
            #expect(try a.ask(StatusRequest()).peers.first { $0.name == "F0H" }?.otherKey == former.id)
            #expect(try a.ask(ForgetRequest(peer: former.shortId)).kept)
            #expect(try a.ask(StatusRequest()).peers.first { $0.name == "F0H" }?.otherKey == nil)
            #expect(throws: ControlClientError.self) { try a.ask(ForgetRequest(peer: former.shortId)) }
            let blocked = try a.ask(BlockRequest(peer: "F0H"))
            #expect(blocked.id == peer.id && blocked.name == "F0H")
            // A node that was never met is trusted by its whole id.
            #expect(try a.ask(TrustRequest(peer: former.id)).trust == "trusted")
            #expect(throws: ControlClientError.self) { try a.ask(TrustRequest(peer: "nobody")) }
            for node in [impostor, a] { try node.stop() }
        }
        for node in [impostor, a] { try await node.ended() }
    }

    @Test("the mark and the warning of a known name under another key outlive its link, until the person decides")
    func impostorGone() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "null"])
        let friend = try await bench.start("friend", [.input: "null", .nick: "FOH"], peer: a)
        try await NodeBench.onThread {
            try a.awaitStatus("the friend is linked") { $0.mesh.linksUp == 1 }
            try friend.stop()
        }
        try await friend.ended()
        let impostor = try await bench.start("impostor", [.input: "null", .nick: "F0H"], peer: a)
        try await NodeBench.onThread {
            try a.awaitEvent("key_changed")
            try impostor.stop()
        }
        try await impostor.ended()
        try await NodeBench.onThread {
            func suspect(_ status: StatusDocument) -> StatusDocument.Peer? {
                status.peers.first { $0.name == "F0H" && $0.otherKey != nil }
            }
            let status = try a.awaitStatus("gone, and a suspect still") { $0.mesh.linksUp == 0 && suspect($0) != nil }
            let peer = try #require(suspect(status))
            #expect(status.health.contains { $0.contains("another key than FOH") })
            try a.ask(BlockRequest(peer: peer.id))
            #expect(suspect(try a.ask(StatusRequest())) == nil)
            #expect(try a.ask(KnownKeysRequest()).keys.first { $0.name == "F0H" }?.otherKey == nil)
            #expect(try a.ask(TrustRequest(peer: peer.id)).blocked, "trust does not end a block")
            try a.stop()
        }
        try await a.ended()
    }

    @Test("a talk key, private talk and a call for a name never reach an impostor, until the person trusts it")
    func keyForAName() async throws {
        let bench = try NodeBench()
        let crew = try bench.write("[[role.desk.key]]\nname = \"word\"\npeers = [\"FOH\"]\n", to: "crew.toml")
        let a = try await bench.start("a", [.input: "null", .crew: crew, .role: "desk"])
        let friend = try await bench.start("friend", [.input: "null", .nick: "FOH"], peer: a)
        try await NodeBench.onThread {
            try a.awaitStatus("the friend is linked") { $0.mesh.linksUp == 1 }
            #expect(try a.ask(KeysRequest()).keys.first?.reaches == ["FOH"])
        }
        let impostor = try await bench.start("impostor", [.input: "null", .nick: "FOH"], peer: a)
        try await NodeBench.onThread {
            try a.awaitEvent("key_changed")
            try friend.stop()
        }
        try await friend.ended()
        try await NodeBench.onThread {
            // `linksUp` counts links that are being verified, too.
            let status = try a.awaitStatus("the impostor alone is there") { status in
                status.mesh.linksUp == 1 && status.peers.contains { $0.state == "up" && $0.otherKey != nil }
            }
            #expect(try a.ask(KeysRequest()).keys.first?.reaches == [])
            let peer = try #require(status.peers.first { $0.state == "up" && $0.otherKey != nil })
            let warning = "has another key than the FOH known here"
            #expect(try a.refusal(of: PrivateRequest(peer: "foh", isDown: true))?.contains(warning) == true)
            #expect(try a.refusal(of: CallMakeRequest(peer: "FOH"))?.contains(warning) == true)
            #expect {
                try a.ask(PingRequest(peer: "FOH"))
            } throws: { error in
                guard case .refused(let failure)? = error as? ControlClientError else { return false }
                return failure.code == .ambiguousPeer && failure.message.contains(warning)
            }
            #expect(try a.refusal(of: CallMakeRequest(peer: peer.id)) == nil, "its id means it alone")
            try a.ask(TrustRequest(peer: peer.id))
            #expect(try a.ask(KeysRequest()).keys.first?.reaches == ["FOH"])
            #expect(try a.refusal(of: PrivateRequest(peer: "FOH", isDown: true)) == nil)
            for node in [impostor, a] { try node.stop() }
        }
        for node in [impostor, a] { try await node.ended() }
    }

    @Test("a node that is gone and forgotten is listed no more, until it is linked again")
    func forgottenAndGone() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "null"])
        let friend = try await bench.start("friend", [.input: "null"], peer: a)
        try await NodeBench.onThread {
            try a.awaitStatus("linked") { $0.mesh.linksUp == 1 }
            try friend.stop()
        }
        try await friend.ended()
        try await NodeBench.onThread {
            try a.awaitStatus("gone, and listed still") { $0.mesh.linksUp == 0 && $0.peers.count == 1 }
            try a.ask(ForgetRequest(peer: "friend"))
            #expect(try a.ask(StatusRequest()).peers.isEmpty)
        }
        let again = try await bench.start("friend", [.input: "null"], peer: a)
        try await NodeBench.onThread {
            try a.awaitStatus("linked and listed") { $0.mesh.linksUp == 1 && $0.peers.count == 1 }
            for node in [again, a] { try node.stop() }
        }
        for node in [again, a] { try await node.ended() }
    }

    @Test("after a restart a known peer that is off still has its name, in lists and for verbs")
    func absentAfterRestart() async throws {
        let bench = try NodeBench()
        let friend = try await bench.start("friend", [.input: "null"])
        let a = try await bench.start("a", [.input: "null"], peer: friend)
        try await NodeBench.onThread {
            try a.awaitStatus("linked") { $0.mesh.linksUp == 1 }
            for node in [friend, a] { try node.stop() }
        }
        for node in [friend, a] { try await node.ended() }
        // A node without discovery looks for no peer of an earlier start.
        let again = try await bench.start("a", [.input: "null", .discovery: "beacon"])
        try await NodeBench.onThread {
            try again.awaitStatus("the friend is listed") { $0.peers.map(\.name) == ["friend"] }
            #expect(try again.refusal(of: CallMakeRequest(peer: "friend"))?.hasPrefix("no link to friend: ") == true)
            try again.stop()
        }
        try await again.ended()
    }

    @Test("a node that has blocked another one is healthy, although others are linked with that one")
    func ownBlock() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "null"])
        let b = try await bench.start("b", [.input: "null"], peer: a)
        let c = try await bench.start("c", [.input: "null"], peer: a)
        try await NodeBench.onThread {
            for node in [a, b, c] { try node.awaitStatus("all are linked") { $0.mesh.linksUp == 2 && !$0.isDegraded } }
            try a.ask(BlockRequest(peer: "c"))
            let status = try a.awaitStatus("healthy without it") { $0.mesh.linksUp == 1 && !$0.isDegraded }
            #expect(status.peers.contains { $0.name == "c" && $0.blocked })
            try b.awaitStatus("it says who is not linked") { $0.mesh.linksUp == 2 && !$0.mesh.cliqueComplete }
            for node in [a, b, c] { try node.stop() }
        }
        for node in [a, b, c] { try await node.ended() }
    }

    @Test("two linked nodes of one name are degraded, and say it until one takes another name")
    func namesakes() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "null", .nick: "LX"])
        let b = try await bench.start("b", [.input: "null", .nick: "b"], peer: a)
        try await NodeBench.onThread {
            try b.awaitStatus("linked") { $0.mesh.linksUp == 1 }
            func isNamesake(_ status: StatusDocument) -> Bool {
                status.health.contains { $0.contains("has the name of this node") }
            }
            #expect(!isNamesake(try b.ask(StatusRequest())))
            try b.ask(IntroduceRequest(ProfileWords(nick: "lx")))
            for node in [a, b] { try node.awaitStatus("says it", until: isNamesake) }
            try a.awaitEvent("key_changed")
            try b.ask(IntroduceRequest(ProfileWords(nick: "SM")))
            for node in [a, b] { try node.awaitStatus("says it no more") { !isNamesake($0) } }
            for node in [a, b] { try node.stop() }
        }
        for node in [a, b] { try await node.ended() }
    }
}
