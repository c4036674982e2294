import Mesh
import Primitives
package import Trust
import Wire

/// A closed mesh with a code, both made from a number.
package struct CodedMesh {
    package let mesh: ClosedMesh
    package let codeKey: [UInt8]
    private let sealing: any Sealing

    package init(_ number: UInt8, in world: World) {
        sealing = world.options.sealing(0, 0)
        codeKey = [UInt8](repeating: number, count: CodeSizes.codeKeyBytes)
        guard let secret = EpochSecret(number: 1, bytes: [UInt8](repeating: number, count: EpochSecret.byteCount))
        else { preconditionFailure("a secret has \(EpochSecret.byteCount) bytes") }
        mesh = ClosedMesh(
            id: MeshID(high: UInt64(number), low: 0), name: world.options.mesh, secrets: [secret],
            codeKey: codeKey, with: sealing)
    }

    /// Returns the beacon of a member of this mesh.
    func beacon(port: UInt16, number: UInt8) -> [UInt8] {
        let record = NodeRecord(
            node: sealing.nodeID, instance: .max, bootNonce: BootNonce(number: 1), sequence: 1, endpoints: [],
            profile: NodeProfile(name: SafeText("x")), isLeaving: false)
        return SealedBeacon(
            SignedRecord(signing: record, with: sealing), port: port,
            salt: [UInt8](repeating: number, count: WireSizes.beaconSaltBytes),
            nonce: [UInt8](repeating: number, count: WireSizes.sealNonceBytes), keys: mesh.newestKeys, with: sealing
        ).encoded()
    }
}
