import ControlPlane
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

    @Test("a name, a role and a channel that the next start does not have are told as such")
    func untilNextStart() async throws {
        let bench = try NodeBench()
        let text = "[[channel]]\nname = \"main\"\n[role.fly]\nnick = \"Fly\"\nchannels = [\"main\"]\n"
        let crew = try bench.write(text, to: "crew.toml")
        let a = try await bench.start("a", [.input: "null", .crew: crew, .role: "fly"])
        try await NodeBench.onThread {
            let named = try a.ask(IntroduceRequest(ProfileWords(nick: "Ann", colour: "amber")))
            let other = "its options or files name another one"
            #expect(named.warnings == ["this node has this nick until its next start: \(other)"])
            #expect(try a.ask(IntroduceRequest(ProfileWords(nick: "Fly"))).warnings == nil)
            #expect(try a.ask(JoinRequest(channel: "main", levelDb: -3)).warnings == nil)
            let joined = try a.ask(JoinRequest(channel: "lights")).warnings
            let reason = "its options or files name its channels"
            #expect(joined?.last == "this node is on channel lights until its next start: \(reason)")
            try a.stop()
        }
        try await a.ended()
        let b = try await bench.start("b", [.input: "null"])
        try await NodeBench.onThread {
            #expect(try b.ask(IntroduceRequest(ProfileWords(nick: "Ann"))).warnings == nil)
            let keyless = KeylessChannels.note(on: "lights", spokenOn: ["main"])
            #expect(try b.ask(JoinRequest(channel: "lights")).warnings == [keyless])
            try b.stop()
        }
        try await b.ended()
    }
}
