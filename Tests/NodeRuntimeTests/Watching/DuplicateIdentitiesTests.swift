import Foundation
import Mesh
import NodeRuntime
import Primitives
import Testing

@Suite("Two nodes with one identity", .serialized, .timeLimit(.minutes(1)))
struct DuplicateIdentitiesTests {
    private func node(_ number: Int) -> NodeID { NodeID(words: (UInt64(number), 2, 3, 4)) }

    @Test("people are told once, and again where no refusal came for a minute")
    func once() {
        var duplicates = DuplicateIdentities()
        func isNews(_ number: Int, at seconds: Int64) -> Bool {
            duplicates.note(node(number), now: .zero + .seconds(seconds))
        }
        #expect(isNews(1, at: 0) && !isNews(1, at: 30) && !isNews(1, at: 89) && isNews(2, at: 89))
        #expect(duplicates.contains(node(1), now: .zero + .seconds(148)))
        #expect(!duplicates.contains(node(1), now: .zero + .seconds(149)) && isNews(1, at: 149))
        for number in 10..<10 + DuplicateIdentities.countMax { #expect(isNews(number, at: 150)) }
        #expect(isNews(1, at: 151), "one more takes the place of the oldest")
        duplicates.end(node(1))
        #expect(!duplicates.contains(node(1), now: .zero + .seconds(151)))
        #expect(duplicates.contains(node(20), now: .zero + .seconds(151)), "the end of one is not that of others")
    }

    @Test("a status says where the other node is, and since when; its line of health names the remedy too")
    func words() {
        let since = Instant.zero + .seconds(180)
        func finding(_ seen: SeenDuplicate?, isRefused: Bool) -> String {
            DuplicateIdentities.finding(seen, isRefused: isRefused) { $0 == since ? "14:03" : "another time" }
        }
        let seen = SeenDuplicate(at: IPAddress(v4: 0x0A00_0009), now: since)
        let start = "another node runs with the identity of this one"
        #expect(finding(seen, isRefused: false) == "\(start), at 10.0.0.9 since 14:03")
        let refused = finding(nil, isRefused: true)
        #expect(refused == "\(start), and the others refuse this one")
        #expect(DuplicateIdentities.line(of: refused) == "identity: \(refused); \(DuplicateIdentities.remedy)")
    }

    @Test("the later one says so in its status, and a node that both want to link with by an event")
    func told() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "null"])
        let address = try await NodeBench.onThread { try a.address() }
        let settings: [RunKey: String] = [.input: "null", .nick: "Carla", .peer: address]
        let original = try await bench.start("original", settings)
        let folders = try ["original", "twin"].map { try bench.options(of: $0, [:]).stateDirectory }
        try await NodeBench.onThread {
            try original.awaitStatus("linked") { $0.mesh.linksUp == 1 }
            try FileManager.default.copyItem(atPath: folders[0], toPath: folders[1])
        }
        let twin = try await bench.start("twin", settings)
        try await NodeBench.onThread {
            let told = try twin.awaitStatus("told") { status in
                status.health.contains { $0.hasPrefix("identity: another node runs with") }
            }
            #expect(told.health.count { $0.hasPrefix("identity: ") } == 1)
            #expect(told.node.duplicate.map { told.health.contains(DuplicateIdentities.line(of: $0)) } == true)
            #expect(told.health.contains { $0.hasSuffix("another identity: `partyline identity reset`") })
            try a.awaitEvent("duplicate_identity")
            #expect(try original.ask(StatusRequest()).mesh.linksUp == 1)
            try original.stop()
            // The refused node waits for up to eight seconds. As soon as it is linked, it no longer reports a refusal.
            try twin.awaitStatus("is about to try again") { $0.peers.contains { ($0.retryInS ?? 0) < 2 } }
            try twin.awaitStatus("linked") { $0.mesh.linksUp == 1 }
            #expect(try twin.ask(StatusRequest()).node.duplicate == nil)
            for node in [twin, a] { try node.stop() }
        }
        for node in [twin, original, a] { try await node.ended() }
    }
}
