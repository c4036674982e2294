import Foundation

/// Tells whether this machine runs on its battery, and the charge of its batteries, from the files of the kernel (its
/// Documentation/ABI/testing/sysfs-class-power).
package struct PowerSupply: Hashable, Sendable {
    private let root: String
    /// How often a node reads it.
    let everySeconds: Int

    /// - Parameter root: the folder that holds a subfolder for each supply. Tests use one of their own.
    package init(root: String = "/sys/class/power_supply", everySeconds: Int = 10) {
        (self.root, self.everySeconds) = (root, everySeconds)
    }

    /// Reads whether a battery discharges and no external supply is plugged in, and the charge. Batteries of mice and
    /// headsets do not count. Do not call it on the node loop: it reads files that firmware may answer slowly.
    package func read() -> PowerReading {
        let supplies = ((try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []).filter {
            field("scope", of: $0) != "Device"
        }
        let isPluggedIn = supplies.contains {
            ["Mains", "USB"].contains(field("type", of: $0)) && field("online", of: $0) == "1"
        }
        let batteries = supplies.filter { field("type", of: $0) == "Battery" }
        let charges = batteries.compactMap { field("capacity", of: $0).flatMap { Int($0) } }
            .filter { (0...100).contains($0) }
        return PowerReading(
            isOnBattery: !isPluggedIn && batteries.contains { field("status", of: $0) == "Discharging" },
            chargePercent: charges.isEmpty ? nil : charges.reduce(0, +) / charges.count)
    }

    private func field(_ name: String, of supply: String) -> String? {
        FileManager.default.contents(atPath: "\(root)/\(supply)/\(name)").map {
            String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        }
    }
}
