import Primitives

/// People of a run who act one after the other.
protocol ActingPeople: AnyObject {
    /// After this instant nobody acts.
    var end: Instant { get }
    /// Draws the time until the next person acts.
    func drawWait() -> Interval
}

extension World {
    /// Schedules the next act of these people, unless their time is over by then. Nobody acts if there are none.
    func schedule(_ act: PersonAct, of people: (some ActingPeople)?) {
        guard let people else { return }
        let next = now + people.drawWait()
        if next < people.end { queue.schedule(.personActs(act), at: next) }
    }
}
