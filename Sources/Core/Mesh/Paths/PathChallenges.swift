import Primitives
import Trust
import Wire

/// New ways to a peer: a datagram that authenticates from an unknown source triggers one sealed
/// challenge there, and the answer makes it a path. NAT, several interfaces and roaming work;
/// redirection does not, for only the peer can answer (RFC 9000 §8.2, §9.3).
extension MeshNode {
    mutating func updatePaths(
        _ body: DatagramBody, of index: Int, _ role: SessionRole, _ arrival: Arrival, size: Int, now: Instant
    ) {
        let hasProved = body.pathAnswer.map { provePath($0, of: index, role, now: now) } ?? false
        if let number = body.pathChallenge {
            // From a stranger this is all that leaves: an own challenge beside it would be more than came.
            return answer(number, of: index, role, arrival, size: size, now: now)
        }
        // Who has just answered is no stranger any more; asked again, it would have to prove itself again.
        guard !hasProved else { return }
        if case .stranger(let endpoint) = arrival { challenge(endpoint, of: index, role, size: size, now: now) }
    }

    /// Asks the source; at most twice a second, and never with more than what came, so that this
    /// node amplifies nothing. An address that the peer only tells of is asked twice a second at most, too.
    mutating func challenge(
        _ endpoint: Endpoint, of index: Int, _ role: SessionRole = .current, size: Int = WireLimits.datagramBytesMax,
        isTold: Bool = false, now: Instant
    ) {
        let number = sealing.randomBytes(count: 8).reduce(0) { $0 << 8 | UInt64($1) }
        let session =
            switch role {
            case .candidate: peers[index].candidate
            case .current, .retired: peers[index].session
            }
        guard let session else { return }
        let isAsked = isTold && role != .candidate
        switch session.challenge(endpoint, number: number, sizeMax: size, isTold: isAsked, now: now) {
        case .send(let datagram):
            counters.count(.pathChallengesSent)
            outputs.append(.send(datagram, to: endpoint))
        case .overRate: counters.count(.pathChallengesOverRate)
        case .tooLarge: counters.count(.pathChallengesTooLarge)
        case .noRoom: counters.count(.pathTableFull)
        case .notSealing: break
        }
    }

    /// Where the peer says that it is, unless a path leads there: a datagram goes there for good
    /// only after the peer has answered from there.
    ///
    /// Those that have never been asked come first. The allowance is one of its own, so that who comes from elsewhere
    /// is asked all the same.
    /// - Parameter isAgain: also where it has been challenged and has not answered yet.
    mutating func challengeAddresses(_ index: Int, isAgain: Bool = true, now: Instant) {
        guard let session = peers[index].session else { return }
        let told = dialOrder(of: index, now: now)
        let unasked = told.filter { session.paths.index(of: .address($0)) == nil }
        let unproved = told.filter { endpoint in
            session.paths.index(of: .address(endpoint)).map { session.paths[$0].trust != .proved } ?? false
        }
        for endpoint in isAgain ? unasked + unproved : unasked where session.announcedChallenges.take(now: now) {
            challenge(endpoint, of: index, isTold: true, now: now)
        }
    }

    /// Sends the number back the way it came; to a stranger never with more than what came.
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

    /// The source has answered: it is a path, and a probe over it makes it eligible.
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

    /// Moves the voice to the best living path, and says so where the kind of path changes, or the neighbour.
    mutating func choosePath(_ index: Int, now: Instant) {
        peers[index].session?.paths.chooseAndSchedule(now: now)
        guard peers[index].state.isLinked, let route = peers[index].session?.paths.chosenPath.route else { return }
        // Only a carrier can lead through a third; to ask costs the compiler a move of the whole node.
        let path = AdvertisedPath(
            route, toOthers: route.kind == .carrier ? advertised(.carrier, of: index) : route.kind)
        let before = peers[index].advertisedPath
        guard path != before else { return }
        peers[index].advertisedPath = path
        deadlines.needsRefresh = true
        if path.kind != before.kind || path.neighbour != before.neighbour {
            outputs.append(
                .event(.pathChanged(peers[index].slot, peers[index].node, path.kind, through: path.neighbour)))
        }
        guard path.toOthers != before.toOthers else { return }
        linkAdvertisement.change(.path, now: now)
        // What went through this neighbour would need two hops now.
        if path.toOthers == .relay { forgetRelay(peers[index].node, now: now) }
    }

    /// Probes of direct paths while a lesser one carries the voice.
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

    /// What a bare challenge, or an answer, has by the own key id and counter of now.
    var pathNumberBytes: Int? { media.overheadBytes.map { $0 + WireSizes.pathNumberBodyBytes } }

    /// - Parameter isTold: nothing came from there, and its token has been spent.
    func challenge(
        _ endpoint: Endpoint, number: UInt64, sizeMax: Int, isTold: Bool = false, now: Instant
    ) -> ChallengeOutcome {
        guard isTold || challenges.take(now: now) else { return .overRate }
        guard let size = pathNumberBytes else { return .notSealing }
        guard size <= sizeMax else { return .tooLarge }
        // As long as the longest answer, where so much came: who came has a header that is no longer than that.
        let answerMax = MediaSession.overheadBytesMax + WireSizes.pathNumberBodyBytes
        let body = DatagramBody(pathChallenge: number, paddingBytes: max(0, min(sizeMax, answerMax) - size))
        guard let datagram = media.seal(body.encoded()) else { return .notSealing }
        // An earlier challenge there may have been lost: it is asked again with a new number.
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
