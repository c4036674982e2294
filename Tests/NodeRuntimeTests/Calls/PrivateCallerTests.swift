import ControlPlane
import NodeRuntime
import Testing

/// Whole nodes that speak privately to one of them, the desk.
@Suite("the peer to which a reply goes", .serialized, .timeLimit(.minutes(1)))
struct PrivateCallerTests {
    @Test("a reply goes to the friend that was heard, not to peers that send silence or are muted")
    func heard() async throws {
        let bench = try NodeBench()
        let desk = try await bench.start("desk", [.input: "null"])
        let friend = try await bench.start("friend", [.input: "tone:440"], peer: desk)
        let silent = try await bench.start("silent", [.input: "null"], peer: desk)
        let muted = try await bench.start("muted", [.input: "tone:550"], peer: desk)
        try await NodeBench.onThread {
            func awaitTalk(_ names: Set<String>) throws {
                try desk.awaitStatus("\(names) talk privately") { status in
                    Set(status.peers.filter { $0.talksTo == "you" }.map(\.name)) == names
                }
            }
            for node in [friend, silent, muted] { try node.awaitStatus("linked") { 1 <= $0.mesh.linksUp } }
            try desk.awaitStatus("linked") { $0.mesh.linksUp == 3 }
            try desk.ask(MuteRequest(peer: "muted", muted: true))
            for node in [silent, muted] { try node.ask(PrivateRequest(peer: "desk", isDown: true)) }
            try awaitTalk(["silent", "muted"])
            #expect(try desk.ask(CallsRequest()).lastCaller == nil)
            try friend.ask(PrivateRequest(peer: "desk", isDown: true))
            try desk.awaitStatus("the friend is heard") { _ in
                (try? desk.ask(CallsRequest()))?.lastCaller == "friend"
            }
            try friend.ask(PrivateRequest(peer: "desk", isDown: false))
            try awaitTalk(["silent", "muted"])
            #expect(try desk.ask(ReplyRequest(isDown: true)).replyTo == "friend")
            for node in [desk, friend, silent, muted] { try node.stop() }
        }
        for node in [desk, friend, silent, muted] { try await node.ended() }
    }
}
