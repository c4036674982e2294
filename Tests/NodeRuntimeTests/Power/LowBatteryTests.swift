import ControlPlane
import Foundation
import NodeRuntime
import Testing

@Suite("A node on a low battery", .serialized, .timeLimit(.minutes(1)))
struct LowBatteryTests {
    @Test("an event tells of it, and the status warns and shows the charge")
    func low() async throws {
        let bench = try NodeBench()
        var options = try bench.options(of: "a", [.input: "null"])
        let root = options.stateDirectory + "-power"
        try FileManager.default.createDirectory(atPath: "\(root)/BAT0", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: root) }
        @Sendable func write(_ file: String, _ text: String) throws {
            try Data("\(text)\n".utf8).write(to: URL(fileURLWithPath: "\(root)/BAT0/\(file)"))
        }
        for (file, text) in [("type", "Battery"), ("status", "Discharging"), ("capacity", "40")] {
            try write(file, text)
        }
        options.powerSupply = PowerSupply(root: root, everySeconds: 1)
        let a = try await NodeUnderTest(options)
        try await NodeBench.onThread {
            let warning = "the battery of this machine is at 9 %"
            try a.awaitStatus("on battery") { $0.node.batteryPct == 40 && !$0.health.contains(warning) }
            try write("capacity", "9")
            try a.awaitEvent("battery_low")
            let status = try a.ask(StatusRequest())
            #expect(status.node.batteryPct == 9 && status.health.contains(warning))
            try write("status", "Charging")
            try a.awaitStatus("on mains") { $0.node.batteryPct == nil && !$0.health.contains(warning) }
            try a.stop()
        }
        try await a.ended()
    }
}
