import Mesh
import MeshTestKit
import Primitives
import TestKit
import Trust
import Wire

/// One node of seed 1 at 10.0.0.1. The test plays all peers by beacons, carriers and answers to dials.
final class FindingBench {
    struct Dial {
        var id: DialID
        var at: Instant
        var to: Endpoint
        var expecting: NodeID?
    }

    private(set) var node: MeshNode
    private(set) var now = Instant.zero + .seconds(1_000)
    private(set) var dials: [Dial] = []
    private(set) var cancelled: [DialID] = []
    private(set) var closed: [CarrierID] = []
    private(set) var events: [MeshEvent] = []
    /// Runs of JOIN that the node has begun.
    private(set) var tasks: [(carrier: CarrierID, task: CodeTask)] = []
    /// What the node has announced to a closed mesh.
    private(set) var services: [SealedService] = []
    private(set) var beacons: [[UInt8]] = []
    /// Meshes that the node wants on disk.
    private(set) var stored: [ClosedMesh] = []
    private(set) var sent: [(carrier: CarrierID, message: CarrierMessage)] = []
    /// The result of a dial, a millisecond later; nil if it stays under way.
    var answer: (Dial) -> MeshInput? = { _ in nil }
    private var coming: [(at: Instant, input: MeshInput)] = []

    init(_ change: (inout MeshConfiguration) -> Void = { _ in }) {
        var configuration = MeshCluster.configuration(index: 0, seed: 1)
        change(&configuration)
        node = MeshNode(configuration, sealing: TransparentSealing(seed: 1), seed: 1, now: now)
        drain()
    }

    // MARK: Nodes and addresses

    static let own = TestIdentity.nodeID(seed: 1)
    /// Seeds of peers that the node leads, and of peers that lead it.
    static let led = Array((100...).lazy.filter { TestIdentity.nodeID(seed: $0) < own }.prefix(80))
    static let leading = Array((100...).lazy.filter { own < TestIdentity.nodeID(seed: $0) }.prefix(8))

    static func at(_ host: UInt8, port: UInt16 = 7400) -> Endpoint {
        Endpoint(address: IPAddress(v4: 10, 0, 0, host), port: port)
    }

    static func record(
        of seed: UInt64, instance: UInt64 = 1, boot: UInt64? = nil, sequence: UInt32 = 1, at endpoints: [Endpoint] = [],
        isLeaving: Bool = false
    ) -> SignedRecord {
        let sealing = TransparentSealing(seed: seed)
        let record = NodeRecord(
            node: sealing.nodeID, instance: Instance(exactly: instance) ?? .max,
            bootNonce: BootNonce(number: boot ?? seed &+ instance), sequence: sequence, endpoints: endpoints,
            profile: NodeProfile(name: SafeText("peer"), role: SafeText("guest"), colour: 7), isLeaving: isLeaving)
        return SignedRecord(signing: record, with: sealing)
    }

    // MARK: Actions of the test

    func input(_ input: MeshInput) {
        node.handle(input, now: now)
        drain()
    }

    func hint(_ seed: UInt64, _ endpoints: [Endpoint], source: PeerHint.Source = .avahi) {
        let hint = PeerHint(source: source, node: TestIdentity.nodeID(seed: seed), endpoints: endpoints)
        input(.discovered(hint))
    }

    func beacon(_ record: SignedRecord, from host: UInt8, mesh: String = "test") {
        input(.beacon(Beacon(mesh: mesh, record: record).encoded(), from: Self.at(host, port: 50_000)))
    }

    func open(_ carrier: UInt64, by seed: UInt64, dial: DialID? = nil, from remote: Endpoint = FindingBench.at(9)) {
        input(
            .carrierOpened(
                CarrierID(number: carrier), peer: TestIdentity.nodeID(seed: seed), dial: dial, remote: remote))
    }

    func close(_ carrier: UInt64) { input(.carrierClosed(CarrierID(number: carrier), .closed)) }

    func greet(_ carrier: UInt64, by seed: UInt64) {
        let hello = Hello(
            versionMin: WireLimits.version, versionMax: WireLimits.version, mesh: TestMesh.name,
            meshID: TestMesh.id, record: Self.record(of: seed),
            yourRecord: nil, nonce: [UInt8](repeating: 7, count: WireSizes.nonceBytes),
            bootNonce: BootNonce(number: seed &+ 1), mediaPort: 7400, yourInstanceSeen: nil)
        input(.carrierFrame(CarrierID(number: carrier), TestProof.open().encoded()))
        input(.carrierFrame(CarrierID(number: carrier), CarrierMessage.hello(hello).encoded()))
    }

    /// Time passes. The node is called at each of its deadlines, and answers come in between.
    func drive(for duration: Interval, until isDone: () -> Bool = { false }) {
        let end = now + duration
        while !isDone() {
            let deadline = node.nextDeadline?.at ?? .distantFuture
            let answerAt = coming.first?.at ?? .distantFuture
            guard min(deadline, answerAt) <= end else {
                now = end
                return
            }
            now = max(now, min(deadline, answerAt))
            if answerAt <= deadline { input(coming.removeFirst().input) } else { input(.deadline) }
        }
    }

    /// Time passes without a call of the node.
    func wait(until instant: Instant) { now = instant }

    // MARK: Observations

    var deadline: Instant? { node.nextDeadline?.at }

    func counter(_ name: MeshCounter) -> UInt64 { node.counted([name]) }

    var duplicate: SeenDuplicate? { node.duplicate(now: now) }

    func peerSnapshot(_ seed: UInt64) -> PeerSnapshot {
        node.peerSnapshot(of: TestIdentity.nodeID(seed: seed), now: now)
    }

    func status(_ seed: UInt64) -> PeerStatus? { peerSnapshot(seed).link?.status }

    func dials(expecting seed: UInt64?) -> [Dial] {
        dials.filter { $0.expecting == seed.map { TestIdentity.nodeID(seed: $0) } }
    }

    private func drain() {
        while let output = node.nextOutput() {
            switch output {
            case .dial(let id, let endpoint, let expected):
                let dial = Dial(id: id, at: now, to: endpoint, expecting: expected)
                dials.append(dial)
                if let input = answer(dial) { coming.append((now + .milliseconds(1), input)) }
            case .cancelDial(let id): cancelled.append(id)
            case .carrierClose(let id): closed.append(id)
            case .event(let event): events.append(event)
            case .announceSealed(let service): services.append(service)
            case .sendBeacon(let bytes): beacons.append(bytes)
            case .storeMesh(let mesh): stored.append(mesh)
            case .proveCode(let id, let task): tasks.append((id, task))
            case .carrierSend(let id, let bytes):
                if let message = try? CarrierMessage(parsing: bytes, isBeforeHello: false) {
                    sent.append((id, message))
                }
            default: break
            }
        }
    }
}
