import Mesh
import Primitives
import Trust
import Wire

/// The layer between the machines of a hostile member and the network.
extension World {
    /// Makes nodes hostile, from now on.
    package func setHostile(_ rule: HostileMembers) {
        for member in rule.members {
            nodes[member.node].hostile = HostileMember(
                member.conducts, every: rule.every, random: streams.hostileMember(ofNode: member.node))
            hasHostileMembers = true
            scheduleAct(of: member.node)
        }
    }

    package func isHostile(_ node: Int) -> Bool { hasHostileMembers && nodes[node].hostile != nil }

    /// Whether a node forwards tunnels for others, as an honest one does.
    func isHonestNeighbour(_ node: Int) -> Bool {
        guard hasHostileMembers, let member = nodes[node].hostile else { return true }
        return Set(member.conducts).isSubset(of: [.impostor, .ground, .forger])
    }

    private func scheduleAct(of node: Int) {
        guard let member = nodes[node].hostile else { return }
        queue.schedule(.hostileAct(member: node), at: now + member.drawWait())
    }

    /// One member does something wrong, of one of its conducts.
    func actHostile(_ node: Int) {
        guard let member = nodes[node].hostile else { return }
        if let conduct = member.pick(member.conducts), isRunning(node) { act(conduct, by: node, member) }
        scheduleAct(of: node)
    }

    private func act(_ conduct: HostileConduct, by node: Int, _ member: HostileMember) {
        switch conduct {
        case .liar: lieAboutItself(node, member)
        case .sybil: introduceInventions(by: node, member)
        case .thief: spendAllowances(by: node, member)
        case .impostor: takeName(node, member)
        case .replayer: sendAgain(by: node, member)
        case .forger: forge(by: node, member)
        case .recluse, .refuser, .leech, .greyRelay, .staller, .ground: break
        }
    }

    /// Returns the frames that a hostile member sends in place of a frame of its machines.
    func misrepresent(_ frame: [UInt8], of node: Int, _ member: HostileMember) -> [[UInt8]] {
        guard let message = try? CarrierMessage(parsing: frame, isBeforeHello: false) else { return [frame] }
        var lies: CarrierMessage? = message
        for conduct in member.conducts {
            guard let told = lies else { break }
            switch conduct {
            case .liar: lies = liesOfLiar(told, of: node, member)
            case .recluse: lies = secluded(told)
            case .sybil: lies = vouched(told, of: node, member)
            case .refuser: lies = refused(told, member)
            case .greyRelay: lies = embellished(told, of: node)
            case .staller: lies = stalled(told, member)
            case .thief: lies = keptOpen(told)
            case .leech, .impostor, .replayer, .ground, .forger: break
            }
        }
        guard let lies else { return [] }
        return [lies == message ? frame : lies.encoded()]
    }

    /// Whether a hostile member keeps a datagram of its machines back.
    func withholds(_ datagram: [UInt8], _ member: HostileMember) -> Bool {
        // While a node handles a datagram, it sends only relayed datagrams and short answers.
        guard member.does(.greyRelay), member.cause == .datagram else { return false }
        return SimLimits.greyRelayBytesMax < datagram.count
    }

    /// Whether a hostile member does not read the datagrams that come from `sender` itself.
    func ignores(_ sender: Int, at node: Int) -> Bool {
        guard let member = nodes[node].hostile, member.does(.leech) else { return false }
        return (sender + node) % 2 == 1
    }

    /// Sends a frame on the member's own carrier to a peer; does nothing without such a carrier.
    func tell(_ message: CarrierMessage, from node: Int, to peer: Int) {
        tell(message.encoded(), from: node, to: peer)
    }

    func tell(_ frame: [UInt8], from node: Int, to peer: Int) {
        guard let carrier = carriers.openCarrier(of: node, with: peer) else { return }
        transmit(frame, isVoice: false, on: carrier, from: node)
    }

    /// All nodes but the member itself.
    func others(of node: Int) -> [Int] { nodes.indices.filter { $0 != node } }

    /// Delivers a frame to a node at once, as if `sender` had sent it; does nothing without an open carrier.
    func lie(_ frame: [UInt8], from sender: Int, to node: Int) {
        guard let carrier = carriers.openCarrier(of: node, with: sender) else { return }
        deliver(.carrierFrame(carrier, frame), .carrierFrame, TraceHash.digest(frame), to: node)
    }
}

extension World {
    /// Returns the seed of an identity that was chosen among many: the NodeID is the greatest of them, or for odd nodes
    /// the least.
    static func groundIdentity(of node: Int, _ options: WorldOptions, using random: inout SeededRandom) -> UInt64 {
        var best = random.next()
        for _ in 1..<SimLimits.groundIdentities {
            let other = random.next()
            let isGreater = options.sealing(best, 0).nodeID < options.sealing(other, 0).nodeID
            if isGreater == (node % 2 == 0) { best = other }
        }
        return best
    }
}
