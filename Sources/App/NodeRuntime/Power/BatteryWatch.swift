import Dispatch

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
