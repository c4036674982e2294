package import Primitives

/// One step of a tunnel: the byte stream of two nodes that cannot connect. A neighbour of both forwards the stream in
/// frames between its own carriers.
///
///     opener                     neighbour                    acceptor
///        REQUEST (to acceptor) ────►  OFFER (from opener) ───────►
///        DATA ─────────────────────►  DATA ──────────────────────►
///             ◄──────────────────────────  CREDIT ◄───────────────
///        CLOSE, from any of the three
package struct TunnelFrame: Hashable, Sendable {
    /// Drawn at random by the opener; names the tunnel on both of its hops.
    package var number: UInt64
    package var step: TunnelStep

    package init(number: UInt64, step: TunnelStep) {
        self.number = number
        self.step = step
    }
}

package enum TunnelStep: Hashable, Sendable {
    /// From the opener to its neighbour. Only a request asks for forwarding, and a neighbour forwards it as an offer.
    /// So a tunnel has exactly two hops and cannot form a loop.
    case request(to: NodeID)
    /// From the neighbour to the acceptor, with the NodeID of the opener as the neighbour has authenticated it.
    case offer(from: NodeID)
    /// 1 ... `WireLimits.tunnelDataBytesMax` bytes of the stream.
    case data([UInt8])
    /// The receiver of data gives this much of the window back to the sender of data, in `cost`; 0 shows only that it
    /// is there.
    case credit(UInt16)
    case close(TunnelCloseReason)

    /// Returns how much of the window of `WireLimits.tunnelWindowBytes` a piece of `byteCount` bytes takes: its bytes
    /// and `WireSizes.tunnelFrameCost` for its frame, so that the window also bounds a queue of many small frames.
    package static func cost(ofBytes byteCount: Int) -> Int { byteCount + WireSizes.tunnelFrameCost }
}

/// Why a tunnel ended or never began.
package enum TunnelCloseReason: UInt8, CaseIterable, Sendable {
    /// The stream is over.
    case ended = 0
    /// The neighbour has no direct carrier to the other node.
    case noRoute = 1
    /// The neighbour or the acceptor has as many tunnels as it allows, or was asked too often.
    case full = 2
    /// The acceptor accepts no tunnel from this opener.
    case refused = 3
    /// A carrier on the route has closed, or a link on it went down.
    case broken = 4
    /// Nothing came for `TunnelLimits.silenceMax`.
    case silent = 5
    /// More was sent than the window allows.
    case overrun = 6
    /// No tunnel has this number, or another tunnel has it already.
    case unknown = 7
}

/// The layout, without protobuf because a tunnel carries a stream (docs/WIRE.md, "Tunnel").
extension TunnelFrame {
    private enum StepCode: UInt8 {
        case request = 1
        case offer = 2
        case data = 3
        case credit = 4
        case close = 5
    }

    /// - Precondition: data has 1 to `WireLimits.tunnelDataBytesMax` bytes.
    package func encoded() -> [UInt8] {
        var writer = ByteWriter(capacity: 64)
        switch step {
        case .request(let node):
            start(.request, &writer)
            writer.raw(node.bytes)
        case .offer(let node):
            start(.offer, &writer)
            writer.raw(node.bytes)
        case .data(let bytes):
            precondition(
                1 <= bytes.count && bytes.count <= WireLimits.tunnelDataBytesMax, "\(bytes.count) bytes of a tunnel")
            start(.data, &writer)
            writer.raw(bytes)
        case .credit(let credit):
            start(.credit, &writer)
            writer.u16(credit)
        case .close(let reason):
            start(.close, &writer)
            writer.u8(reason.rawValue)
        }
        return writer.bytes
    }

    private func start(_ code: StepCode, _ writer: inout ByteWriter) {
        writer.u8(code.rawValue)
        writer.u64(number)
    }

    /// Reads a frame.
    /// - Throws: `unknownKind` for an unknown step, `outOfRange` for an unknown reason or too much credit, `oversized`
    ///   for too much data, `malformed` for a wrong NodeID, `truncated` or `trailing` for a wrong length.
    package init(parsing bytes: [UInt8]) throws(WireError) {
        var reader = ByteReader(bytes)
        guard let code = StepCode(rawValue: try reader.u8()) else { throw .unknownKind }
        number = try reader.u64()
        switch code {
        case .request: step = .request(to: try TunnelFrame.node(from: &reader))
        case .offer: step = .offer(from: try TunnelFrame.node(from: &reader))
        case .data:
            guard reader.remaining <= WireLimits.tunnelDataBytesMax else { throw .oversized }
            guard 0 < reader.remaining else { throw .truncated }
            step = .data(reader.rest())
        case .credit:
            let credit = try reader.u16()
            guard Int(credit) <= WireLimits.tunnelWindowBytes else { throw .outOfRange }
            step = .credit(credit)
        case .close:
            guard let reason = TunnelCloseReason(rawValue: try reader.u8()) else { throw .outOfRange }
            step = .close(reason)
        }
        try reader.finish()
    }

    private static func node(from reader: inout ByteReader) throws(WireError) -> NodeID {
        guard let node = NodeID(try reader.bytes(count: NodeID.byteCount)) else { throw .malformed }
        return node
    }
}
