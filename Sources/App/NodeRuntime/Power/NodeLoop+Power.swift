import AudioIO
import Handover
import Node
import Primitives
import SystemClock

/// The node and the power of its machine.
extension NodeLoop {
    /// Follows the battery if the options want that, and tells people of a low one.
    func follow(_ reading: PowerReading) {
        guard !isLeaving else { return }
        let former = power
        power = reading
        if options.followsBattery, reading.isOnBattery != former.isOnBattery { savePower(reading.isOnBattery) }
        if let low = batteryAlarm.percentToTell(of: reading) { tell(.batteryLow(percent: low)) }
    }

    /// Switches power saving on or off, when the machine goes over to its battery or back. On battery there are fewer
    /// wake-ups and more delay.
    private func savePower(_ isOnBattery: Bool) {
        parts.audio.powerSaving.isOn = isOnBattery
        let now = Instant.monotonicNow()
        turn(now: now) { core.setSavesPower(isOnBattery, now: now) }
        tell(.powerSaving(isOnBattery))
    }
}
