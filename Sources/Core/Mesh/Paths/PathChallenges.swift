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
        let session =
            switch role {
            case .candidate: peers[index].candidate
            case .current, .retired: peers[index].session
            }
        guard let session else { return }
        let isAsked = isAnnounced && role != .candidate
        switch session.challenge(endpoint, number: number, sizeMax: size, isAnnounced: isAsked, now: now) {
        case .send(let datagram):
            counters.count(.pathChallengesSent)
            outputs.append(.send(datagram, to: endpoint))
        case .overRate: counters.count(.pathChallengesOverRate)
        case .tooLarge: counters.count(.pathChallengesTooLarge)
        case .noRoom: counters.count(.pathTableFull)
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
        guard let session = peers[index].session else { return }
        let told = dialOrder(of: index, now: now)
        let unasked = told.filter { session.paths.index(of: .address($0)) == nil }
        let unproved = told.filter { endpoint in
            session.paths.index(of: .address(endpoint)).map { session.paths[$0].trust != .proved } ?? false
        }
        for endpoint in isAgain ? unasked + unproved : unasked where session.announcedChallenges.take(now: now) {
            challenge(endpoint, of: index, isAnnounced: true, now: now)
        }
    }

    /// Sends the number of a challenge back on its route; to an unproved address never with more bytes than came.
    private mutating func answer(
        _ number: UInt64, of index: Int, _ role: SessionRole, _ arrival: Arrival, size: Int, now: Instant
    ) {
        let session =
            switch role {
            case .candidate: peers[index].candidate
            case .current, .retired: peers[index].session
            }
        guard let session, let answerBytes = session.pathNumberBytes else { return }
        let (route, sizeMax) =
            switch arrival {
            case .path(let path): (session.paths[path].route, WireLimits.datagramBytesMax)
            case .stranger(let endpoint): (PathRoute.address(endpoint), size)
            }
        guard answerBytes <= sizeMax else { return counters.count(.pathAnswersTooLarge) }
        guard let datagram = session.media.seal(DatagramBody(pathAnswer: number).encoded()) else { return }
        emit(datagram, of: index, over: route, session.carrier, now: now)
    }

    /// Marks the address that was challenged with `number` as proved, and probes it: the echo lets the path be chosen.
    /// Returns whether the number named a challenge.
    private mutating func provePath(_ number: UInt64, of index: Int, _ role: SessionRole, now: Instant) -> Bool {
        let path =
            switch role {
            case .candidate: peers[index].candidate?.prove(challengedWith: number)
            case .current, .retired: peers[index].session?.prove(challengedWith: number)
            }
        guard let path else {
            counters.count(.pathAnswersUnknown)
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
        peers[index].session?.paths.chooseAndSchedule(now: now)
        guard peers[index].state.isLinked, let route = peers[index].session?.paths.chosenPath.route else { return }
        // Only a carrier can be advertised as another kind. The call is avoided for other paths, because the compiler
        // moves the whole node for it.
        let path = AdvertisedPath(
            route, toOthers: route.kind == .carrier ? advertised(.carrier, of: index) : route.kind)
        let before = paths[index].advertisedPath
        guard path != before else { return }
        paths[index].advertisedPath = path
        deadlines.needsRefresh = true
        if path.kind != before.kind || path.neighbour != before.neighbour {
            outputs.append(
                .event(.pathChanged(peers[index].slot, peers[index].node, path.kind, through: path.neighbour)))
        }
        guard path.toOthers != before.toOthers else { return }
        membership.linkAdvertisement.change(.path, now: now)
        // A datagram that is relayed through this neighbour would need two hops now.
        if path.toOthers == .relay { forgetRelay(peers[index].node, now: now) }
    }

    /// Sends the probes that are due on better paths than the chosen one.
    mutating func probePaths(_ index: Int, now: Instant) {
        guard let count = peers[index].session?.paths.paths.count else { return }
        for path in 0..<count {
            guard let at = peers[index].session?.paths[path].probeAt, at <= now else { continue }
            peers[index].session?.paths.probeSent(path, now: now)
            send(of: index, over: path, control: .probe, now: now)
        }
    }
}

extension Session {
    enum ChallengeOutcome {
        case send([UInt8])
        case overRate
        case tooLarge
        case noRoom
        case notSealing
    }

    /// Bytes of a sealed challenge or answer without padding, with the present key id and counter; nil while the
    /// session has no key to seal with.
    var pathNumberBytes: Int? { media.overheadBytes.map { $0 + WireSizes.pathNumberBodyBytes } }

    /// - Parameter isAnnounced: nothing came from `endpoint`, and the caller has taken the token.
    func challenge(
        _ endpoint: Endpoint, number: UInt64, sizeMax: Int, isAnnounced: Bool = false, now: Instant
    ) -> ChallengeOutcome {
        guard isAnnounced || challenges.take(now: now) else { return .overRate }
        guard let size = pathNumberBytes else { return .notSealing }
        guard size <= sizeMax else { return .tooLarge }
        // Pads the challenge to the length of the longest answer, but not beyond the size of what came: to an
        // unproved address, the peer answers with no more bytes than the challenge has.
        let answerMax = MediaSession.overheadBytesMax + WireSizes.pathNumberBodyBytes
        let body = DatagramBody(pathChallenge: number, paddingBytes: max(0, min(sizeMax, answerMax) - size))
        guard let datagram = media.seal(body.encoded()) else { return .notSealing }
        // An earlier challenge to this address may be lost, so a new number is sent.
        let known = paths.index(of: .address(endpoint))
        guard let path = known ?? paths.add(challenged: endpoint, number: number, now: now) else { return .noRoom }
        paths[path].challengedAt = now
        paths[path].trust = .challenged(number: number)
        return .send(datagram)
    }

    func prove(challengedWith number: UInt64) -> Int? {
        guard let path = paths.index(challengedWith: number) else { return nil }
        paths[path].trust = .proved
        return path
    }
}
