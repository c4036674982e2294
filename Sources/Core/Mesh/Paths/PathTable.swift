package import Primitives
import Wire

/// The paths of one session, and the choice among them: a direct path first, then one through a neighbour, then the
/// carrier. While the carrier brings echoes, it comes before the paths through a neighbour that have TCP on one half
/// (`Path.isAfterCarrier`).
package struct PathTable: Sendable {
    package private(set) var paths: [Path]
    /// The path that carries the voice.
    package private(set) var chosen = 0
    /// From when on addresses of the peer are challenged again, with the next probe; `.distantFuture` while a direct
    /// path carries the voice.
    package private(set) var challengesAt: Instant = .distantFuture
    private let directPathsMax: Int

    /// - Parameter direct: the remote address of the carrier with the peer's media port. Behind a NAT it may be
    ///   wrong; then an authentic datagram from elsewhere leads to a challenge, and so to the right one. Nil for a
    ///   tunnelled carrier, which has no remote address: challenges have to find one.
    /// - Parameter directPathsMax: the most direct paths, the first one included.
    package init(direct: Endpoint?, directPathsMax: Int = MeshLimits.directPathsMax) {
        self.directPathsMax = directPathsMax
        paths = []
        if let direct { paths.append(Path(.address(direct), trust: .proved)) }
        carrierIndex = paths.count
        paths.append(Path(.carrier, trust: .proved))
    }

    package subscript(index: Int) -> Path {
        get { paths[index] }
        _modify { yield &paths[index] }
    }

    package var chosenPath: Path { paths[chosen] }
    package let carrierIndex: Int

    package func index(of route: PathRoute) -> Int? {
        paths.firstIndex { $0.route == route }
    }

    /// Returns the index of the path whose challenge has this number.
    package func index(challengedWith number: UInt64) -> Int? {
        paths.firstIndex { $0.trust == .challenged(number: number) }
    }

    /// Adds an address that has yet to answer a challenge. If all direct paths are taken, the new path replaces one of
    /// those that are not alive and do not carry the voice: the one that was heard or challenged longest ago
    /// (`staleness`). Returns nil if there is no such path.
    package mutating func add(challenged endpoint: Endpoint, number: UInt64, now: Instant) -> Int? {
        var path = Path(.address(endpoint), trust: .challenged(number: number))
        path.challengedAt = now
        return add(path, kindMax: directPathsMax, now: now)
    }

    /// Registers a challenge to an address. Returns false where there is no room for its path.
    mutating func challenge(_ endpoint: Endpoint, number: UInt64, now: Instant) -> Bool {
        // An earlier challenge to this address may be lost, so a new number is sent.
        let known = index(of: .address(endpoint))
        guard let path = known ?? add(challenged: endpoint, number: number, now: now) else { return false }
        paths[path].challengedAt = now
        paths[path].trust = .challenged(number: number)
        return true
    }

    /// Marks the path that was challenged with `number` as proved. Returns its index; nil if there is no such path.
    mutating func prove(challengedWith number: UInt64) -> Int? {
        guard let path = index(challengedWith: number) else { return nil }
        paths[path].trust = .proved
        return path
    }

    /// Returns the index of the path through a common neighbour, and adds the path where there is none. It needs no
    /// challenge: the neighbour is authenticated, and the peer seals what the neighbour relays.
    /// - Parameter isOpen: whether this node may hand datagrams to the neighbour to be relayed.
    package mutating func index(through neighbour: NodeID, rank: UInt64, isOpen: Bool, now: Instant) -> Int? {
        if let known = index(of: .neighbour(neighbour)) {
            paths[known].isForgotten = !isOpen
            if !isOpen { paths[known].echoedAt = nil }
            return known
        }
        var path = Path(.neighbour(neighbour), trust: .proved)
        path.rank = rank
        path.isForgotten = !isOpen
        return add(path, kindMax: MeshLimits.relayPathsMax, now: now)
    }

    private mutating func add(_ path: Path, kindMax: Int, now: Instant) -> Int? {
        let alike = paths.indices.filter { paths[$0].kind == path.kind }
        if alike.count < kindMax {
            paths.append(path)
            return paths.count - 1
        }
        var replaceable = alike.filter { $0 != chosen && !paths[$0].isAlive(now: now) }
        // An address that has not answered goes before a path that has been in use and may come back.
        let unanswered = replaceable.filter { paths[$0].isUnanswered(now: now) }
        if !unanswered.isEmpty { replaceable = unanswered }
        guard let stalest = replaceable.min(by: { staleness($0) < staleness($1) }) else { return nil }
        paths[stalest] = path
        return stalest
    }

    /// Returns when a datagram last came over the path, or when the path was last challenged or asked for, whichever is
    /// later. A challenge counts, so that two challenges at once do not replace each other: otherwise one of the two
    /// paths would never be proved. So does a request for a path that was used long ago: otherwise the next neighbour
    /// that is asked would take its place.
    private func staleness(_ index: Int) -> Instant {
        let path = paths[index]
        return max(path.heardAt ?? .zero, path.challengedAt ?? .zero, path.askedAt ?? .zero)
    }

    /// Chooses the path of the voice: of the living paths, one with a recent echo before one without, whatever their
    /// kinds.
    private mutating func choose(now: Instant) {
        if isSticky(paths[chosen], now: now) { return }
        let isCarrierFresh = paths[carrierIndex].isFresh(now: now)
        var best: Int?
        for index in paths.indices where paths[index].isAlive(now: now) {
            if isCarrierFresh, paths[index].isAfterCarrier { continue }
            guard let incumbent = best else {
                best = index
                continue
            }
            if isBetter(paths[index], than: paths[incumbent], now: now) { best = index }
        }
        if let best { chosen = best }
    }

    /// Chooses a path, then starts or ends the probes of better paths. Both are one call, so that the table is accessed
    /// once.
    package mutating func chooseAndSchedule(now: Instant) {
        choose(now: now)
        scheduleProbes(now: now)
    }

    /// Whether `a` is better than `b`: paths with a recent echo come first, then the kind of path decides, then the
    /// rank (for paths through neighbours) or the latest echo. `choose` has already left out the paths that come after
    /// a carrier that answers, so the kind is enough here. `Path.preference` would be wrong if no carrier answers: then
    /// only the rank may decide between two paths through neighbours, so that both ends choose the same one.
    private func isBetter(_ a: Path, than b: Path, now: Instant) -> Bool {
        if a.isFresh(now: now) != b.isFresh(now: now) { return a.isFresh(now: now) }
        if a.kind != b.kind { return a.kind.rawValue < b.kind.rawValue }
        // Both ends must choose the same neighbour: the echo of a control block comes back only on the path on which
        // the block came.
        if a.kind == .relay { return a.rank < b.rank }
        return (b.echoedAt ?? .zero) < (a.echoedAt ?? .zero)
    }

    /// Whether the path stays chosen although others are fresher: a direct path that still brings echoes does.
    private func isSticky(_ path: Path, now: Instant) -> Bool {
        path.kind == .direct && path.isFresh(now: now)
    }

    /// The second path for voice while the link is in verification. It is one of the paths that are not chosen, but
    /// proved and in use: the last one in the table that leads through a neighbour; else the carrier; else the first
    /// direct path. Nil if there is no such path.
    package var second: Int? {
        let others = paths.indices.filter { $0 != chosen && paths[$0].isProbed }
        return others.last { paths[$0].kind == .relay } ?? others.first { paths[$0].kind == .carrier } ?? others.first
    }

    /// The direct path that a worse one has replaced; of several, the one with the latest echo. Nil if a direct path is
    /// chosen, or if that echo is older than `MeshLimits.formerDirectMax`. Perhaps only a few heartbeats were lost on
    /// the path, and most of this node's voice would still reach the peer over it.
    package func formerDirect(now: Instant) -> Int? {
        guard paths[chosen].kind != .direct else { return nil }
        let former = paths.indices.filter { index in
            let path = paths[index]
            guard path.kind == .direct, path.isProbed, let echoedAt = path.echoedAt else { return false }
            return now - echoedAt <= MeshLimits.formerDirectMax
        }
        return former.max { (paths[$0].echoedAt ?? .zero) < (paths[$1].echoedAt ?? .zero) }
    }

    /// When the next probe of a better path is due. Challenges of addresses wait for it; if no path is probed, this is
    /// the time of the next challenges. `.distantFuture` if neither is due.
    package var nextProbe: Instant {
        var next = Instant.distantFuture
        for path in paths where path.probeAt < next { next = path.probeAt }
        return next == .distantFuture ? challengesAt : next
    }

    /// Starts the probes of paths that would take the voice from the chosen one, and ends all others. Starts or ends
    /// the repeated challenges of the peer's addresses.
    package mutating func scheduleProbes(now: Instant) {
        let preference = paths[chosen].preference
        if paths[chosen].kind == .direct {
            challengesAt = .distantFuture
        } else if challengesAt == .distantFuture {
            challengesAt = now + MeshLimits.addressChallengeInterval
        }
        for index in paths.indices {
            if preference <= paths[index].preference {
                paths[index].probeAt = .distantFuture
                paths[index].probeInterval = MeshLimits.pathProbeIntervalMin
            } else if paths[index].probeAt == .distantFuture, paths[index].isProbed {
                paths[index].probeAt = now + paths[index].probeInterval
            }
        }
    }

    /// Registers that the due probe of a path has left, and schedules the next.
    package mutating func probeSent(_ index: Int, now: Instant) {
        paths[index].probeInterval = min(paths[index].probeInterval * 2, MeshLimits.pathProbeIntervalMax)
        paths[index].probeAt = now + paths[index].probeInterval
    }

    /// Returns whether addresses of the peer are to be challenged now, and schedules the next time if so.
    mutating func takeDueChallenges(now: Instant) -> Bool {
        guard challengesAt <= now else { return false }
        challengesAt = now + MeshLimits.addressChallengeInterval
        return true
    }

    /// Clears the path over the carrier, because the carrier is gone.
    package mutating func forgetCarrier() {
        paths[carrierIndex] = Path(.carrier, trust: .proved)
    }

    /// Marks the path through a neighbour as unusable. Returns whether it carried the voice.
    package mutating func forget(neighbour: NodeID) -> Bool {
        guard let index = index(of: .neighbour(neighbour)) else { return false }
        paths[index].echoedAt = nil
        paths[index].probeAt = .distantFuture
        paths[index].isForgotten = true
        return index == chosen
    }

    /// Subtracts the length of an absence, in which this node could receive nothing and which ends now, from the time
    /// since the last echo of every path. A path that was not alive before the absence does not become alive by that.
    package mutating func forgive(_ absence: Absence, now: Instant) {
        for index in paths.indices {
            paths[index].echoedAt = paths[index].echoedAt.map { min(now, $0 + absence.length) }
        }
    }

    /// Adds the proved paths of the earlier session, so that this session tries them too. There may be no room for all
    /// of them, so the one that carries the voice comes first.
    package mutating func adopt(from other: PathTable) {
        for path in [other.chosenPath] + other.paths where path.kind != .carrier && path.isProbed {
            let kindMax = path.kind == .direct ? directPathsMax : MeshLimits.relayPathsMax
            guard index(of: path.route) == nil, paths.count(where: { $0.kind == path.kind }) < kindMax else { continue }
            var adopted = Path(path.route, trust: .proved)
            adopted.rank = path.rank
            paths.append(adopted)
        }
    }
}

/// The path of a datagram that has opened.
enum DatagramArrival {
    case path(Int)
    /// Authentic, but from an address that is not proved.
    case stranger(Endpoint)
}

extension PathTable {
    /// Returns how a datagram came to the session. The first datagram through a neighbour adds its path. Returns nil
    /// where all such paths are taken and none can be replaced.
    mutating func arrival(from source: DatagramSource, now: Instant) -> DatagramArrival? {
        switch source {
        case .carrier: return .path(carrierIndex)
        case .neighbour(let node, let facts, _):
            return index(through: node, rank: facts.rank, isOpen: facts.isOpen, now: now).map { .path($0) }
        case .address(let endpoint):
            guard let path = index(of: .address(endpoint)), self[path].trust == .proved else {
                return .stranger(endpoint)
            }
            return .path(path)
        }
    }
}
