import Primitives
import Trust
import Wire

/// New paths to a peer. An authentic datagram from an unknown source causes one sealed challenge to that source; the
/// answer makes the source a path. NAT, several interfaces and roaming work. Redirection does not, because only the
/// peer can answer (RFC 9000 §8.2, §9.3).
extension MeshNode {
    mutating func updatePaths(
        _ body: DatagramBody, of index: Int, _ role: SessionRole, _ arrival: Arrival, size: Int, now: Instant
    ) {
        let hasProved = body.pathAnswer.map { provePath($0, of: index, role, now: now) } ?? false
        if let number = body.pathChallenge {
            // To an unproved address only the answer leaves: with a challenge beside it, more would leave than came.
            return answer(number, of: index, role, arrival, size: size, now: now)
        }
        // The answer has just proved the address that `arrival` still names as a stranger. A new challenge would make
        // it unproved again.
        guard !hasProved else { return }
        if case .stranger(let endpoint) = arrival { challenge(endpoint, of: index, role, size: size, now: now) }
    }

    /// Sends a challenge to an address: at most twice a second, and never with more bytes than came from there, so
    /// that this node amplifies nothing.
    /// - Parameter isAnnounced: the address was advertised and nothing came from it. The caller has taken the token
    ///   from an allowance of the same rate.
    mutating func challenge(
        _ endpoint: Endpoint, of index: Int, _ role: SessionRole = .current, size: Int = WireLimits.datagramBytesMax,
        isAnnounced: Bool = false, now: Instant
    ) {
        let number = sealing.randomBytes(count: 8).reduce(0) { $0 << 8 | UInt64($1) }
        guard let session = links[index].session(in: role), let set = paths[index].set(of: role) else { return }
        let isAsked = isAnnounced && role != .candidate
        switch set.makeChallenge(
            number: number, sizeMax: size, isAnnounced: isAsked, overhead: session.media.overheadBytes, now: now)
        {
        case .body(let body):
            guard let datagram = session.seal(body) else { return }
            guard set.challenged(endpoint, number: number, now: now) else { return effects.count(.pathTableFull) }
            effects.count(.pathChallengesSent)
            effects.output(.send(datagram, to: endpoint))
        case .overRate: effects.count(.pathChallengesOverRate)
        case .tooLarge: effects.count(.pathChallengesTooLarge)
        case .notSealing: break
        }
    }

    /// Challenges the addresses that the peer is said to have and that no proved path leads to. Other datagrams go to
    /// such an address only after the peer has answered from it.
    ///
    /// Addresses without a challenge come first. These challenges have an allowance of their own, so that they take
    /// nothing from the sources of datagrams.
    /// - Parameter isAgain: challenges also the addresses that have not answered an earlier challenge.
    mutating func challengeAddresses(_ index: Int, isAgain: Bool = true, now: Instant) {
        guard let session = paths[index].session else { return }
        let told = dialOrder(of: index, now: now)
        let unasked = told.filter { session.table.index(of: .address($0)) == nil }
        let unproved = told.filter { endpoint in
            session.table.index(of: .address(endpoint)).map { session.table[$0].trust != .proved } ?? false
        }
        for endpoint in isAgain ? unasked + unproved : unasked where session.announcedChallenges.take(now: now) {
            challenge(endpoint, of: index, isAnnounced: true, now: now)
        }
    }

    /// Sends the number of a challenge back on its route; to an unproved address never with more bytes than came.
    private mutating func answer(
        _ number: UInt64, of index: Int, _ role: SessionRole, _ arrival: Arrival, size: Int, now: Instant
    ) {
        guard let session = links[index].session(in: role), let set = paths[index].set(of: role),
            let answerBytes = PathSet.pathNumberBytes(overhead: session.media.overheadBytes)
        else { return }
        let (route, sizeMax) =
            switch arrival {
            case .path(let path): (set.table[path].route, WireLimits.datagramBytesMax)
            case .stranger(let endpoint): (PathRoute.address(endpoint), size)
            }
        guard answerBytes <= sizeMax else { return effects.count(.pathAnswersTooLarge) }
        guard let datagram = session.seal(DatagramBody(pathAnswer: number)) else { return }
        emit(datagram, of: index, over: route, session.carrier, now: now)
    }

    /// Marks the address that was challenged with `number` as proved, and probes it: the echo lets the path be chosen.
    /// Returns whether the number named a challenge.
    private mutating func provePath(_ number: UInt64, of index: Int, _ role: SessionRole, now: Instant) -> Bool {
        guard let path = paths[index].set(of: role)?.prove(challengedWith: number) else {
            effects.count(.pathAnswersUnknown)
            return false
        }
        switch role {
        case .candidate: sendProbe(ofCandidate: index, over: path, now: now)
        case .current, .retired: send(of: index, over: path, control: .probe, now: now)
        }
        return true
    }

    /// Moves the voice to the best living path. Reports the path where its kind or its neighbour changed.
    mutating func choosePath(_ index: Int, now: Instant) {
        paths[index].session?.table.chooseAndSchedule(now: now)
        guard links[index].state.isLinked, let route = paths[index].session?.table.chosenPath.route else { return }
        // Only a carrier can be advertised as another kind. The call is avoided for other paths, because the compiler
        // moves the whole node for it.
        let path = AdvertisedPath(
            route, toOthers: route.kind == .carrier ? advertised(.carrier, of: index) : route.kind)
        let before = paths[index].advertisedPath
        guard path != before else { return }
        paths[index].advertisedPath = path
        effects.invalidateDeadlines()
        if path.kind != before.kind || path.neighbour != before.neighbour {
            effects.report(.pathChanged(links[index].slot, links[index].node, path.kind, through: path.neighbour))
        }
        guard path.toOthers != before.toOthers else { return }
        membership.linkAdvertisement.change(.path, now: now)
        // A datagram that is relayed through this neighbour would need two hops now.
        if path.toOthers == .relay { forgetRelay(links[index].node, now: now) }
    }

    /// Sends the probes that are due on better paths than the chosen one.
    mutating func probePaths(_ index: Int, now: Instant) {
        guard let count = paths[index].session?.table.paths.count else { return }
        for path in 0..<count {
            guard let at = paths[index].session?.table[path].probeAt, at <= now else { continue }
            paths[index].session?.table.probeSent(path, now: now)
            send(of: index, over: path, control: .probe, now: now)
        }
    }
}

extension PathSet {
    enum Challenge {
        case body(DatagramBody)
        case overRate
        case tooLarge
        case notSealing
    }

    /// Returns the bytes of a sealed challenge or answer without padding, with the present key id and counter; nil
    /// while the session has no key to seal with.
    /// - Parameter overhead: the bytes that sealing adds now; nil without a key.
    static func pathNumberBytes(overhead: Int?) -> Int? { overhead.map { $0 + WireSizes.pathNumberBodyBytes } }

    /// - Parameters:
    ///   - isAnnounced: nothing came from the address, and the caller has taken the token.
    ///   - overhead: the bytes that sealing adds now; nil without a key.
    func makeChallenge(number: UInt64, sizeMax: Int, isAnnounced: Bool, overhead: Int?, now: Instant) -> Challenge {
        guard isAnnounced || challenges.take(now: now) else { return .overRate }
        guard let size = PathSet.pathNumberBytes(overhead: overhead) else { return .notSealing }
        guard size <= sizeMax else { return .tooLarge }
        // Pads the challenge to the length of the longest answer, but not beyond the size of what came: to an
        // unproved address, the peer answers with no more bytes than the challenge has.
        let answerMax = MediaSession.overheadBytesMax + WireSizes.pathNumberBodyBytes
        return .body(DatagramBody(pathChallenge: number, paddingBytes: max(0, min(sizeMax, answerMax) - size)))
    }

    /// Registers a challenge to an address. Returns false where the table has no room for its path.
    func challenged(_ endpoint: Endpoint, number: UInt64, now: Instant) -> Bool {
        // An earlier challenge to this address may be lost, so a new number is sent.
        let known = table.index(of: .address(endpoint))
        guard let path = known ?? table.add(challenged: endpoint, number: number, now: now) else { return false }
        table[path].challengedAt = now
        table[path].trust = .challenged(number: number)
        return true
    }

    /// Marks the path that was challenged with `number` as proved, and returns its index.
    func prove(challengedWith number: UInt64) -> Int? {
        guard let path = table.index(challengedWith: number) else { return nil }
        table[path].trust = .proved
        return path
    }
}
