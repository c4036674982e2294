import Primitives
import Wire

/// New keys of a session, and the first keys of a candidate. `Rekey` and `Election` describe their course.
extension MeshNode {
    mutating func rekey(_ index: Int, now: Instant) { links.rekey(index, &effects, now: now) }

    /// Offers new keys if the present ones are near their end.
    mutating func rekeyWornOut(_ index: Int, now: Instant) {
        links.rekeyWornOut(index, datagramsPerKey: configuration.capacity.datagramsPerKey, &effects, now: now)
    }

    mutating func receiveKeyConfirm(_ generation: UInt32, on line: CarrierEntry, now: Instant) {
        let index = line.slot.index
        if links[index].candidate?.carrier == line.id, generation == MeshLimits.firstGeneration {
            serveCandidate(index, now: now)
        } else if links[index].session?.carrier == line.id {
            serveGeneration(generation, of: index, now: now)
        }
    }

    /// Switches the follower to the next generation, after the leader's confirmation or the first datagram under the
    /// new keys, whichever comes first.
    mutating func serveGeneration(_ generation: UInt32, of index: Int, now: Instant) {
        links.serveGeneration(generation, of: index, &effects, now: now)
    }

    /// Starts sealing with the follower's first generation: the leader has shown that it has the keys.
    mutating func serveCandidate(_ index: Int, now: Instant) {
        guard links.serveCandidate(index, now: now) else { return }
        probeCandidate(index, now: now)
        waitForEcho(index, now: now)
    }

    /// Extends the negotiation: the other side has both halves of the keys.
    mutating func waitForEcho(_ index: Int, now: Instant) { links.waitForEcho(index, &effects, now: now) }
}
