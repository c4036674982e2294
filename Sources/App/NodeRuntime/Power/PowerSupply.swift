import AudioIO
import Dispatch
import Foundation
import Handover
import Node
import Primitives
import SystemClock

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

/// The state of the machine's power, as the kernel tells it.
package struct PowerReading: Hashable, Sendable {
    package var isOnBattery: Bool
    /// The mean charge of the machine's batteries, in per cent; nil if none tells it.
    package var chargePercent: Int?

    package init(isOnBattery: Bool = false, chargePercent: Int? = nil) {
        (self.isOnBattery, self.chargePercent) = (isOnBattery, chargePercent)
    }

    /// The charge if it is low and the machine runs on it; else nil.
    package var lowPercent: Int? {
        guard isOnBattery, let chargePercent, chargePercent <= PowerReading.lowPercentMax else { return nil }
        return chargePercent
    }

    /// Early enough to fetch a charger.
    private static let lowPercentMax = 15
}

/// Decides when a person is told of a low battery: once, until the machine has been on mains again.
package struct BatteryAlarm {
    private var isTold = false

    package init() {}

    /// The charge to tell; nil if there is nothing to tell.
    package mutating func percentToTell(of reading: PowerReading) -> Int? {
        guard reading.isOnBattery else {
            isTold = false
            return nil
        }
        guard !isTold, let low = reading.lowPercent else { return nil }
        isTold = true
        return low
    }
}

/// Reports changes of the machine's power. It reads the power supply periodically, on a queue of its own.
final class BatteryWatch: @unchecked Sendable {
    private let queue = DispatchQueue(label: "partyline.battery", qos: .utility)
    private let timer: any DispatchSourceTimer
    private let supply: PowerSupply
    private let onChange: @Sendable (PowerReading) -> Void
    /// Used on `queue` only.
    private var reading = PowerReading()

    /// - Parameter onChange: called on the queue at each change. At first the machine is on mains and has no battery.
    init(_ supply: PowerSupply, onChange: @escaping @Sendable (PowerReading) -> Void) {
        self.supply = supply
        self.onChange = onChange
        timer = DispatchSource.makeTimerSource(queue: queue)
        // No hurry: the kernel may join this wake-up with another one.
        timer.schedule(
            deadline: .now(), repeating: .seconds(supply.everySeconds), leeway: .seconds(supply.everySeconds / 2))
        timer.setEventHandler { [weak self] in self?.look() }
        timer.resume()
    }

    deinit { timer.cancel() }

    private func look() {
        let now = supply.read()
        guard now != reading else { return }
        reading = now
        onChange(now)
    }
}

/// The node and the power of its machine.
extension NodeLoop {
    /// Follows the battery if the options want that, and tells people of a low one.
    func follow(_ reading: PowerReading) {
        guard !isLeaving else { return }
        let former = power
        power = reading
        if options.followsBattery, reading.isOnBattery != former.isOnBattery { savePower(reading.isOnBattery) }
        // The main node of a programme, on the same machine, tells the person.
        if let low = batteryAlarm.percentToTell(of: reading), !options.feedsProgramme {
            tell(.batteryLow(percent: low))
        }
    }

    /// Switches power saving on or off, when the machine goes over to its battery or back. On battery there are fewer
    /// wake-ups and more delay.
    private func savePower(_ isOnBattery: Bool) {
        parts.audio.powerSaving.isOn = isOnBattery
        let now = Instant.monotonicNow()
        turn { core.setSavesPower(isOnBattery, now: now) }
        tell(.powerSaving(isOnBattery))
    }
}
