package import Primitives

/// What two nodes of the baseline say to one another. Laid out in binary, and padded to the length that it has as JSON.
package enum BaselineMessage: Hashable {
    case handshake(Instance)
    case heartbeat(Instance, connected: [Listed])

    /// A node that the sender is connected to. The original lists only who; where it can be reached is added here at
    /// no cost in bytes, since a browser of the original would look it up.
    package struct Listed: Hashable {
        package var node: NodeID
        package var endpoint: Endpoint

        package init(node: NodeID, endpoint: Endpoint) {
            self.node = node
            self.endpoint = endpoint
        }
    }

    private static let handshakeKind: UInt8 = 0xF0
    private static let heartbeatKind: UInt8 = 0xF1

    package var bytes: [UInt8] {
        switch self {
        case .handshake(let instance):
            return BaselineMessage.head(Self.handshakeKind, instance, paddedTo: BaselineLimits.handshakeBytes)
        case .heartbeat(let instance, let connected):
            var out = BaselineMessage.head(Self.heartbeatKind, instance, paddedTo: BaselineLimits.heartbeatBytes)
            for listed in connected {
                let address = UInt64(listed.endpoint.address.v4 ?? 0) << 16 | UInt64(listed.endpoint.port)
                out += listed.node.bytes
                out += BaselineMessage.number(address, byteCount: BaselineLimits.listedNodeBytes - NodeID.byteCount)
            }
            return out
        }
    }

    /// Nil where the bytes are no message.
    package init?(_ bytes: [UInt8]) {
        guard 9 <= bytes.count, let instance = Instance(exactly: BaselineMessage.number(bytes[1..<9])) else {
            return nil
        }
        switch bytes[0] {
        case Self.handshakeKind:
            self = .handshake(instance)
        case Self.heartbeatKind:
            var connected: [Listed] = []
            var start = BaselineLimits.heartbeatBytes
            while start + BaselineLimits.listedNodeBytes <= bytes.count {
                let end = start + BaselineLimits.listedNodeBytes
                let addressStart = start + NodeID.byteCount
                guard let node = NodeID(bytes[start..<addressStart]) else { return nil }
                let address = BaselineMessage.number(bytes[addressStart..<end])
                let (a, b) = (UInt8(truncatingIfNeeded: address >> 40), UInt8(truncatingIfNeeded: address >> 32))
                let (c, d) = (UInt8(truncatingIfNeeded: address >> 24), UInt8(truncatingIfNeeded: address >> 16))
                let endpoint = Endpoint(
                    address: IPAddress(v4: a, b, c, d), port: UInt16(truncatingIfNeeded: address))
                connected.append(Listed(node: node, endpoint: endpoint))
                start = end
            }
            self = .heartbeat(instance, connected: connected)
        default:
            return nil
        }
    }

    private static func head(_ kind: UInt8, _ instance: Instance, paddedTo count: Int) -> [UInt8] {
        let head = [kind] + number(instance.number, byteCount: 8)
        return head + Array(repeating: 0, count: count - head.count)
    }

    private static func number(_ number: UInt64, byteCount: Int) -> [UInt8] {
        (0..<byteCount).reversed().map { UInt8(truncatingIfNeeded: number >> UInt64($0 * 8)) }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}
