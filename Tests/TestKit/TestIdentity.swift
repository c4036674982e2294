package import Primitives
import Trust
package import Wire

/// Identities for tests, made from a number.
package enum TestIdentity {
    package static func nodeID(seed: UInt64) -> NodeID { TransparentSealing(seed: seed).nodeID }

    /// Returns the record of a node that no other node has been linked with: highest instance, no address.
    package static func record(seed: UInt64, sequence: UInt32 = 1) -> SignedRecord {
        let sealing = TransparentSealing(seed: seed)
        let record = NodeRecord(
            node: sealing.nodeID, instance: .max, bootNonce: BootNonce(number: 1), sequence: sequence, endpoints: [],
            profile: NodeProfile(name: SafeText("x")), isLeaving: false)
        return SignedRecord(signing: record, with: sealing)
    }
}
