import Primitives
import Trust
import Wire

/// A challenge to an address: a sealed number, which the peer must send back. Only a peer that receives what is sent to
/// the address can do so. So NAT, several interfaces and roaming work, and redirection does not (RFC 9000 §8.2, §9.3).
///
/// If a datagram from an unproved address causes a challenge or an answer, this has no more bytes than the datagram, so
/// that this node amplifies nothing. A challenge to an address that was only advertised has no datagram before it: such
/// challenges are bounded by their rate alone.
enum PathChallenge {
    /// Returns the bytes of a sealed challenge or answer without padding.
    /// - Parameter overhead: the bytes that sealing adds, with the present key id and counter.
    static func unpaddedBytes(overhead: Int) -> Int { overhead + WireSizes.pathNumberBodyBytes }

    /// Returns the content of a challenge with this number; nil if the sealed challenge would have more than `sizeMax`
    /// bytes.
    static func body(number: UInt64, sizeMax: Int, overhead: Int) -> DatagramBody? {
        let size = unpaddedBytes(overhead: overhead)
        guard size <= sizeMax else { return nil }
        // Pads the challenge to the length of the longest answer, but to `sizeMax` at most. The padding is needed
        // because this node's address may be unproved for the peer too: the peer then answers with no more bytes than
        // the challenge has.
        let answerMax = unpaddedBytes(overhead: MediaSession.overheadBytesMax)
        return DatagramBody(pathChallenge: number, paddingBytes: max(0, min(sizeMax, answerMax) - size))
    }
}

/// The challenges and answers that a session may send (`PathChallenge`).
extension PathSet {
    /// Returns the announced addresses to which no proved path leads, first those that have no path. Only a few are
    /// challenged at once, so the addresses take turns: the order begins after the address that was challenged last. If
    /// the peer has more addresses than the table has places, a challenge to one displaces another.
    /// - Parameter isAgain: returns also the addresses that have not answered an earlier challenge.
    func unprovedAddresses(among announced: [Endpoint], isAgain: Bool) -> [Endpoint] {
        let next = lastAnnounced.flatMap { announced.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
        let inTurn = announced[next...] + announced[..<next]
        let unasked = inTurn.filter { table.index(of: .address($0)) == nil }
        guard isAgain else { return unasked }
        return unasked
            + inTurn.filter { endpoint in
                table.index(of: .address(endpoint)).map { table[$0].trust != .proved } ?? false
            }
    }

    /// Returns the content of a challenge; nil if no challenge may leave now. Two may leave at once, and then one in
    /// each `MeshLimits.pathChallengeInterval`.
    /// - Parameters:
    ///   - sizeMax: the bytes that came from the address.
    ///   - isAnnounced: nothing came from the address, and the caller has taken the token.
    ///   - overhead: the bytes that sealing adds now; nil while the session has no key to seal with.
    func makeChallenge(
        number: UInt64, sizeMax: Int, isAnnounced: Bool, overhead: Int?, _ effects: inout Effects, now: Instant
    ) -> DatagramBody? {
        guard isAnnounced || admitsChallenge(now: now) else {
            effects.count(.pathChallengesOverRate)
            return nil
        }
        guard let overhead else { return nil }
        guard let body = PathChallenge.body(number: number, sizeMax: sizeMax, overhead: overhead) else {
            effects.count(.pathChallengesTooLarge)
            return nil
        }
        return body
    }

    /// Sends a sealed challenge to an address, and waits for its answer.
    func sendChallenge(
        _ datagram: [UInt8], number: UInt64, to endpoint: Endpoint, _ effects: inout Effects, now: Instant
    ) {
        guard challenge(endpoint, number: number, now: now) else { return effects.count(.pathTableFull) }
        effects.count(.pathChallengesSent)
        effects.output(.send(datagram, to: endpoint))
    }

    /// Returns the route of the answer to a challenge: the one on which the challenge came. Returns nil if no answer
    /// may leave: an answer to an unproved address must not have more bytes than the datagram with the challenge.
    /// - Parameters:
    ///   - size: the bytes of the datagram with the challenge.
    ///   - overhead: the bytes that sealing adds now; nil while the session has no key to seal with.
    func answerRoute(_ arrival: DatagramArrival, size: Int, overhead: Int?, _ effects: inout Effects) -> PathRoute? {
        guard let overhead else { return nil }
        let (route, sizeMax) =
            switch arrival {
            case .path(let path): (table[path].route, WireLimits.datagramBytesMax)
            case .stranger(let endpoint): (PathRoute.address(endpoint), size)
            }
        guard PathChallenge.unpaddedBytes(overhead: overhead) <= sizeMax else {
            effects.count(.pathAnswersTooLarge)
            return nil
        }
        return route
    }
}

/// Which paths are probed, and what a probe of the peer shows.
extension PathSet {
    /// Whether this node probes this path for its candidate session, which comes into use by the first echo. The path
    /// through the carrier is probed only after two probe intervals, if the other paths have brought no echo by then.
    func isProbedAsCandidate(_ path: Int, now: Instant) -> Bool {
        guard table[path].trust == .proved else { return false }
        return table[path].kind != .carrier || MeshLimits.probeInterval * 2 <= now - startedAt
    }

    /// Whether a probe of the peer over this path shows that the peer, too, has lost the chosen path. That is so if the
    /// probe came over a worse kind of path, and the chosen path brings this node no echoes any more.
    func isDoubtShared(by probedPath: Int, now: Instant) -> Bool {
        table.chosenPath.kind.rawValue < table[probedPath].kind.rawValue && !table.chosenPath.isFresh(now: now)
    }

    /// The endpoints of the direct paths on which the peer answers; the path that carries the voice comes first.
    func answeringEndpoints(now: Instant) -> [Endpoint] {
        let chosen = table.chosenPath.route
        let living = table.paths.filter { $0.isAlive(now: now) }
        return (living.filter { $0.route == chosen } + living.filter { $0.route != chosen }).compactMap(\.endpoint)
    }

    /// Whether the table has a path through this neighbour, even one that is not used now.
    func leads(through neighbour: NodeID) -> Bool { table.index(of: .neighbour(neighbour)) != nil }
}
