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
        // The peer's answer in this datagram has just proved an address, mostly the source of the datagram. `arrival`
        // was found before that, and may still name that source as a stranger. A new challenge would make it unproved
        // again.
        guard !hasProved else { return }
        if case .stranger(let endpoint) = arrival { challenge(endpoint, of: index, role, size: size, now: now) }
    }

    /// Sends a challenge to an address.
    /// - Parameters:
    ///   - size: the most bytes that the sealed challenge may have. If a datagram came from the address, this is the
    ///     size of that datagram, so that this node sends no more bytes than came from there.
    ///   - isAnnounced: the address was advertised, and nothing came from it. The caller has taken a token of the
    ///     allowance for challenges to such addresses.
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
        for endpoint in addresses where set.admitsAnnouncedChallenge(to: endpoint, now: now) {
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
        case .current, .retired: sendDatagram(of: index, over: path, control: .probe, now: now)
        }
        return true
    }
}

/// The choice of the path that carries the voice to a peer.
extension MeshNode {
    /// Moves the voice to the best path (`PathTable.choose`). If that path now leads through a third node, this node
    /// sends no datagrams to other peers through the peer at `index` any more: they would need two hops.
    mutating func choosePath(_ index: Int, now: Instant) {
        if moveVoice(index, now: now) { forgetRelay(links[index].node, now: now) }
    }

    /// Moves the voice to the best path. If the kind of the path has changed, advertises the new kind.
    /// - Returns: whether the link was advertised as not relayed, and is advertised as relayed from now on.
    mutating func moveVoice(_ index: Int, now: Instant) -> Bool {
        rankRelays(of: index)
        paths[index].current?.choosePath(now: now)
        guard links[index].state.isLinked, let kind = paths[index].current?.table.chosenPath.kind else { return false }
        // A path through a carrier may be advertised as a relay; see `advertised`. That function would return other
        // kinds unchanged. It is not called for them, because the compiler moves the whole node in memory for the call.
        let toOthers = kind == .carrier ? advertised(.carrier, of: index) : kind
        guard paths[index].reportPath(toOthers: toOthers, &effects) else { return false }
        membership.scheduleLinkStates(after: .path, now: now)
        return toOthers == .relay
    }

    /// Notes which paths through neighbours are worse than a direct carrier of the link: those that use TCP on one of
    /// their halves, from this node to the neighbour or from there to the peer. This node knows its own half, and
    /// learns the other half from the neighbour's link states. Where UDP is blocked at one end of the link, all these
    /// paths use TCP on a half. They would delay the voice as the carrier does, and one neighbour might pass on the
    /// voice for all peers. A tunnelled carrier uses TCP on both halves, so these paths are better than that (decision
    /// 034).
    private mutating func rankRelays(of index: Int) {
        guard let set = paths[index].current else { return }
        for path in set.table.paths.indices {
            guard let node = set.table[path].neighbour, let neighbour = links.index(of: node) else { continue }
            let near = paths[neighbour].current?.table.chosenPath.kind
            let far = membership[neighbour].links[links[index].node]?.path
            let hasTCP = near == .carrier || far == .carrier
            set.rank(path, afterCarrier: hasTCP && !links.lacksDirectCarrier(index))
        }
    }
}
