package import Primitives
import Trust

/// Identities by number.
package enum TestIdentity {
    package static func nodeID(seed: UInt64) -> NodeID { TransparentSealing(seed: seed).nodeID }
}
