import Foundation
import Primitives
import StateStore

/// Keeps where peers were reached, as dial hints for the next start.
struct RememberedPeers {
    let database: StateDatabase

    func remember(_ node: NodeID, name: SafeText, endpoints: [Endpoint]) {
        database.remember(
            KnownPeer(
                node: node, name: name, endpoints: endpoints, lastSeenUnixSeconds: Int64(Date().timeIntervalSince1970)))
    }
}
