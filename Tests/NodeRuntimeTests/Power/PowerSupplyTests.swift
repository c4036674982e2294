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
