/// Services that Avahi has found and that wait to be resolved. Avahi reports each of them once.
///
/// The host of a service is known once it is resolved, and the mesh takes turns among hosts. Until then chance decides
/// which service is next, and which one goes if there are too many. So one host cannot surely keep out all others.
package struct ServiceQueue {
    /// A service on one interface, by one address family.
    package struct Found: Hashable, Sendable {
        package var name: String
        package var domain: String
        /// The index of the interface, and the family, in Avahi's numbers.
        package var interface: Int32
        package var family: Int32

        package init(name: String, domain: String, interface: Int32, family: Int32) {
            self.name = name
            self.domain = domain
            self.interface = interface
            self.family = family
        }
    }

    private var waiting: [Found] = []
    private var resolving = 0
    /// How often services that wait, or are being resolved, could not be resolved so far.
    private var failures: [Found: Int] = [:]

    package init() {}

    /// Returns the service that had no room, perhaps this one; nil if there was room for all.
    package mutating func add(_ found: Found) -> Found? {
        guard !waiting.contains(found) else { return nil }
        failures[found] = failures[found] ?? 0
        waiting.append(found)
        guard DiscoveryLimits.servicesWaitingMax < waiting.count, let displaced = removeAny() else { return nil }
        failures[displaced] = nil
        return displaced
    }

    /// Removes a service that is gone.
    package mutating func remove(_ found: Found) {
        waiting.removeAll { $0 == found }
        failures[found] = nil
    }

    /// Removes and returns the next service to be resolved; nil if none waits, or if too many are being resolved.
    package mutating func takeNext() -> Found? {
        guard resolving < DiscoveryLimits.resolversMax, let next = removeAny() else { return nil }
        resolving += 1
        return next
    }

    /// A service is resolved.
    package mutating func finish(_ found: Found) {
        resolving -= 1
        failures[found] = nil
    }

    /// A service could not be resolved, as when multicast was lost. It waits again, since Avahi does not report it
    /// again.
    /// - Returns: the service that is given up, because it has failed `DiscoveryLimits.resolveTriesMax` times, or
    ///   because there was no room; nil if there is none.
    package mutating func fail(_ found: Found) -> Found? {
        resolving -= 1
        // A service that has gone meanwhile is not tried again.
        guard let before = failures[found] else { return nil }
        let count = before + 1
        guard count < DiscoveryLimits.resolveTriesMax else {
            failures[found] = nil
            return found
        }
        failures[found] = count
        return add(found)
    }

    private mutating func removeAny() -> Found? {
        waiting.indices.randomElement().map { waiting.remove(at: $0) }
    }
}
