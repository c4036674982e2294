import Dispatch

/// Reports when the machine goes over to its battery and back. It reads the power supply periodically, on a queue of
/// its own.
final class BatteryWatch: @unchecked Sendable {
    private let queue = DispatchQueue(label: "partyline.battery", qos: .utility)
    private let timer: any DispatchSourceTimer
    private let supply: PowerSupply
    private let onChange: @Sendable (Bool) -> Void
    /// Used on `queue` only.
    private var isOnBattery = false

    /// - Parameter onChange: called on the queue at each change. The first call says that the machine is on its
    ///   battery.
    init(_ supply: PowerSupply, everySeconds seconds: Int = 10, onChange: @escaping @Sendable (Bool) -> Void) {
        self.supply = supply
        self.onChange = onChange
        timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now(), repeating: .seconds(seconds), leeway: .seconds(1))
        timer.setEventHandler { [weak self] in self?.look() }
        timer.resume()
    }

    deinit { timer.cancel() }

    private func look() {
        let now = supply.isOnBattery
        guard now != isOnBattery else { return }
        isOnBattery = now
        onChange(now)
    }
}
