package import Mesh
package import Primitives
package import Wire

/// The addresses that a person gave by `--peer`, and how the dials there have ended since the start. As long as no node
/// answers at such an address, it belongs to no peer, so no list of peers shows that it is mistyped or dead. If a node
/// answers and refuses this one, that peer is listed, but this node may know no other way to its mesh.
package struct GivenPeers {
    /// An address at which no node answers.
    package struct Silent: Hashable, Sendable {
        package var address: GivenAddress
        /// How the last dial ended.
        package var failure: DialFailure
        /// Whether this machine did not have the interface of a link-local address at the last dial.
        package var lacksInterface: Bool
    }

    /// An address whose node refuses this one.
    package struct Refused: Hashable, Sendable {
        package var address: GivenAddress
        package var reason: RefusalReason

        /// The same in a sentence.
        package var sentence: String { "refused at --peer \(address): \(reason.words)" }
    }

    /// One address, and how the dials there have ended.
    private struct Given {
        let address: GivenAddress
        /// Whether a node has answered, and the interface was not gone since.
        var hasAnswered = false
        /// The node that answered last.
        var answerer: NodeID?
        /// How the last dial that failed has ended.
        var failure: DialFailure?
        /// Whether the interface was gone at the last dial.
        var lacksInterface = false
        /// Whether `takeUntold` has named it.
        var isTold = false
        /// Whether `takeUntoldRefusals` has named it.
        var isRefusalTold = false

        /// Nil if nothing is known yet, or if a node has answered.
        var silent: Silent? {
            guard !hasAnswered, let failure else { return nil }
            return Silent(address: address, failure: failure, lacksInterface: lacksInterface)
        }

        mutating func answer() { (hasAnswered, lacksInterface) = (true, false) }

        /// Notes whether the interface is gone. People are told of that even if a node has answered before, since the
        /// address is out of reach until the interface is back.
        mutating func note(lacksInterface: Bool) {
            if lacksInterface, !self.lacksInterface { (hasAnswered, isTold) = (false, false) }
            self.lacksInterface = lacksInterface
        }
    }

    /// The time that the nodes have to answer before people are warned.
    package static let patience = Interval.seconds(10)

    private let startedAt: Instant
    /// The index of an interface of this machine; 0 if it has none of that name.
    private let index: @Sendable (String) -> UInt32
    /// In the order in which the person gave them.
    private var given: [Given]
    /// The places in `given` to which dials are in progress. The mesh bounds their number.
    private var dials: [DialID: Int] = [:]

    package init(
        _ addresses: [GivenAddress] = [], startedAt: Instant = .zero,
        index: @escaping @Sendable (String) -> UInt32 = GivenAddress.index(ofInterface:)
    ) {
        given = addresses.map { Given(address: $0) }
        (self.startedAt, self.index) = (startedAt, index)
    }

    /// Where to dial an address of the mesh, whatever index its interface has now.
    package func target(of endpoint: Endpoint) -> Endpoint { given.map(\.address).target(of: endpoint, index) }

    /// A dial has begun. Only one that expects no peer may be for a given address alone.
    package mutating func began(_ dial: DialID, to endpoint: Endpoint, expecting peer: NodeID?) {
        guard peer == nil, let place = given.firstIndex(where: { $0.address.endpoint == endpoint }) else { return }
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
            given[place].note(lacksInterface: given[place].address.present(index) == nil)
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
        return silent.isEmpty ? [] : withoutLinked(silent, peers())
    }

    private func withoutLinked(_ silent: [Silent], _ peers: [PeerStatus]) -> [Silent] {
        let linked = Set(peers.filter(\.state.isLinked).compactMap(\.endpoint))
        return silent.filter { !linked.contains($0.address.present(index) ?? $0.address.endpoint) }
    }

    /// The silent addresses of which people are to be told now. Each comes once.
    package mutating func takeUntold(among peers: @autoclosure () -> [PeerStatus], now: Instant) -> [Silent] {
        guard isDue(now: now) else { return [] }
        let unmarked = given.filter { !$0.isTold }.compactMap(\.silent)
        guard !unmarked.isEmpty else { return [] }
        let untold = withoutLinked(unmarked, peers())
        for place in given.indices where unmarked.contains(where: { $0.address == given[place].address }) {
            let isUntold = untold.contains { $0.address == given[place].address }
            // The peer at the other addresses is linked. Only a dial that fails after it has gone counts.
            if isUntold { given[place].isTold = true } else { given[place].failure = nil }
        }
        return untold
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
        return Refused(address: given.address, reason: reason)
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
