import Foundation
import NodeRuntime
import Testing

@Suite("mains and battery")
struct PowerSupplyTests {
    /// The answer for supplies whose files the kernel would show, by name.
    private func isOnBattery(_ supplies: [String: [String: String]]) throws -> Bool {
        let root = FileManager.default.temporaryDirectory.path + "/partyline-power-\(UInt32.random(in: 0 ... .max))"
        defer { try? FileManager.default.removeItem(atPath: root) }
        for (name, files) in supplies {
            try FileManager.default.createDirectory(atPath: "\(root)/\(name)", withIntermediateDirectories: true)
            for (file, text) in files {
                try Data("\(text)\n".utf8).write(to: URL(fileURLWithPath: "\(root)/\(name)/\(file)"))
            }
        }
        return PowerSupply(root: root).isOnBattery
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
        #expect(!PowerSupply(root: "/nowhere").isOnBattery)
    }
}
