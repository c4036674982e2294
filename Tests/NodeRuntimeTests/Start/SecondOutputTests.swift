import ControlPlane
import FileAudio
import Foundation
import NodeRuntime
import Testing

/// Whole nodes with a loudspeaker beside the headset, and with programme.
@Suite("mixes of a whole node", .serialized, .timeLimit(.minutes(1)))
struct SecondOutputTests {
    @Test("each output has its channels, at its level, and the second one changes its device while it runs")
    func second() async throws {
        let bench = try NodeBench()
        let folder = "/tmp/partyline-test-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let b = try await bench.start(
            "b",
            [
                .input: "null", .channel: "main", .loudness: "off", .output2: "file:\(folder)/one.wav",
                .output2Channel: "stage", .output2Level: "-6",
            ])
        let address = try await NodeBench.onThread { try b.address() }
        let a = try await bench.start("a", [.input: "tone:440", .talk: "open", .channel: "main", .peer: address])
        let c = try await bench.start("c", [.input: "tone:1000", .talk: "open", .channel: "stage", .peer: address])
        try await NodeBench.onThread {
            try b.ask(JoinRequest(channel: "stage"))
            try b.awaitStatus("both are heard") { status in
                status.peers.filter { -40 < $0.levelDbfs ?? -100 }.count == 2 && status.audio.output2 != nil
            }
            Thread.sleep(forTimeInterval: 1)
            try b.ask(DeviceSetRequest(side: .output2, device: "file:\(folder)/two.wav"))
            #expect(throws: ControlClientError.self, "there is one output") {
                try a.ask(DeviceSetRequest(side: .output2, device: "null"))
            }
            Thread.sleep(forTimeInterval: 1)
            let status = try b.ask(StatusRequest())
            #expect(status.audio.output2 == "file:\(folder)/two.wav" && status.audio.state == "running")
            for node in [a, b, c] { try node.stop() }
        }
        for node in [a, b, c] { try await node.ended() }
        let first = try bench.heard(by: "b")
        let stage = first.level(of: 1_000, whereLoud: 440)
        #expect(-20 < first.level(of: 440) && -20 < stage)
        for name in ["one", "two"] {
            let second = HeardSound(try WaveFile.load("\(folder)/\(name).wav").samples)
            #expect(abs(second.level(of: 1_000) - stage + 6) < 0.5, "\(second.level(of: 1_000)) against \(stage) dBFS")
            #expect(second.level(of: 440, whereLoud: 1_000) < -60)
        }
    }
}
