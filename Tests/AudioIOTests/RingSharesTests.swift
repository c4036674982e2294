import AudioIO
import Handover
import Primitives
import Testing
import Wire

/// The ring to playback with the shares of the peers.
private struct SharedRing: ~Copyable {
    let ring = FrameRing(capacity: AudioLimits.downSlots, slotBytesMax: 8)
    let producer: FrameRingProducer
    let consumer: FrameRingConsumer
    var shares: RingShares

    init() {
        producer = ring.takeProducer()
        consumer = ring.takeConsumer()
        shares = RingShares(capacity: ring.capacity)
    }

    mutating func push(_ slot: PeerSlot) -> Bool {
        shares.push(Self.header(slot), UnsafeRawBufferPointer(start: nil, count: 0), of: slot, into: producer)
    }

    /// Pushes an order of the listener.
    func pushOrder() -> Bool {
        producer.push(Self.header(PeerSlot(index: 0)), UnsafeRawBufferPointer(start: nil, count: 0))
    }

    func takeAll() {
        while consumer.front() != nil { consumer.removeFirst() }
    }

    private static func header(_ slot: PeerSlot) -> RingHeader {
        RingHeader(kind: 0, peerIndex: UInt16(slot.index), instant: .zero)
    }
}

@Suite("Shares of the ring to playback")
struct RingSharesTests {
    @Test("a burst of one peer fills only its own share")
    func burst() {
        var shared = SharedRing()
        var taken = 0
        for _ in 0..<10_000 where shared.push(PeerSlot(index: 0)) { taken += 1 }
        #expect(taken == AudioLimits.downSlotsPerPeer)
        let refused = shared.shares.refusedCount
        #expect(refused == 10_000 - AudioLimits.downSlotsPerPeer)
        var others = 0
        for index in 1..<MeshScale.peersMax {
            for _ in 0..<AudioLimits.downSlotsPerPeer where shared.push(PeerSlot(index: index)) { others += 1 }
        }
        #expect(others == (MeshScale.peersMax - 1) * AudioLimits.downSlotsPerPeer)
        let refusedByRing = shared.ring.refusedCount
        #expect(refusedByRing == 0)
    }

    @Test("a share has room again when playback has taken its entries, also with orders in between")
    func taken() {
        var shared = SharedRing()
        for _ in 0..<100 {
            var pushed = 0
            for _ in 0..<AudioLimits.downSlotsPerPeer {
                let isOrdered = shared.pushOrder()
                #expect(isOrdered)
                if shared.push(PeerSlot(index: 5)) { pushed += 1 }
            }
            #expect(pushed == AudioLimits.downSlotsPerPeer)
            shared.takeAll()
        }
        let refused = shared.shares.refusedCount
        #expect(refused == 0)
    }
}
