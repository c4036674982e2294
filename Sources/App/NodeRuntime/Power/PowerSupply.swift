import Foundation

/// Whether this machine runs on its battery, as the kernel says (its Documentation/ABI/testing/sysfs-class-power).
package struct PowerSupply: Hashable, Sendable {
    private let root: String

    /// - Parameter root: a folder for each supply; the kernel's, but in tests.
    package init(root: String = "/sys/class/power_supply") { self.root = root }

    /// A battery is being emptied, and nothing is plugged in. Those of mice and headsets do not count.
    /// Reads files that firmware may be slow to answer: not for the node loop.
    package var isOnBattery: Bool {
        let supplies = ((try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []).filter {
            field("scope", of: $0) != "Device"
        }
        let isPluggedIn = supplies.contains {
            ["Mains", "USB"].contains(field("type", of: $0)) && field("online", of: $0) == "1"
        }
        return !isPluggedIn
            && supplies.contains { field("type", of: $0) == "Battery" && field("status", of: $0) == "Discharging" }
    }

    private func field(_ name: String, of supply: String) -> String? {
        FileManager.default.contents(atPath: "\(root)/\(supply)/\(name)").map {
            String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        }
    }
}
