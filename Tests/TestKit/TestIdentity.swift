package import Primitives
import Trust
package import Wire

/// Identities by number.
package enum TestIdentity {
    package static func nodeID(seed: UInt64) -> NodeID { TransparentSealing(seed: seed).nodeID }

    /// A record as a node that nobody has met would sign it: of the highest instance, at no address.
    package static func record(seed: UInt64, sequence: UInt32 = 1) -> SignedRecord {
        let sealing = TransparentSealing(seed: seed)
        let record = NodeRecord(
            node: sealing.nodeID, instance: .max, bootNonce: BootNonce(number: 1), sequence: sequence, endpoints: [],
            name: SafeText("x"), role: SafeText(""), colour: 0, isLeaving: false)
        return SignedRecord(signing: record, with: sealing)
    }
}
