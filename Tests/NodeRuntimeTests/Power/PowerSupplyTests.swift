import ControlPlane
import Foundation
import NodeRuntime
import Testing

@Suite("mains and battery")
struct PowerSupplyTests {
    private func isOnBattery(_ supplies: [String: [String: String]]) throws -> Bool { try read(supplies).isOnBattery }

    /// The answer for supplies whose files the kernel would show, by name.
    private func read(_ supplies: [String: [String: String]]) throws -> PowerReading {
        let root = FileManager.default.temporaryDirectory.path + "/partyline-power-\(UInt32.random(in: 0 ... .max))"
        defer { try? FileManager.default.removeItem(atPath: root) }
        for (name, files) in supplies {
            try FileManager.default.createDirectory(atPath: "\(root)/\(name)", withIntermediateDirectories: true)
            for (file, text) in files {
                try Data("\(text)\n".utf8).write(to: URL(fileURLWithPath: "\(root)/\(name)/\(file)"))
            }
        }
        return PowerSupply(root: root).read()
    }

    private static let empties = ["type": "Battery", "status": "Discharging", "scope": "System"]

    @Test("a laptop is on battery when nothing is plugged in and the battery empties")
    func laptop() throws {
        #expect(try isOnBattery(["BAT0": Self.empties, "AC": ["type": "Mains", "online": "0"]]))
        #expect(try isOnBattery(["BAT0": ["type": "Battery", "status": "Discharging"]]))
        #expect(try isOnBattery(["BAT0": Self.empties, "AC": ["type": "Mains", "online": "1"]]) == false)
        #expect(try isOnBattery(["BAT0": Self.empties, "ucsi": ["type": "USB", "online": "1"]]) == false)
        let full = ["BAT0": ["type": "Battery", "status": "Full"], "AC": ["type": "Mains", "online": "0"]]
        #expect(try isOnBattery(full) == false)
    }

    @Test("a desktop is not on battery, even if its mouse has one or the kernel shows no supply")
    func desktop() throws {
        #expect(try isOnBattery([:]) == false)
        #expect(try isOnBattery(["AC": ["type": "Mains", "online": "1"]]) == false)
        #expect(try isOnBattery(["mouse": ["type": "Battery", "status": "Discharging", "scope": "Device"]]) == false)
        #expect(PowerSupply(root: "/nowhere").read() == PowerReading())
    }

    @Test("the charge is the mean of the machine's batteries, and absent if none tells it")
    func charge() throws {
        func battery(_ capacity: String) -> [String: String] {
            ["type": "Battery", "status": "Discharging", "capacity": capacity]
        }
        #expect(try read(["BAT0": battery("40")]).chargePercent == 40)
        var mouse = battery("90")
        mouse["scope"] = "Device"
        #expect(try read(["BAT0": battery("4"), "BAT1": battery("21"), "mouse": mouse]).chargePercent == 12)
        #expect(try read(["BAT0": Self.empties]).chargePercent == nil)
        for wrong in ["", "-1", "101", "full"] { #expect(try read(["BAT0": battery(wrong)]).chargePercent == nil) }
    }

    @Test("a low battery is told once, until the machine has been on mains")
    func alarm() {
        var alarm = BatteryAlarm()
        func told(_ isOnBattery: Bool, _ charge: Int?) -> Int? {
            alarm.percentToTell(of: PowerReading(isOnBattery: isOnBattery, chargePercent: charge))
        }
        #expect([told(true, nil), told(true, 16), told(false, 3)] == [nil, nil, nil])
        #expect([told(true, 15), told(true, 14), told(true, 16), told(true, 15)] == [15, nil, nil, nil])
        #expect([told(false, 15), told(true, 9)] == [nil, 9])
    }
}

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
