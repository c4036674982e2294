package import Handover
package import Primitives

/// Counts the entries that each peer holds in the ring to playback, so that no peer takes the room of another.
///
/// The ring has room for the shares of all peers, so a burst of one peer costs only that peer's own voice. The ring's
/// own counters show which entries the playback thread has taken.
package struct RingShares {
    /// The slot index of each entry's peer, by position in the ring. `nobody` marks an order of the listener.
    private var owners: [UInt8]
    private var held = [Int](repeating: 0, count: MeshScale.peersMax)
    private var takenSeen = 0
    private var writtenSeen = 0
    /// Entries that were refused because the share of their peer was full.
    package private(set) var refusedCount = 0

    private static let nobody = UInt8.max

    /// - Parameter capacity: the capacity of the ring.
    package init(capacity: Int) { owners = [UInt8](repeating: RingShares.nobody, count: capacity) }

    /// Pushes an entry of a peer. False if the peer's share or the ring is full, which is counted.
    package mutating func push(
        _ header: RingHeader, _ bytes: UnsafeRawBufferPointer, of slot: PeerSlot, into ring: borrowing FrameRingProducer
    ) -> Bool {
        catchUp(with: ring)
        guard held[slot.index] < AudioLimits.downSlotsPerPeer else {
            refusedCount += 1
            return false
        }
        guard ring.push(header, bytes) else { return false }
        owners[writtenSeen % owners.count] = UInt8(slot.index)
        writtenSeen += 1
        held[slot.index] += 1
        return true
    }

    /// Counts the orders that were pushed without this value, and the entries that playback has taken.
    private mutating func catchUp(with ring: borrowing FrameRingProducer) {
        while writtenSeen < ring.writtenCount {
            owners[writtenSeen % owners.count] = RingShares.nobody
            writtenSeen += 1
        }
        while takenSeen < ring.takenCount {
            let owner = owners[takenSeen % owners.count]
            if owner != RingShares.nobody { held[Int(owner)] -= 1 }
            takenSeen += 1
        }
    }
}
