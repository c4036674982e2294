import ControlPlane
import Foundation
import NodeRuntime
import TestKit
import Testing

/// A person changes the devices of a whole node.
@Suite("devices of a whole node", .serialized, .timeLimit(.minutes(1)))
struct DeviceSetTests {
    @Test("speech goes on from another input without a restart, a wrong device is refused, and the change is told")
    func whileRunning() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "tone:440", .talk: "open"])
        let b = try await bench.start("b", [.input: "null"], peer: a)
        try await NodeBench.onThread {
            try b.awaitStatus("a is heard") { -40 < $0.peers.first?.levelDbfs ?? -100 }
            let instance = try a.ask(StatusRequest()).node.instance
            for (side, device) in [
                (DeviceSetRequest.Side.input, "alsa:no-such-card"), (.output, "tone:440"), (.input, "file:here.wav"),
                (.input, "file:/nowhere/in.wav"), (.output, "file:/nowhere/out.wav"),
            ] {
                #expect(throws: ControlClientError.self, "\(device)") {
                    try a.ask(DeviceSetRequest(side: side, device: device))
                }
            }
            #expect(try a.ask(StatusRequest()).audio.input == "tone:440")
            try a.ask(DeviceSetRequest(side: .input, device: "tone:1000"))
            let status = try a.awaitStatus("the input is another") { $0.audio.input == "tone:1000" }
            #expect(status.node.instance == instance && status.audio.state == "running")
            try a.awaitEvent("device_changed")
            Thread.sleep(forTimeInterval: 0.7)
            try b.awaitStatus("a is heard on") { -40 < $0.peers.first?.levelDbfs ?? -100 }
            for node in [a, b] { try node.stop() }
        }
        for node in [a, b] { try await node.ended() }
        let heard = try bench.heard(by: "b")
        #expect(-35 < heard.level(of: 440) && -35 < heard.level(of: 1_000))
    }

    @Test("a changed device is kept for the next start, unless the settings name one")
    func kept() async throws {
        let bench = try NodeBench()
        for (settings, device) in [([:], "alsa:default"), ([:], "tone:400"), ([RunKey.input: "null"], "null")] {
            let a = try await bench.start("a", settings)
            try await NodeBench.onThread {
                #expect(try a.ask(StatusRequest()).audio.input == device)
                try a.ask(DeviceSetRequest(side: .input, device: "tone:400"))
                #expect(try a.ask(StatusRequest()).audio.input == "tone:400")
                try a.stop()
            }
            try await a.ended()
        }
    }

    @Test("to choose the present device is no change, and a missing device is opened or refused")
    func unchanged() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "alsa:no-such-card"])
        try await NodeBench.onThread {
            let missing = try a.refusal(of: DeviceSetRequest(side: .input, device: "alsa:no-such-card"))
            #expect(missing?.contains("is not used") == true)
            try a.ask(DeviceSetRequest(side: .input, device: "tone:400"))
            try a.awaitEvent("device_changed")
            try a.ask(DeviceSetRequest(side: .input, device: "tone:400"))
            #expect(try a.eventsUntilNow().count { $0 == "device_changed" } == 1)
            try a.stop()
        }
        try await a.ended()
    }

    @Test("echo cancellation keeps both devices on one clock")
    func oneClock() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "null", .echoCancel: "true"])
        try await NodeBench.onThread {
            #expect(throws: ControlClientError.self) {
                try a.ask(DeviceSetRequest(side: .input, device: "alsa:default"))
            }
            try a.ask(DeviceSetRequest(side: .input, device: "tone:400"))
            try a.stop()
        }
        try await a.ended()
    }
}
