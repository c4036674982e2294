import NodeRuntime
import TestKit
import Testing

@Suite("the profile that a whole node keeps", .serialized, .timeLimit(.minutes(1)))
struct KeptProfileTests {
    @Test("a chosen colour is kept, and the name that nobody chose is that of the next start")
    func chosen() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "null"])
        try await NodeBench.onThread {
            try a.ask(IntroduceRequest(ProfileWords(colour: "amber")))
            #expect(try a.ask(StatusRequest()).node.name == "a")
            try a.stop()
        }
        try await a.ended()
        let crew = try bench.write("[role.fly]", to: "crew.toml")
        let again = try await bench.start("a", [.input: "null", .crew: crew, .role: "fly"])
        try await NodeBench.onThread {
            let profile = try again.ask(StatusRequest()).node.profile
            #expect(profile == ProfileWords(nick: "fly", role: "fly", colour: "#ffb300"))
            try again.stop()
        }
        try await again.ended()
    }

    @Test("a name that a person chooses is kept also where it is the present one")
    func same() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "null"])
        try await NodeBench.onThread {
            try a.ask(IntroduceRequest(ProfileWords(nick: "a")))
            try a.stop()
        }
        try await a.ended()
        let crew = try bench.write("[role.fly]", to: "crew.toml")
        let again = try await bench.start("a", [.input: "null", .crew: crew, .role: "fly"])
        try await NodeBench.onThread {
            #expect(try again.ask(StatusRequest()).node.name == "a")
            try again.stop()
        }
        try await again.ended()
    }
}
