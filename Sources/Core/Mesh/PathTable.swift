package import Primitives
package import Wire

/// One way for sealed datagrams to a peer, with a life of its own.
package struct Path: Sendable {
    package enum Trust: Hashable, Sendable {
        /// The authenticated carrier's address, or a challenge there was answered.
        case proved
        /// A challenge is under way; nothing else is sent there.
        case challenged(number: UInt64)
    }

    package let kind: PathKind
    /// Where it leads; nil inside the carrier.
    package let endpoint: Endpoint?
    package var trust: Trust
    package var heardAt: Instant?
    /// The newest control block that came over this path, to be echoed over it.
    package var newestHeard: HeardBlock?
    /// When a nonce sent over this path was last seen to have arrived.
    package var echoedAt: Instant?
    package var rtt: Interval?
    package var probeAt: Instant = .distantFuture
    package var probeInterval = MeshLimits.pathProbeIntervalMin

    package init(kind: PathKind, endpoint: Endpoint?, trust: Trust) {
        self.kind = kind
        self.endpoint = endpoint
        self.trust = trust
    }

    package func isAlive(now: Instant) -> Bool {
        guard trust == .proved, let echoedAt else { return false }
        return now - echoedAt <= MeshLimits.pathAliveMax
    }

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

    /// - Parameter direct: the carrier's far address with the announced media port; behind a NAT
    ///   it may be wrong, and the first authentic datagram from elsewhere corrects it.
    package init(direct: Endpoint) {
        paths = [
            Path(kind: .direct, endpoint: direct, trust: .proved),
            Path(kind: .carrier, endpoint: nil, trust: .proved),
        ]
    }

    package subscript(index: Int) -> Path {
        _read { yield paths[index] }
        _modify { yield &paths[index] }
    }

    package var chosenPath: Path { _read { yield paths[chosen] } }
    package static let carrierIndex = 1

    package func index(of endpoint: Endpoint) -> Int? {
        paths.firstIndex { $0.endpoint == endpoint }
    }

    /// The path whose challenge had this number.
    package func index(challengedWith number: UInt64) -> Int? {
        paths.firstIndex { $0.trust == .challenged(number: number) }
    }

    /// Adds a source that has yet to prove itself; takes the place of the stalest path that does
    /// not carry the voice. Nil where every place is taken by a living path.
    package mutating func add(challenged endpoint: Endpoint, number: UInt64, now: Instant) -> Int? {
        let path = Path(kind: .direct, endpoint: endpoint, trust: .challenged(number: number))
        if paths.count < MeshLimits.pathsPerSessionMax {
            paths.append(path)
            return paths.count - 1
        }
        let replaceable = paths.indices.filter {
            $0 != chosen && paths[$0].kind == .direct && !paths[$0].isAlive(now: now)
        }
        guard let stalest = replaceable.min(by: { staleness($0) < staleness($1) }) else { return nil }
        paths[stalest] = path
        return stalest
    }

    private func staleness(_ index: Int) -> Instant { paths[index].heardAt ?? .zero }

    /// Chooses again; true where another kind of path carries the voice now.
    package mutating func choose(now: Instant) -> Bool {
        let before = paths[chosen].kind
        if isSticky(paths[chosen], now: now) { return false }
        var best: Int?
        for index in paths.indices where paths[index].isAlive(now: now) {
            guard let rival = best else {
                best = index
                continue
            }
            let (a, b) = (paths[index], paths[rival])
            if a.kind.rawValue < b.kind.rawValue || (a.kind == b.kind && (b.echoedAt ?? .zero) < (a.echoedAt ?? .zero))
            {
                best = index
            }
        }
        if let best { chosen = best }
        return paths[chosen].kind != before
    }

    /// A direct path that answers stays chosen, however fresh the others are.
    private func isSticky(_ path: Path, now: Instant) -> Bool {
        guard path.kind == .direct, let echoedAt = path.echoedAt else { return false }
        return now - echoedAt <= MeshLimits.pathStickyMax
    }

    /// The path after the chosen one that voice takes as well while the link is in doubt.
    package var second: Int? {
        paths.indices.first { $0 != chosen && paths[$0].trust == .proved }
    }

    /// The best proved direct paths that are worth a probe because the chosen one is not direct.
    package var nextProbe: Instant {
        var next = Instant.distantFuture
        for path in paths where path.probeAt < next { next = path.probeAt }
        return next
    }

    /// Starts looking for a direct path again, or stops it where one carries the voice.
    package mutating func scheduleProbes(now: Instant) {
        let isDirect = paths[chosen].kind == .direct
        for index in paths.indices where paths[index].kind == .direct {
            if isDirect {
                paths[index].probeAt = .distantFuture
                paths[index].probeInterval = MeshLimits.pathProbeIntervalMin
            } else if paths[index].probeAt == .distantFuture, paths[index].trust == .proved {
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
        let endpointless = Path(kind: .carrier, endpoint: nil, trust: .proved)
        paths[PathTable.carrierIndex] = endpointless
    }

    /// After an own pause every path gets the benefit of the doubt.
    package mutating func forgive(now: Instant) {
        for index in paths.indices where paths[index].echoedAt != nil { paths[index].echoedAt = now }
    }

    /// Paths that a predecessor session had proved, to be tried by its successor as well.
    package mutating func adopt(from other: PathTable) {
        for path in other.paths where path.kind == .direct && path.trust == .proved {
            guard let endpoint = path.endpoint, index(of: endpoint) == nil,
                paths.count < MeshLimits.pathsPerSessionMax
            else { continue }
            paths.append(Path(kind: .direct, endpoint: endpoint, trust: .proved))
        }
    }
}
