import Glibc
package import Mesh
package import Primitives
package import Wire

/// The addresses that a person gave by `--peer`, and what has become of the dials there since the start. As long as no
/// node answers at such an address, it belongs to no peer, so no list of peers shows that it is mistyped or dead. Where
/// a node answers and refuses this one, that peer is listed, but this node may know no other way to its mesh.
package struct GivenPeers {
    /// An address at which no node answers.
    package struct Silent: Hashable, Sendable {
        package var endpoint: Endpoint
        /// How the last dial ended.
        package var failure: DialFailure
        /// Whether this machine has no more the interface of a link-local address that the start has looked up. One
        /// that is made anew has another index, so no dial will reach the address before the next start.
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

    /// The time that the nodes have to answer before people are warned.
    package static let patience = Interval.seconds(10)

    private let endpoints: [Endpoint]
    private let startedAt: Instant
    /// Whether this machine has an interface with that index.
    private let isInterface: @Sendable (UInt32) -> Bool
    /// The dials in progress. The mesh bounds their number.
    private var dials: [DialID: Endpoint] = [:]
    private var answered: Set<Endpoint> = []
    /// The node that answered last at each address.
    private var answerers: [Endpoint: NodeID] = [:]
    private var failures: [Endpoint: DialFailure] = [:]
    /// The link-local addresses whose interface was gone at their last dial.
    private var lacking: Set<Endpoint> = []
    /// The addresses of which `takeUntold` has told.
    private var told: Set<Endpoint> = []
    /// The addresses of which `takeUntoldRefusals` has told.
    private var toldRefusals: Set<Endpoint> = []

    package init(
        _ endpoints: [Endpoint] = [], startedAt: Instant = .zero,
        isInterface: @escaping @Sendable (UInt32) -> Bool = GivenPeers.hasInterface
    ) {
        (self.endpoints, self.startedAt, self.isInterface) = (endpoints, startedAt, isInterface)
    }

    /// Whether this machine has an interface with that index now.
    @Sendable package static func hasInterface(_ index: UInt32) -> Bool {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(IF_NAMESIZE)) { name in
            if_indextoname(index, name.baseAddress) != nil
        }
    }

    /// A dial has begun. Only one that expects no peer may be for a given address alone.
    package mutating func began(_ dial: DialID, to endpoint: Endpoint, expecting peer: NodeID?) {
        if peer == nil, endpoints.contains(endpoint) { dials[dial] = endpoint }
    }

    /// A carrier to this peer was opened, by this dial or by the other node.
    package mutating func opened(_ dial: DialID?, to peer: NodeID) {
        guard let endpoint = dial.flatMap({ dials.removeValue(forKey: $0) }) else { return }
        answer(endpoint)
        answerers[endpoint] = peer
    }

    /// The mesh has cancelled a dial. Of those that it makes without a peer, it cancels the ones that take too long.
    package mutating func cancelled(_ dial: DialID) { failed(dial, .timedOut) }

    package mutating func failed(_ dial: DialID, _ failure: DialFailure) {
        guard let endpoint = dials.removeValue(forKey: dial) else { return }
        switch failure {
        // The same file on all machines of a crew lists each machine, also this one.
        case .own, .otherIdentity: answer(endpoint)
        case .unreachable, .refused, .timedOut, .handshake:
            failures[endpoint] = failure
            if endpoint.scope != 0, !isInterface(endpoint.scope) { lack(endpoint) }
        }
    }

    private mutating func answer(_ endpoint: Endpoint) {
        answered.insert(endpoint)
        lacking.remove(endpoint)
    }

    /// Notes that the interface of an address is gone. People are told of that also where a node has answered before,
    /// since it does not mend itself.
    private mutating func lack(_ endpoint: Endpoint) {
        answered.remove(endpoint)
        if lacking.insert(endpoint).inserted { told.remove(endpoint) }
    }

    /// Whether the time to answer is over.
    package func isDue(now: Instant) -> Bool { startedAt + GivenPeers.patience <= now }

    /// The addresses at which no node answers, in the order in which they were given: none has since the start, or the
    /// interface is gone. An address of a linked peer is not among them: that peer has dialled this node, and takes no
    /// connections.
    /// - Parameter peers: read only if an address may be silent, since it takes time to collect them.
    package func silent(among peers: @autoclosure () -> [PeerStatus]) -> [Silent] {
        let silent = endpoints.compactMap { endpoint -> Silent? in
            guard !answered.contains(endpoint) else { return nil }
            return failures[endpoint].map {
                Silent(endpoint: endpoint, failure: $0, lacksInterface: lacking.contains(endpoint))
            }
        }
        guard !silent.isEmpty else { return [] }
        let linked = Set(peers().filter(\.state.isLinked).compactMap(\.endpoint))
        return silent.filter { !linked.contains($0.endpoint) }
    }

    /// The silent addresses of which people are to be told now. Each comes once.
    package mutating func takeUntold(among peers: @autoclosure () -> [PeerStatus], now: Instant) -> [Silent] {
        guard isDue(now: now) else { return [] }
        let untold = failures.keys.filter { !answered.contains($0) && !told.contains($0) }
        guard !untold.isEmpty else { return [] }
        told.formUnion(untold)
        return silent(among: peers()).filter { untold.contains($0.endpoint) }
    }

    /// The addresses whose node refuses this one, in the order in which they were given.
    /// - Parameter status: that of a peer, as people are told of it; nil if the mesh has none.
    package func refused(by status: (NodeID) -> PeerStatus?) -> [Refused] {
        endpoints.compactMap { endpoint in
            guard let peer = answerers[endpoint].flatMap(status), !peer.state.isLinked,
                case .refused(let reason)? = peer.failure, reason.isOfSettings
            else { return nil }
            return Refused(endpoint: endpoint, reason: reason)
        }
    }

    /// The refusals of which people are to be told now. Each address comes once.
    package mutating func takeUntoldRefusals(now: Instant, by status: (NodeID) -> PeerStatus?) -> [Refused] {
        guard isDue(now: now) else { return [] }
        let untold = refused(by: status).filter { !toldRefusals.contains($0.endpoint) }
        toldRefusals.formUnion(untold.map(\.endpoint))
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
