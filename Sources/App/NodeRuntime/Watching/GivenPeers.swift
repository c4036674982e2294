import Glibc
package import Mesh
package import Primitives
package import Wire

/// The addresses that a person gave by `--peer`, and how the dials there have ended since the start. As long as no node
/// answers at such an address, it belongs to no peer, so no list of peers shows that it is mistyped or dead. If a node
/// answers and refuses this one, that peer is listed, but this node may know no other way to its mesh.
package struct GivenPeers {
    /// An address at which no node answers.
    package struct Silent: Hashable, Sendable {
        package var endpoint: Endpoint
        /// How the last dial ended.
        package var failure: DialFailure
        /// Whether this machine no longer has the interface of a link-local address that the start has looked up. An
        /// interface that is made anew has another index, so no dial will reach the address before the next start.
        package var lacksInterface = false

        package init(endpoint: Endpoint, failure: DialFailure, lacksInterface: Bool = false) {
            (self.endpoint, self.failure, self.lacksInterface) = (endpoint, failure, lacksInterface)
        }
    }

    /// An address whose node refuses this one.
    package struct Refused: Hashable, Sendable {
        package var endpoint: Endpoint
        package var reason: RefusalReason

        /// The same in a sentence.
        package var sentence: String { "refused at --peer \(endpoint): \(reason.words)" }
    }

    /// One address, and how the dials there have ended.
    private struct Given {
        let endpoint: Endpoint
        /// Whether a node has answered, and the interface was not gone since.
        var hasAnswered = false
        /// The node that answered last.
        var answerer: NodeID?
        /// How the last dial that failed has ended.
        var failure: DialFailure?
        /// Whether the interface was gone at a dial since the last answer.
        var lacksInterface = false
        /// Whether `takeUntold` has named it.
        var isTold = false
        /// Whether `takeUntoldRefusals` has named it.
        var isRefusalTold = false

        /// Nil if nothing is known yet, or if a node has answered.
        var silent: Silent? {
            guard !hasAnswered, let failure else { return nil }
            return Silent(endpoint: endpoint, failure: failure, lacksInterface: lacksInterface)
        }

        mutating func answer() { (hasAnswered, lacksInterface) = (true, false) }

        /// Notes that the interface is gone. People are told of that even if a node has answered before, since the
        /// address stays out of reach until the next start.
        mutating func lackInterface() {
            hasAnswered = false
            guard !lacksInterface else { return }
            (lacksInterface, isTold) = (true, false)
        }
    }

    /// The time that the nodes have to answer before people are warned.
    package static let patience = Interval.seconds(10)

    private let startedAt: Instant
    /// Whether this machine has an interface with that index.
    private let isInterface: @Sendable (UInt32) -> Bool
    /// In the order in which the person gave them.
    private var given: [Given]
    /// The places in `given` to which dials are in progress. The mesh bounds their number.
    private var dials: [DialID: Int] = [:]

    package init(
        _ endpoints: [Endpoint] = [], startedAt: Instant = .zero,
        isInterface: @escaping @Sendable (UInt32) -> Bool = GivenPeers.hasInterface
    ) {
        given = endpoints.map { Given(endpoint: $0) }
        (self.startedAt, self.isInterface) = (startedAt, isInterface)
    }

    /// Whether this machine has an interface with that index now.
    @Sendable package static func hasInterface(_ index: UInt32) -> Bool {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(IF_NAMESIZE)) { name in
            if_indextoname(index, name.baseAddress) != nil
        }
    }

    /// A dial has begun. Only one that expects no peer may be for a given address alone.
    package mutating func began(_ dial: DialID, to endpoint: Endpoint, expecting peer: NodeID?) {
        guard peer == nil, let place = given.firstIndex(where: { $0.endpoint == endpoint }) else { return }
        dials[dial] = place
    }

    /// A carrier to this peer was opened, by this dial or by the other node.
    package mutating func opened(_ dial: DialID?, to peer: NodeID) {
        guard let place = dial.flatMap({ dials.removeValue(forKey: $0) }) else { return }
        given[place].answer()
        given[place].answerer = peer
    }

    /// The mesh has cancelled a dial. If the dial expects no peer, it has taken too long.
    package mutating func cancelled(_ dial: DialID) { failed(dial, .timedOut) }

    package mutating func failed(_ dial: DialID, _ failure: DialFailure) {
        guard let place = dials.removeValue(forKey: dial) else { return }
        switch failure {
        // The same file on all machines of a crew lists each machine, also this one.
        case .own, .otherIdentity: given[place].answer()
        case .unreachable, .refused, .timedOut, .handshake:
            given[place].failure = failure
            let interface = given[place].endpoint.scope
            if interface != 0, !isInterface(interface) { given[place].lackInterface() }
        }
    }

    /// Whether the time to answer is over.
    package func isDue(now: Instant) -> Bool { startedAt + GivenPeers.patience <= now }

    /// The addresses at which no node answers, in the order in which they were given: none has answered since the
    /// start, or the interface is gone. An address of a linked peer is not among them: that peer has dialled this node,
    /// and takes no connections.
    /// - Parameter peers: read only if an address may be silent, since it takes time to collect them.
    package func silent(among peers: @autoclosure () -> [PeerStatus]) -> [Silent] {
        let silent = given.compactMap(\.silent)
        return silent.isEmpty ? [] : GivenPeers.withoutLinked(silent, peers())
    }

    private static func withoutLinked(_ silent: [Silent], _ peers: [PeerStatus]) -> [Silent] {
        let linked = Set(peers.filter(\.state.isLinked).compactMap(\.endpoint))
        return silent.filter { !linked.contains($0.endpoint) }
    }

    /// The silent addresses of which people are to be told now. Each comes once.
    package mutating func takeUntold(among peers: @autoclosure () -> [PeerStatus], now: Instant) -> [Silent] {
        guard isDue(now: now) else { return [] }
        var untold: [Silent] = []
        for place in given.indices where !given[place].isTold {
            guard let silent = given[place].silent else { continue }
            given[place].isTold = true
            untold.append(silent)
        }
        return untold.isEmpty ? [] : GivenPeers.withoutLinked(untold, peers())
    }

    /// The addresses whose node refuses this one, in the order in which they were given.
    /// - Parameter status: that of a peer, as people are told of it; nil if the mesh has none.
    package func refused(by status: (NodeID) -> PeerStatus?) -> [Refused] {
        given.compactMap { GivenPeers.refusal(at: $0, by: status) }
    }

    private static func refusal(at given: Given, by status: (NodeID) -> PeerStatus?) -> Refused? {
        guard let peer = given.answerer.flatMap(status), !peer.state.isLinked,
            case .refused(let reason)? = peer.failure, reason.isOfSettings
        else { return nil }
        return Refused(endpoint: given.endpoint, reason: reason)
    }

    /// The refusals of which people are to be told now. Each address comes once.
    package mutating func takeUntoldRefusals(now: Instant, by status: (NodeID) -> PeerStatus?) -> [Refused] {
        guard isDue(now: now) else { return [] }
        var untold: [Refused] = []
        for place in given.indices where !given[place].isRefusalTold {
            guard let refused = GivenPeers.refusal(at: given[place], by: status) else { continue }
            given[place].isRefusalTold = true
            untold.append(refused)
        }
        return untold
    }
}

extension RefusalReason {
    /// Whether the refusal goes on until a person changes the settings of one of the two nodes, or the address. The
    /// others pass, or the health has a line of its own about them.
    fileprivate var isOfSettings: Bool {
        switch self {
        case .otherMesh, .version, .full, .blocked, .offLink, .noProof, .wrongCode: true
        case .staleInstance, .duplicateIdentity, .undecided, .notAllowed, .coolingDown, .alreadyLinked: false
        }
    }
}
