package import Primitives

/// The table from key id to peer slot; a lookup takes constant time.
///
/// The low ten bits of a key id are its index here. The other bits count how often the index was given away, so that
/// a datagram of an ended session meets an unknown key and not the key of another peer.
package struct KeyIDTable: Sendable {
    private struct Place: Sendable {
        var keyID: UInt32
        var slot: PeerSlot?
    }

    private static let placeBits: UInt32 = 10
    private var places: [Place]
    private var free: BoundedQueue<Int>

    package init() {
        let count = MeshLimits.keyIDsMax
        places = (0..<count).map { Place(keyID: UInt32($0), slot: nil) }
        free = BoundedQueue(capacity: count)
        for index in 0..<count { _ = free.appendOrRefuse(index) }
    }

    /// Returns a new key id for `slot`, or nil where all are in use.
    package mutating func take(for slot: PeerSlot) -> UInt32? {
        guard let index = free.popFirst() else { return nil }
        places[index].keyID &+= 1 << KeyIDTable.placeBits
        places[index].slot = slot
        return places[index].keyID
    }

    package mutating func release(_ keyID: UInt32) {
        let index = KeyIDTable.index(of: keyID)
        guard places[index].keyID == keyID, places[index].slot != nil else { return }
        places[index].slot = nil
        _ = free.appendOrRefuse(index)
    }

    package subscript(keyID: UInt32) -> PeerSlot? {
        let place = places[KeyIDTable.index(of: keyID)]
        return place.keyID == keyID ? place.slot : nil
    }

    private static func index(of keyID: UInt32) -> Int { Int(keyID & ((1 << placeBits) - 1)) }
}
