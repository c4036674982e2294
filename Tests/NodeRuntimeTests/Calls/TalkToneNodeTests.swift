import Foundation
import NodeRuntime
import TestKit
import Testing

/// Whole nodes whose person wants, or does not want, a tone of the own talk.
@Suite("the tone of the own talk in a node", .serialized, .timeLimit(.minutes(1)))
struct TalkToneNodeTests {
    /// The levels of both notes in the output of a node whose key was pressed and released once, in dBFS.
    private static func levels(_ settings: [RunKey: String]) async throws -> (begun: Double, ended: Double) {
        let bench = try NodeBench()
        let node = try await bench.start("a", settings.merging([.input: "null"]) { $1 })
        try await NodeBench.onThread {
            // Before its device runs, a node plays into nothing.
            try node.awaitStatus("the output runs") { $0.audio.state == "running" }
            try node.talk(.on)
            try node.talk(.off)
            // Both notes take 120 ms to sound.
            Thread.sleep(forTimeInterval: 0.6)
            try node.stop()
        }
        try await node.ended()
        let heard = try bench.heard(by: "a")
        return (heard.level(of: 880), heard.level(of: 440))
    }

    @Test("a key that goes down and up has two soft notes where its person wants them")
    func wanted() async throws {
        let levels = try await Self.levels([.tones: "call,talk"])
        #expect(abs(levels.begun + 30) < 1.5 && abs(levels.ended + 30) < 1.5, "\(levels)")
    }

    @Test("a key is silent where its person has not asked, and where the voice works it", arguments: ["ptt", "vox"])
    func unwanted(mode: String) async throws {
        let levels = try await Self.levels(mode == "vox" ? [.tones: "talk", .talk: mode] : [.talk: mode])
        #expect(levels.begun < -60 && levels.ended < -60, "\(levels)")
    }
}
