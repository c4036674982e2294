import Trust

/// Proof that two nodes cannot have a link. It rests on the state of the world, not on what nodes report (after
/// TigerBeetle's rule for its liveness mode). Only this proof excuses a link that is missing.
///
/// A link needs keys, and keys need a carrier: a direct one, or a tunnel through a single neighbour that has direct
/// carriers to both nodes (docs/decisions/012-tunnelled-carrier.md). A node of another mesh than one of them is no such
/// neighbour, nor is a hostile node that may refuse tunnels. Missing hints of discovery are no excuse. A common
/// neighbour tells each of the two nodes about the other. Two nodes without a common neighbour must find each other by
/// beacons or known addresses.
package enum UnreachabilityProof: Hashable, Sendable {
    /// No carrier between the two can last, neither a direct one nor one through any single other node that may link
    /// with both.
    case noRoute(Int, Int)

    /// Nil if nothing is proved; then the two nodes must be linked. That a node is off although it should run is no
    /// excuse either.
    package init?(between a: Int, and b: Int, in world: World) {
        if world.isOff(a) || world.isOff(b) || UnreachabilityProof.carries(a, b, in: world) { return nil }
        for neighbour in 0..<world.nodeCount where neighbour != a && neighbour != b {
            guard world.isHonestNeighbour(neighbour) else { continue }
            let isRoute = [a, b].allSatisfy {
                world.haveOneCode($0, neighbour) && UnreachabilityProof.carries($0, neighbour, in: world)
            }
            if isRoute { return nil }
        }
        self = .noRoute(a, b)
    }

    /// Whether a connection can last between two hosts that both run.
    static func carries(_ a: Int, _ b: Int, in world: World) -> Bool {
        !world.isOff(a) && !world.isOff(b) && passes(a, b, in: world) && passes(b, a, in: world)
    }

    private static func passes(_ from: Int, _ to: Int, in world: World) -> Bool {
        let rule = world.network[from, to]
        let loses = rule.lossPermille == 1_000
        return world.network.isOpen(from: from, to: to) && !rule.dropsStreams && !loses
    }
}

extension World {
    /// Returns the first observer and peer among `nodes` without a link up, although no proof excuses it.
    package func firstStall(among nodes: [Int]) -> (observer: Int, peer: Int)? {
        guard up.firstGap(among: nodes) != nil else { return nil }
        for observer in nodes {
            for peer in nodes where peer != observer && !up.isUp(peer, at: observer) {
                if UnreachabilityProof(between: observer, and: peer, in: self) == nil { return (observer, peer) }
            }
        }
        return nil
    }

    /// Whether both nodes are in an open mesh, or have the same code of a closed mesh. The proof takes it that no other
    /// two nodes can link.
    fileprivate func haveOneCode(_ a: Int, _ b: Int) -> Bool { code(of: a) == code(of: b) }

    /// The key of the code of a closed mesh that the node has as a member or as a newcomer; nil in an open mesh, and
    /// for a member without the code.
    private func code(of node: Int) -> [UInt8]? {
        switch nodes[node].standing {
        case .open: return nil
        case .newcomer(let codeKey, _): return codeKey
        case .member(let mesh): return mesh.codeKey
        }
    }
}
