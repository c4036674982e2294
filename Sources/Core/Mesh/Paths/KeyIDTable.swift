package import Primitives

/// Which peer's keys a datagram names: key id → slot in one look.
///
/// The low ten bits of a key id are its place here, the rest counts how often the place was given
/// away, so that a datagram of a session long gone meets an unknown key, not another peer's.
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

    /// A key id for `slot`, or nil where all are in use.
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
