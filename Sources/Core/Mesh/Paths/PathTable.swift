package import Primitives
package import Wire

/// Takes sealed datagrams to a peer; it has a life of its own.
package struct Path: Sendable {
    package enum Trust: Hashable, Sendable {
        /// The authenticated carrier's address, or a challenge there was answered.
        case proved
        /// A challenge is under way; nothing else is sent there.
        case challenged(number: UInt64)
    }

    package let route: PathRoute
    package var trust: Trust
    package var heardAt: Instant?
    /// When it came to be asked, where it has not been heard yet.
    package var challengedAt: Instant?
    /// The newest control block that came over this path, to be echoed over it.
    package var newestHeard: HeardBlock?
    /// When a nonce sent over this path was last seen to have arrived.
    package var echoedAt: Instant?
    package var rtt: Interval?
    package var probeAt: Instant = .distantFuture
    package var probeInterval = MeshLimits.pathProbeIntervalMin
    /// Of paths through neighbours: the order in which both sides prefer them.
    package var rank: UInt64 = 0
    /// When this side last asked for the path through a neighbour.
    package var askedAt: Instant?
    /// The neighbour has said that it does not reach the peer, or is not reached directly itself.
    package var isForgotten = false

    package init(_ route: PathRoute, trust: Trust) {
        self.route = route
        self.trust = trust
    }

    package var kind: PathKind { route.kind }

    package var endpoint: Endpoint? {
        if case .address(let endpoint) = route { endpoint } else { nil }
    }

    /// The common neighbour through which it leads.
    package var neighbour: NodeID? {
        if case .neighbour(let node) = route { node } else { nil }
    }

    /// Whether it is worth a probe.
    package var isProbed: Bool { trust == .proved && !isForgotten }

    package func isAlive(now: Instant) -> Bool {
        guard trust == .proved, let echoedAt else { return false }
        return now - echoedAt <= MeshLimits.pathAliveMax
    }

    /// Answered within the longest time that a path in use takes to answer.
    package func isFresh(now: Instant) -> Bool {
        guard let echoedAt else { return false }
        return now - echoedAt <= MeshLimits.pathFreshMax
    }

    /// A path through a neighbour that was asked for and has not answered; asked again after a while.
    package func isFruitless(now: Instant) -> Bool {
        guard let askedAt, !isAlive(now: now) else { return false }
        return MeshLimits.verificationMax <= now - askedAt && now - askedAt < MeshLimits.relayAskedAgain
    }

    /// Never asked, or so long ago that it has its turn again.
    package func mayBeAsked(now: Instant) -> Bool { askedAt.map { $0 + MeshLimits.relayAskedAgain <= now } ?? true }

    /// Keeps the newest block to be echoed; one that was overtaken on the way is not.
    package mutating func noteHeard(_ sequence: UInt32, now: Instant) {
        if let newestHeard, Int32(bitPattern: sequence &- newestHeard.sequence) <= 0 { return }
        newestHeard = HeardBlock(sequence: sequence, at: now)
    }

    /// Smoothed as TCP does (RFC 6298 §2: one eighth of each new value).
    package mutating func note(rtt sample: Interval) {
        rtt = rtt.map { $0 + (sample - $0) / 8 } ?? sample
    }
}

/// Where a path leads.
package enum PathRoute: Hashable, Sendable {
    case address(Endpoint)
    /// Inside a datagram that is sealed for this common neighbour, who brings it on.
    case neighbour(NodeID)
    /// Inside the TLS stream of the pair.
    case carrier

    package var kind: PathKind {
        switch self {
        case .address: .direct
        case .neighbour: .relay
        case .carrier: .carrier
        }
    }
}

package struct HeardBlock: Hashable, Sendable {
    package var sequence: UInt32
    package var at: Instant
    package init(sequence: UInt32, at: Instant) {
        self.sequence = sequence
        self.at = at
    }
}

/// The paths of one session and the choice among them: direct, then via a neighbour, then the carrier.
package struct PathTable: Sendable {
    package private(set) var paths: [Path]
    /// The path that carries the voice.
    package private(set) var chosen = 0
    private let directPathsMax: Int

    /// - Parameter direct: the carrier's far address with the announced media port; behind a NAT
    ///   it may be wrong, and the first authentic datagram from elsewhere corrects it. Nil of a
    ///   tunnelled carrier, which comes from no address: challenges have to find one.
    /// - Parameter directPathsMax: the first one included.
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

    /// The path whose challenge had this number.
    package func index(challengedWith number: UInt64) -> Int? {
        paths.firstIndex { $0.trust == .challenged(number: number) }
    }

    /// Adds a source that has yet to prove itself; takes the place of the stalest path that does
    /// not carry the voice. Nil where every place is taken by a living path.
    package mutating func add(challenged endpoint: Endpoint, number: UInt64, now: Instant) -> Int? {
        var path = Path(.address(endpoint), trust: .challenged(number: number))
        path.challengedAt = now
        return add(path, kindMax: directPathsMax, now: now)
    }

    /// The path through a common neighbour; made where there is none yet. Needs no challenge: the
    /// neighbour is authenticated, and what it brings is sealed by the peer.
    /// - Parameter isOpen: whether this node may hand something to the neighbour to be brought on.
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
        let replaceable = alike.filter { $0 != chosen && !paths[$0].isAlive(now: now) }
        guard let stalest = replaceable.min(by: { staleness($0) < staleness($1) }) else { return nil }
        paths[stalest] = path
        return stalest
    }

    /// One that is being asked is not the first to go, or of two that are asked at once one would never be proved.
    private func staleness(_ index: Int) -> Instant {
        paths[index].heardAt ?? paths[index].challengedAt ?? paths[index].askedAt ?? .zero
    }

    private mutating func choose(now: Instant) {
        if isSticky(paths[chosen], now: now) { return }
        var best: Int?
        for index in paths.indices where paths[index].isAlive(now: now) {
            guard let duplicateBoot = best else {
                best = index
                continue
            }
            if isBetter(paths[index], than: paths[duplicateBoot], now: now) { best = index }
        }
        if let best { chosen = best }
    }

    /// Chooses again and looks for a better path, or no longer, in one access.
    package mutating func chooseAndSchedule(now: Instant) {
        choose(now: now)
        scheduleProbes(now: now)
    }

    /// One that answers now before one that did a moment ago, then by kind, then by freshness.
    private func isBetter(_ a: Path, than b: Path, now: Instant) -> Bool {
        if a.isFresh(now: now) != b.isFresh(now: now) { return a.isFresh(now: now) }
        if a.kind != b.kind { return a.kind.rawValue < b.kind.rawValue }
        // Both sides must settle on one neighbour: an echo comes back only by the way of its block.
        if a.kind == .relay { return a.rank < b.rank }
        return (b.echoedAt ?? .zero) < (a.echoedAt ?? .zero)
    }

    /// A direct path that answers stays chosen, however fresh the others are.
    private func isSticky(_ path: Path, now: Instant) -> Bool {
        path.kind == .direct && path.isFresh(now: now)
    }

    /// The path that voice takes as well while the link is in doubt: the latest through a neighbour,
    /// else the carrier, else any other.
    package var second: Int? {
        let others = paths.indices.filter { $0 != chosen && paths[$0].isProbed }
        return others.last { paths[$0].kind == .relay } ?? others.first { paths[$0].kind == .carrier } ?? others.first
    }

    /// When a path that would be better than the chosen one is probed next.
    package var nextProbe: Instant {
        var next = Instant.distantFuture
        for path in paths where path.probeAt < next { next = path.probeAt }
        return next
    }

    /// Starts looking for a better path again, or stops it where the best kind carries the voice.
    package mutating func scheduleProbes(now: Instant) {
        let kind = paths[chosen].kind
        for index in paths.indices where paths[index].kind != .carrier {
            if kind.rawValue <= paths[index].kind.rawValue {
                paths[index].probeAt = .distantFuture
                paths[index].probeInterval = MeshLimits.pathProbeIntervalMin
            } else if paths[index].probeAt == .distantFuture, paths[index].isProbed {
                paths[index].probeAt = now + paths[index].probeInterval
            }
        }
    }

    /// Notes that the probe due on a path has left.
    package mutating func probeSent(_ index: Int, now: Instant) {
        paths[index].probeInterval = min(paths[index].probeInterval * 2, MeshLimits.pathProbeIntervalMax)
        paths[index].probeAt = now + paths[index].probeInterval
    }

    /// The carrier is gone, or another one has come.
    package mutating func forgetCarrier() {
        paths[carrierIndex] = Path(.carrier, trust: .proved)
    }

    /// The way through a neighbour is gone; true where it carried the voice.
    package mutating func forget(neighbour: NodeID) -> Bool {
        guard let index = index(of: .neighbour(neighbour)) else { return false }
        paths[index].echoedAt = nil
        paths[index].probeAt = .distantFuture
        paths[index].isForgotten = true
        return index == chosen
    }

    /// After an own pause every path that was alive before it gets the benefit of the doubt.
    package mutating func forgive(stoodStillAt: Instant, now: Instant) {
        for index in paths.indices where paths[index].isAlive(now: stoodStillAt) { paths[index].echoedAt = now }
    }

    package mutating func forgive(lag: Interval, now: Instant) {
        for index in paths.indices { paths[index].echoedAt = paths[index].echoedAt.map { min(now, $0 + lag) } }
    }

    /// Paths that a predecessor session had proved, to be tried by its successor as well.
    package mutating func adopt(from other: PathTable) {
        for path in other.paths where path.kind != .carrier && path.isProbed {
            let kindMax = path.kind == .direct ? directPathsMax : MeshLimits.relayPathsMax
            guard index(of: path.route) == nil, paths.count(where: { $0.kind == path.kind }) < kindMax else { continue }
            var adopted = Path(path.route, trust: .proved)
            adopted.rank = path.rank
            paths.append(adopted)
        }
    }
}
