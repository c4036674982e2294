import Carrier
import NIOCore
import Primitives
import Testing

@Suite("Outbound queue")
struct OutboundQueueTests {
    private let allocator = ByteBufferAllocator()

    private func frames(_ queue: inout OutboundQueue, at now: Instant) -> [[UInt8]] {
        var frames: [[UInt8]] = []
        while var piece = queue.nextPiece(now: now, allocator: allocator).piece {
            while let length = piece.readInteger(as: UInt32.self) {
                frames.append(piece.readBytes(length: Int(length)) ?? [])
            }
        }
        return frames
    }

    @Test("voice overtakes what was queued before it")
    func overtakes() {
        var queue = OutboundQueue(limits: .standard)
        let isTaken = [queue.append([1]), queue.append([2])]
        let dropped = queue.appendVoice([9], now: .zero)
        let sent = frames(&queue, at: .zero)
        #expect(isTaken == [true, true])
        #expect(dropped == 0)
        #expect(sent == [[9], [1], [2]])
        #expect(queue.isEmpty)
    }

    @Test("a full voice queue drops its oldest")
    func dropsOldest() {
        var limits = CarrierLimits()
        limits.voiceFramesMax = 3
        var queue = OutboundQueue(limits: limits)
        let dropped = (UInt8(1)...5).map { queue.appendVoice([$0], now: .zero) }
        let sent = frames(&queue, at: .zero)
        #expect(dropped == [0, 0, 0, 1, 1])
        #expect(sent == [[3], [4], [5]])
    }

    @Test("voice older than 200 ms is dropped and counted, younger is not")
    func ages() {
        var queue = OutboundQueue(limits: .standard)
        _ = queue.appendVoice([1], now: .zero)
        _ = queue.appendVoice([2], now: .zero + .milliseconds(1))
        let next = queue.nextPiece(now: .zero + .milliseconds(201), allocator: allocator)
        #expect(next.dropped == 1)
        #expect(next.piece.map { Array($0.readableBytesView) } == [0, 0, 0, 1, 2])
    }

    @Test("bulk is refused above its bound, and taken again once some has left")
    func bounded() {
        var queue = OutboundQueue(limits: .standard)
        let frame = [UInt8](repeating: 0, count: 65_532)
        var isTaken = (0..<4).map { _ in queue.append(frame) }
        isTaken.append(queue.append([]))
        _ = queue.nextPiece(now: .zero, allocator: allocator)
        isTaken.append(queue.append([]))
        #expect(isTaken == [true, true, true, true, false, true])
    }
}
