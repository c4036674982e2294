import Foundation

/// Tells whether this machine runs on its battery, from the files of the kernel (its
/// Documentation/ABI/testing/sysfs-class-power).
package struct PowerSupply: Hashable, Sendable {
    private let root: String

    /// - Parameter root: the folder that holds a subfolder for each supply. Tests use one of their own.
    package init(root: String = "/sys/class/power_supply") { self.root = root }

    /// Whether a battery discharges and no external supply is plugged in. Batteries of mice and headsets do not count.
    /// Do not call it on the node loop: it reads files that firmware may answer slowly.
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
