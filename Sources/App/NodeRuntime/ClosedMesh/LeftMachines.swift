import Mesh
import Node
package import Primitives
import SystemClock
import Wire

/// The machines of the nodes that a person leaves behind, and the nodes that feed programme there.
///
/// A person names the node of a person. The node that feeds the programme of that person runs on the same machine,
/// with a key and a name of its own. If it stayed, a thief of the machine could still hear the mesh through it. An
/// address shows where a node is, but not to whom it belongs. So no other node is left behind because of its address.
package struct LeftMachines: Hashable, Sendable {
    /// Another node, as far as this node knows where it is.
    package struct Sighting: Hashable, Sendable {
        let node: NodeID
        let addresses: Set<IPAddress>
        /// Nil if this node has had no record of it since its start.
        let feedsProgramme: Bool?

        /// - Parameter addresses: those at which it is, or was last.
        package init(node: NodeID, addresses: [IPAddress], feedsProgramme: Bool?) {
            self.node = node
            // Each loopback address leads to this machine.
            self.addresses = Set(addresses.map { $0.isLoopback ? Sighting.loopback : $0 })
            self.feedsProgramme = feedsProgramme
        }

        private static let loopback = IPAddress(v4: 127, 0, 0, 1)

        fileprivate func sharesAddress(with other: Sighting) -> Bool { !addresses.isDisjoint(with: other.addresses) }
    }

    /// The nodes that feed programme at an address of a node that is left. They are left behind with it.
    package let programmes: [NodeID]
    /// Nodes that the person has to name if they run on a machine that is left: each other node that feeds programme,
    /// and each node that may feed programme and may be there.
    package let unclear: Set<NodeID>

    /// - Parameters:
    ///   - left: the nodes that the person leaves behind.
    ///   - seen: all nodes that may be in the mesh, with those that are left.
    package init(of left: [NodeID], among seen: [Sighting]) {
        let there = seen.filter { left.contains($0.node) }
        var programmes: [NodeID] = []
        var unclear: Set<NodeID> = []
        for other in seen where !left.isEmpty && !left.contains(other.node) {
            let isThere = there.contains { $0.sharesAddress(with: other) }
            switch other.feedsProgramme {
            case true? where isThere: programmes.append(other.node)
            case true?: unclear.insert(other.node)
            case false?: break
            case nil:
                let isPlaceKnown = !other.addresses.isEmpty && there.allSatisfy { !$0.addresses.isEmpty }
                if isThere || !isPlaceKnown { unclear.insert(other.node) }
            }
        }
        (self.programmes, self.unclear) = (programmes, unclear)
    }
}

extension NodeLoop {
    /// Where each node is that may be in the mesh. The node that feeds the programme of this one is left out: it
    /// belongs to the person of this node, even if the node of another person runs on this machine, too.
    var sightings: [LeftMachines.Sighting] {
        let now = Instant.monotonicNow()
        let peers = core.mesh.peers
        let present = Set(peers.map(\.node))
        let met = peers.map { peer in
            let found = core.mesh.peerSnapshot(of: peer.node, now: now)
            let addresses = (found.link?.addresses.newestFirst ?? []).map(\.endpoint.address)
            return LeftMachines.Sighting(
                node: peer.node, addresses: addresses + [peer.endpoint?.address].compactMap { $0 },
                feedsProgramme: found.known == nil ? nil : peer.profile.feedsProgramme)
        }
        let others = core.mesh.knownMembers.filter { !present.contains($0) }
            .map { LeftMachines.Sighting(node: $0, addresses: [], feedsProgramme: nil) }
        return (met + others).filter { $0.node != programme?.node }
    }
}
