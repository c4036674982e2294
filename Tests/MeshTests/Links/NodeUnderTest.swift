import Mesh
import MeshTestKit
import Primitives
import TestKit
import Trust
import Wire

/// One node that any peer can connect to. The peers exist only as frames.
final class NodeUnderTest {
    private(set) var node: MeshNode
    private(set) var sent: [(carrier: CarrierID, message: CarrierMessage)] = []
    private(set) var closed: Set<CarrierID> = []
    private var now = Instant.zero + .seconds(1)

    init(
        admissionPolicy: AdmissionPolicy = .open, staticPeers: [Endpoint] = [], reachablePrefixes: [AddressPrefix] = []
    ) {
        var configuration = MeshCluster.configuration(
            index: 0, seed: 1, admissionPolicy: admissionPolicy, staticPeers: staticPeers)
        configuration.reachablePrefixes = reachablePrefixes
        node = MeshNode(configuration, sealing: TransparentSealing(seed: 1), seed: 1, now: now)
        drain()
    }

    var own: NodeID { TestIdentity.nodeID(seed: 1) }

    func input(_ input: MeshInput) {
        node.handle(input, now: now)
        drain()
    }

    func frame(_ message: CarrierMessage, on carrier: UInt64) {
        input(.carrierFrame(CarrierID(number: carrier), message.encoded()))
    }

    /// If `address` is nil, the connection comes from the node's own network.
    func open(_ carrier: UInt64, by seed: UInt64, from address: IPAddress? = nil) {
        let near = IPAddress(v4: 10, 0, 0, UInt8(truncatingIfNeeded: seed))
        let remote = Endpoint(address: address ?? near, port: 7400)
        input(
            .carrierOpened(
                CarrierID(number: carrier), peer: TestIdentity.nodeID(seed: seed), dial: nil, remote: remote))
    }

    func greet(_ carrier: UInt64, by seed: UInt64) {
        open(carrier, by: seed)
        let sealing = TransparentSealing(seed: seed)
        frame(TestProof.open(), on: carrier)
        frame(
            .hello(
                Hello(
                    versionMin: WireLimits.version, versionMax: WireLimits.version, mesh: TestMesh.name,
                    meshID: TestMesh.id,
                    record: Self.record(of: seed).1, yourRecord: nil,
                    nonce: [UInt8](repeating: 7, count: WireSizes.nonceBytes),
                    bootNonce: BootNonce(number: sealing.nodeID == own ? 0 : seed), mediaPort: 7400,
                    yourInstanceSeen: nil)), on: carrier)
    }

    static func record(of seed: UInt64) -> (NodeRecord, SignedRecord) {
        let sealing = TransparentSealing(seed: seed)
        let record = NodeRecord(
            node: sealing.nodeID, instance: Instance(exactly: 1) ?? .max, bootNonce: BootNonce(number: seed),
            sequence: 1, endpoints: [], profile: NodeProfile(name: SafeText("x")), isLeaving: false)
        return (record, SignedRecord(signing: record, with: sealing))
    }

    func messages(on carrier: UInt64) -> [CarrierMessage] {
        sent.filter { $0.carrier == CarrierID(number: carrier) }.map(\.message)
    }

    func isClosed(_ carrier: UInt64) -> Bool { closed.contains(CarrierID(number: carrier)) }

    func counter(_ name: MeshCounter) -> UInt64 {
        node.status(now: now).counters.first { $0.name == "\(name)" }?.value ?? 0
    }

    var peersKnown: Int { node.status(now: now).peersKnown }

    func pass(_ interval: Interval) {
        now += interval
        input(.deadline)
    }

    private func drain() {
        while let output = node.nextOutput() {
            switch output {
            case .carrierSend(let carrier, let bytes):
                if let message = try? CarrierMessage(parsing: bytes, isBeforeHello: false) {
                    sent.append((carrier, message))
                }
            case .carrierClose(let carrier): closed.insert(carrier)
            default: break
            }
        }
    }
}
