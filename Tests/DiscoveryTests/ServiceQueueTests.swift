import Discovery
import Testing

@Suite("Services that wait to be resolved")
struct ServiceQueueTests {
    private func found(_ name: String, on interface: Int32 = 2) -> ServiceQueue.Found {
        ServiceQueue.Found(name: name, domain: "local", interface: interface, family: 0)
    }

    /// Resolves all services that wait, one after another.
    private func drain(_ queue: inout ServiceQueue) -> [ServiceQueue.Found] {
        var all: [ServiceQueue.Found] = []
        while let next = queue.takeNext() {
            all.append(next)
            queue.finish(next)
        }
        return all
    }

    @Test("of 500 names of one host and one of another, all are resolved, each once")
    func many() {
        var queue = ServiceQueue()
        let names = (0..<500).map { found("hostile-\($0)") } + [found("honest")]
        for name in names + names { _ = queue.add(name) }
        let resolved = drain(&queue)
        #expect(resolved.count == names.count && Set(resolved) == Set(names))
    }

    @Test("at most so many are resolved at once, and the others wait until one is finished")
    func atOnce() {
        var queue = ServiceQueue()
        for number in 0...DiscoveryLimits.resolversMax { _ = queue.add(found("\(number)")) }
        let taken = (0..<DiscoveryLimits.resolversMax).compactMap { _ in queue.takeNext() }
        let isFull = queue.takeNext() == nil
        #expect(taken.count == DiscoveryLimits.resolversMax && isFull)
        queue.finish(taken[0])
        #expect(queue.takeNext() != nil && queue.takeNext() == nil)
    }

    @Test("names that fill the queue do not keep a later one out: one by lot goes")
    func full() {
        let kept = (0..<20).count { _ in
            var queue = ServiceQueue()
            for number in 0..<DiscoveryLimits.servicesWaitingMax { _ = queue.add(found("hostile-\(number)")) }
            #expect(queue.add(found("honest")) != nil)
            let resolved = drain(&queue)
            #expect(resolved.count == DiscoveryLimits.servicesWaitingMax)
            return resolved.contains(found("honest"))
        }
        // It goes itself in one of about 1,000 cases.
        #expect(15 <= kept)
    }

    @Test("a service that cannot be resolved waits again, and is given up the third time; success forgets failures")
    func unresolved() {
        var queue = ServiceQueue()
        /// Returns whether the service waited, and what came of the attempt.
        func attempt(succeeds: Bool) -> (isWaiting: Bool, givenUp: ServiceQueue.Found?) {
            guard let next = queue.takeNext() else { return (false, nil) }
            guard succeeds else { return (true, queue.fail(next)) }
            queue.finish(next)
            return (true, nil)
        }
        _ = queue.add(found("a"))
        for givenUp in [nil, nil, found("a")] { #expect(attempt(succeeds: false) == (true, givenUp)) }
        #expect(attempt(succeeds: false) == (false, nil))
        for _ in 0..<4 {
            _ = queue.add(found("a"))
            for succeeds in [false, true] { #expect(attempt(succeeds: succeeds) == (true, nil)) }
        }
        #expect(attempt(succeeds: true) == (false, nil))
    }

    @Test("a service that goes while it is resolved does not come back when that fails")
    func goneMeanwhile() {
        var queue = ServiceQueue()
        _ = queue.add(found("a"))
        let next = queue.takeNext()
        queue.remove(found("a"))
        let givenUp = next.map { queue.fail($0) }
        let again = queue.takeNext()
        #expect(next == found("a") && givenUp == .some(nil) && again == nil)
    }

    @Test("a service that is gone is not resolved; it stays on other interfaces")
    func gone() {
        var queue = ServiceQueue()
        for interface in [2, 3] as [Int32] { _ = queue.add(found("a", on: interface)) }
        queue.remove(found("a", on: 2))
        #expect(drain(&queue) == [found("a", on: 3)])
    }
}
