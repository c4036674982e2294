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
