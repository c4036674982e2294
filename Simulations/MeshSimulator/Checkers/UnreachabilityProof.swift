/// Why a pair cannot have a link, from what the world knows and not from what nodes say (after TigerBeetle's rule for
/// its liveness mode): a stall is excused where this proves it, and nowhere else.
///
/// A link needs keys, and keys a connection: a direct one, or one through a single neighbour that has connections to
/// both (docs/decisions/012-tunnelled-carrier.md). Discovery is no ground: neighbours tell of everybody, and a pair
/// without any neighbour has to find itself.
package enum UnreachabilityProof: Hashable, Sendable {
    /// Neither their own way nor one over any single other host carries a connection.
    case noRoute(Int, Int)

    /// Nil where nothing is proved: then the pair has to be linked. Who should run and is off is no excuse either.
    package init?(between a: Int, and b: Int, in world: World) {
        if world.isOff(a) || world.isOff(b) || UnreachabilityProof.carries(a, b, in: world) { return nil }
        for neighbour in 0..<world.nodeCount where neighbour != a && neighbour != b {
            if UnreachabilityProof.carries(a, neighbour, in: world),
                UnreachabilityProof.carries(neighbour, b, in: world)
            {
                return nil
            }
        }
        self = .noRoute(a, b)
    }

    /// Whether two hosts, both of them up, can keep a connection with each other.
    private static func carries(_ a: Int, _ b: Int, in world: World) -> Bool {
        !world.isOff(a) && !world.isOff(b) && passes(a, b, in: world) && passes(b, a, in: world)
    }

    private static func passes(_ from: Int, _ to: Int, in world: World) -> Bool {
        let rule = world.network[from, to]
        let loses = rule.lossPermille == 1_000
        return world.network.isOpen(from: from, to: to) && !rule.dropsStreams && !loses
    }
}

extension World {
    /// The first ordered pair of `nodes` that is not up and for which nothing proves that it could not be.
    package func firstStall(among nodes: [Int]) -> (observer: Int, peer: Int)? {
        guard up.firstGap(among: nodes) != nil else { return nil }
        for observer in nodes {
            for peer in nodes where peer != observer && !up.isUp(peer, at: observer) {
                if UnreachabilityProof(between: observer, and: peer, in: self) == nil { return (observer, peer) }
            }
        }
        return nil
    }
}
