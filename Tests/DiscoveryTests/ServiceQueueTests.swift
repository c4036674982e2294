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
            queue.finish()
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
        for _ in 0..<DiscoveryLimits.resolversMax { #expect(queue.takeNext() != nil) }
        #expect(queue.takeNext() == nil)
        queue.finish()
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

    @Test("a service that is gone is not resolved; it stays on other interfaces")
    func gone() {
        var queue = ServiceQueue()
        for interface in [2, 3] as [Int32] { _ = queue.add(found("a", on: interface)) }
        queue.remove(found("a", on: 2))
        #expect(drain(&queue) == [found("a", on: 3)])
    }
}
