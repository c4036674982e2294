import ControlPlane
import Foundation
import NodeRuntime
import TestKit
import Testing

/// Whole nodes whose person wants, or does not want, a tone for what a peer does.
@Suite("the tones for what peers do, in a node", .serialized, .timeLimit(.minutes(1)))
struct PeerToneNodeTests {
    /// The levels of the low, the high and the top note in the output of a node, in dBFS.
    private static func notes(_ heard: HeardSound) -> [Double] { [440, 660, 880].map { heard.level(of: $0) } }

    /// Waits until all notes of a tone have sounded: three notes take 180 ms.
    private static func hearOut() { Thread.sleep(forTimeInterval: 0.6) }

    /// What a node with these tones hears when another one comes to its channel, and perhaps parts it.
    private static func visit(tones: String, parts: Bool) async throws -> [Double] {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "null", .tones: tones])
        // Before its device runs, a node plays into nothing.
        _ = try await NodeBench.onThread { try a.awaitStatus("the output runs") { $0.audio.state == "running" } }
        let b = try await bench.start("b", [.input: "null"], peer: a)
        try await NodeBench.onThread {
            try a.awaitEvent("channel_joined")
            if parts {
                try b.ask(PartRequest(channel: "main"))
                try a.awaitEvent("channel_left")
            }
            Self.hearOut()
            for node in [a, b] { try node.stop() }
        }
        for node in [a, b] { try await node.ended() }
        return notes(try bench.heard(by: "a"))
    }

    @Test(
        "a peer that joins a channel, and one that leaves it, has a tone where the person wants it",
        arguments: [("join", false), ("leave", true)])
    func visitor(tones: String, parts: Bool) async throws {
        let notes = try await Self.visit(tones: tones, parts: parts)
        #expect(notes[0] < -60 && notes[1...].allSatisfy { abs($0 + 30) < 1.5 }, "\(notes)")
    }

    @Test(
        "a peer that joins or leaves a channel is silent where the person has not asked for that tone",
        arguments: [("leave", false), ("call,urgent,busy", true)])
    func unwantedVisitor(tones: String, parts: Bool) async throws {
        let notes = try await Self.visit(tones: tones, parts: parts)
        #expect(notes.allSatisfy { $0 < -60 }, "\(notes)")
    }

    /// What a node with these tones hears when its key goes down. It does not hear the peer, which it has muted.
    /// - Parameters:
    ///   - isTaken: whether the peer talks on the channel main meanwhile.
    ///   - channel: where the key speaks.
    private static func press(tones: String, isTaken: Bool, on channel: String) async throws -> [Double] {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "null", .tones: tones])
        let b = try await bench.start("b", [.input: "tone:1000", .talk: "latch"], peer: a)
        try await NodeBench.onThread {
            for node in [a, b] { try node.awaitStatus("linked") { $0.mesh.linksUp == 1 } }
            try a.ask(MuteRequest(peer: "b", muted: true))
            try a.ask(JoinRequest(channel: channel))
            try a.ask(TalkOnRequest(channels: [channel]))
            if isTaken {
                try b.talk(.on)
                try a.awaitStatus("b talks") { -40 < $0.peers.first?.levelDbfs ?? -100 }
            }
            try a.awaitStatus("the output runs") { $0.audio.state == "running" }
            try a.talk(.on)
            Self.hearOut()
            for node in [a, b] { try node.stop() }
        }
        for node in [a, b] { try await node.ended() }
        return notes(try bench.heard(by: "a"))
    }

    @Test("a key that goes down has the busy tone where somebody talks on its channel")
    func busy() async throws {
        let notes = try await Self.press(tones: "busy", isTaken: true, on: "main")
        #expect(abs(notes[0] + 30) < 1.5 && notes[1...].allSatisfy { $0 < -60 }, "\(notes)")
    }

    @Test(
        "a key that goes down is silent on a free channel, on one beside the talk, and where no busy tone is wanted",
        arguments: [("busy", false, "main"), ("busy", true, "lights"), ("call,urgent", true, "main")])
    func notBusy(tones: String, isTaken: Bool, channel: String) async throws {
        let notes = try await Self.press(tones: tones, isTaken: isTaken, on: channel)
        #expect(notes.allSatisfy { $0 < -60 }, "\(notes)")
    }
}
