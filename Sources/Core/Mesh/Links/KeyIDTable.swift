package import Primitives

/// The table from key id to peer slot; a lookup takes constant time.
///
/// The low ten bits of a key id are its index here. The other bits count how often the index was given away, so that
/// a datagram of an ended session meets an unknown key and not the key of another peer.
package struct KeyIDTable: Sendable {
    private struct Entry: Sendable {
        var keyID: UInt32
        var slot: PeerSlot?
    }

    private static let indexBits: UInt32 = 10
    private var entries: [Entry]
    private var free: BoundedQueue<Int>

    package init() {
        let count = MeshLimits.keyIDsMax
        entries = (0..<count).map { Entry(keyID: UInt32($0), slot: nil) }
        free = BoundedQueue(capacity: count)
        for index in 0..<count { _ = free.appendOrRefuse(index) }
    }

    /// Returns a new key id for `slot`, or nil where all are in use.
    package mutating func take(for slot: PeerSlot) -> UInt32? {
        guard let index = free.popFirst() else { return nil }
        entries[index].keyID &+= 1 << KeyIDTable.indexBits
        entries[index].slot = slot
        return entries[index].keyID
    }

    package mutating func release(_ keyID: UInt32) {
        let index = KeyIDTable.index(of: keyID)
        guard entries[index].keyID == keyID, entries[index].slot != nil else { return }
        entries[index].slot = nil
        _ = free.appendOrRefuse(index)
    }

    package subscript(keyID: UInt32) -> PeerSlot? {
        let entry = entries[KeyIDTable.index(of: keyID)]
        return entry.keyID == keyID ? entry.slot : nil
    }

    private static func index(of keyID: UInt32) -> Int { Int(keyID & ((1 << indexBits) - 1)) }
}
