import ControlPlane
import NodeRuntime
import Testing

@Suite("Priority by role", .serialized, .timeLimit(.minutes(1)))
struct PriorityByRoleTests {
    private let bench: NodeBench

    init() throws { bench = try NodeBench() }

    /// Two linked nodes: a has the role, and b grants priority by it.
    private func pair() async throws -> (a: NodeUnderTest, b: NodeUnderTest) {
        let a = try await bench.start("a", [.input: "null", .role: "Stage manager"])
        let address = try await NodeBench.onThread { try a.address() }
        var options = try bench.options(of: "b", [.input: "null", .peer: address])
        options.grants.priority = .roles(["stage manager"])
        let b = try await NodeUnderTest(options)
        try await NodeBench.onThread {
            for node in [a, b] { try node.awaitStatus("linked") { $0.mesh.linksUp == 1 } }
        }
        return (a, b)
    }

    @Test("a trusted key with the role has priority at once, until it loses the trust or has another role")
    func granted() async throws {
        let (a, b) = try await pair()
        try await NodeBench.onThread {
            func has(_ wanted: Bool, _ words: String) throws {
                try b.awaitStatus(words) { $0.peers.contains { $0.mix?.priority == wanted } }
            }
            try b.awaitStatus("the role is known") { $0.peers.contains { $0.profile.role == "Stage manager" } }
            try has(false, "anybody may claim the role")
            try b.ask(TrustRequest(peer: "a"))
            try has(true, "the key is trusted")
            try a.ask(IntroduceRequest(ProfileWords(role: "lights")))
            try has(false, "another role")
            try a.ask(IntroduceRequest(ProfileWords(role: "stage manager")))
            try has(true, "the role again")
            try b.ask(ForgetRequest(peer: "a"))
            try has(false, "the key is forgotten")
            for node in [a, b] { try node.stop() }
        }
        for node in [a, b] { try await node.ended() }
    }

    @Test("a person gives priority besides; taking it back is refused while the role has it")
    func besides() async throws {
        let (a, b) = try await pair()
        try await NodeBench.onThread {
            try b.ask(PriorityRequest(peer: "a", priority: true))
            try b.awaitStatus("by name") { $0.peers.contains { $0.mix?.priority == true } }
            try b.ask(PriorityRequest(peer: "a", priority: false))
            try b.awaitStatus("no more") { $0.peers.contains { $0.mix?.priority == false } }
            try b.ask(TrustRequest(peer: "a"))
            try b.awaitStatus("by its role") { $0.peers.contains { $0.mix?.priority == true } }
            try b.ask(PriorityRequest(peer: "a", priority: true))
            do {
                try b.ask(PriorityRequest(peer: "a", priority: false))
                Issue.record("priority by role was taken back")
            } catch ControlClientError.refused(let failure) {
                #expect(failure.message.contains("grant-priority"))
            }
            try a.ask(IntroduceRequest(ProfileWords(role: "lights")))
            let status = try b.awaitStatus("another role") { $0.peers.contains { $0.profile.role == "lights" } }
            #expect(status.peers.first?.mix?.priority == true, "the wish of the person was kept")
            for node in [a, b] { try node.stop() }
        }
        for node in [a, b] { try await node.ended() }
    }
}
