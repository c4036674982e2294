import NIOBridge
import NIOCore
import Primitives
import SystemClock

/// Gathers the datagrams of one round of reading, and passes them on as a batch.
///
/// The clock is read at the first datagram of a batch, so that the time spent on the others does not count as delay of
/// the network.
final class DatagramIntake: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>

    private let counters: MediaCounters
    private let onBatch: @Sendable (DatagramBatch) -> Void
    private var batch = DatagramBatch(arrivedAt: .zero, datagrams: [])

    init(counters: MediaCounters, onBatch: @escaping @Sendable (DatagramBatch) -> Void) {
        self.counters = counters
        self.onBatch = onBatch
        batch.datagrams.reserveCapacity(MediaSocketLimits.batchDatagramsMax)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if batch.datagrams.isEmpty { batch.arrivedAt = .monotonicNow() }
        var envelope = unwrapInboundIn(data)
        // If the datagram fills its slot, the kernel may have cut it.
        guard envelope.data.readableBytes < MediaSocketLimits.datagramBytesMax else {
            return counters.count(.receivedOversized)
        }
        guard let from = Endpoint(envelope.remoteAddress) else { return counters.count(.receiveErrors) }
        let bytes = envelope.data.readBytes(length: envelope.data.readableBytes) ?? []
        batch.datagrams.append(ReceivedDatagram(bytes: bytes, from: from))
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        guard !batch.datagrams.isEmpty else { return }
        counters.count(.received, by: batch.datagrams.count)
        onBatch(batch)
        // The memory is used again, unless the receiver has kept the batch.
        batch.datagrams.removeAll(keepingCapacity: true)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        counters.count(.receiveErrors)
    }
}
