import Primitives
import Wire

/// New keys of a session, and the first keys of a candidate. `Links/Rekey.swift` and `Links/Election.swift` show their
/// course.
extension MeshNode {
    /// Offers new keys if the present ones are near their end.
    mutating func rekeyWornOut(_ index: Int, now: Instant) {
        links.rekeyWornOut(index, datagramsPerKey: configuration.capacity.datagramsPerKey, &effects, now: now)
    }

    mutating func receiveKeyConfirm(_ generation: UInt32, on line: CarrierEntry, now: Instant) {
        let index = line.slot.index
        if links[index].candidate?.carrier == line.id, generation == MeshLimits.firstGeneration {
            serveCandidate(index, now: now)
        } else if links[index].session?.carrier == line.id {
            links.serveGeneration(generation, of: index, &effects, now: now)
        }
    }

    /// Starts sealing with the follower's first generation: the leader has shown that it has the keys.
    mutating func serveCandidate(_ index: Int, now: Instant) {
        guard links.serveCandidate(index, now: now) else { return }
        probeCandidate(index, now: now)
        links.waitForEcho(index, &effects, now: now)
    }
}
