import Primitives
import Trust
import TrustCrypto
import Wire

/// A node as its record describes it. Its keys are real, so its signatures are valid, but perhaps no such node runs.
struct ClaimedNode {
    static let instance = Instance(exactly: 1) ?? .max
    /// Any port: nobody listens there.
    private static let mediaPort: UInt16 = 9

    let sealing: any Sealing
    let bootNonce = BootNonce(number: .random(in: .min ... .max))

    /// Makes a node with new keys.
    init() throws { try self.init(seed: MemberIdentity.randomBytes(count: 32)) }

    /// - Parameter seed: 32 bytes, the Ed25519 private key.
    init(seed: [UInt8]) throws {
        sealing = try CryptoSealing(privateKey: seed, randomBytes: MemberIdentity.randomBytes(count:))
    }

    func record(named name: String, at endpoints: [Endpoint] = [], sequence: UInt32 = 1) -> NodeRecord {
        NodeRecord(
            node: sealing.nodeID, instance: Self.instance, bootNonce: bootNonce, sequence: sequence,
            endpoints: endpoints, profile: NodeProfile(name: SafeText(name)), isLeaving: false)
    }

    func signed(_ record: NodeRecord) -> SignedRecord { SignedRecord(signing: record, with: sealing) }

    /// A valid HELLO for an open mesh.
    func hello(to mesh: String) -> [UInt8] {
        CarrierMessage.hello(
            Hello(
                versionMin: WireLimits.version, versionMax: WireLimits.version, mesh: mesh,
                meshID: MeshID(ofOpenMesh: mesh, sealing: sealing), record: signed(record(named: "hostile-stranger")),
                yourRecord: nil, nonce: MemberIdentity.randomBytes(count: WireSizes.nonceBytes), bootNonce: bootNonce,
                mediaPort: Self.mediaPort, yourInstanceSeen: nil)
        ).encoded()
    }

    /// As many addresses on the network of `victim` as a record may have. No host of the rig has them, so a dial there
    /// hangs.
    static func deadEndpoints(near victim: Endpoint, number: Int) -> [Endpoint] {
        let network = (victim.address.v4 ?? 0) & 0xFFFF_FF00
        return (0..<WireLimits.recordEndpointsMax).map { place in
            Endpoint(
                address: IPAddress(v4: network | UInt32(100 + (number * 8 + place) % 100)), port: UInt16(7_400 + place))
        }
    }
}
