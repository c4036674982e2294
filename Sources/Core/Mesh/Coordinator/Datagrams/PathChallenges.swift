import Primitives
import Trust
import Wire

/// New paths to a peer. An authentic datagram from an unknown source causes one sealed challenge to that source
/// (`PathChallenge`); the answer makes the source a path.
extension MeshNode {
    mutating func updatePaths(
        _ body: DatagramBody, of index: Int, _ role: SessionRole, _ arrival: DatagramArrival, size: Int, now: Instant
    ) {
        let hasProved = body.pathAnswer.map { provePath($0, of: index, role, now: now) } ?? false
        if let number = body.pathChallenge {
            // Only the answer is sent to an unproved address. With a challenge in addition, this node would send more
            // bytes than it received from there.
            return answer(number, of: index, role, arrival, size: size, now: now)
        }
        // The answer has just proved the address that `arrival` still names as a stranger. A new challenge would make
        // it unproved again.
        guard !hasProved else { return }
        if case .stranger(let endpoint) = arrival { challenge(endpoint, of: index, role, size: size, now: now) }
    }

    /// Sends a challenge to an address.
    /// - Parameters:
    ///   - size: the bytes that came from there.
    ///   - isAnnounced: the address was advertised and nothing came from it. The caller has taken the token from an
    ///     allowance of the same rate.
    mutating func challenge(
        _ endpoint: Endpoint, of index: Int, _ role: SessionRole = .current, size: Int = WireLimits.datagramBytesMax,
        isAnnounced: Bool = false, now: Instant
    ) {
        let number = sealing.randomBytes(count: 8).reduce(0) { $0 << 8 | UInt64($1) }
        guard let session = links[index].session(in: role), let set = paths[index].pathSet(in: role),
            let body = set.makeChallenge(
                number: number, sizeMax: size, isAnnounced: isAnnounced && role != .candidate,
                overhead: session.overheadBytes, &effects, now: now),
            let datagram = session.seal(body)
        else { return }
        set.sendChallenge(datagram, number: number, to: endpoint, &effects, now: now)
    }

    /// Challenges the addresses that the peer is said to have and that no proved path leads to. Other datagrams go to
    /// such an address only after the peer has answered from it.
    /// - Parameter isAgain: challenges also the addresses that have not answered an earlier challenge.
    mutating func challengeAddresses(_ index: Int, isAgain: Bool = true, now: Instant) {
        guard let set = paths[index].current else { return }
        let addresses = set.unprovedAddresses(among: dialOrder(of: index, now: now), isAgain: isAgain)
        for endpoint in addresses where set.admitsAnnouncedChallenge(now: now) {
            challenge(endpoint, of: index, isAnnounced: true, now: now)
        }
    }

    /// Sends the number of a challenge back on its route.
    private mutating func answer(
        _ number: UInt64, of index: Int, _ role: SessionRole, _ arrival: DatagramArrival, size: Int, now: Instant
    ) {
        guard let session = links[index].session(in: role), let set = paths[index].pathSet(in: role),
            let route = set.answerRoute(arrival, size: size, overhead: session.overheadBytes, &effects),
            let datagram = session.seal(DatagramBody(pathAnswer: number))
        else { return }
        emit(datagram, of: index, over: route, session.carrier, now: now)
    }

    /// Probes the address that was challenged with `number`: the echo lets the path be chosen. Returns whether the
    /// number named a challenge.
    private mutating func provePath(_ number: UInt64, of index: Int, _ role: SessionRole, now: Instant) -> Bool {
        guard let path = paths[index].prove(challengedWith: number, of: role, &effects) else { return false }
        switch role {
        case .candidate: sendProbe(ofCandidate: index, over: path, now: now)
        case .current, .retired: send(of: index, over: path, control: .probe, now: now)
        }
        return true
    }
}
