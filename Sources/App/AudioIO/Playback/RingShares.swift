package import Handover
package import Primitives

/// How many entries of the ring to playback each peer holds, so that none takes another's room.
///
/// The ring has room for the shares of all: a peer's burst costs only that peer's own voice. Entries are counted out
/// when the playback thread has taken them, which the ring's own counts tell.
package struct RingShares {
    /// Whose the ring's entries are, by place; `nobody` is an order of the listener's.
    private var owners: [UInt8]
    private var held = [Int](repeating: 0, count: MeshScale.peersMax)
    private var takenSeen = 0
    private var writtenSeen = 0
    /// Entries that were refused to a peer whose share was full.
    package private(set) var refusedCount = 0

    private static let nobody = UInt8.max

    /// - Parameter capacity: the ring's.
    package init(capacity: Int) { owners = [UInt8](repeating: RingShares.nobody, count: capacity) }

    /// Pushes an entry of this peer's where its share has room; false, counted, where it has not or the ring is full.
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

    /// Orders were pushed past this value, and playback has taken entries.
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
