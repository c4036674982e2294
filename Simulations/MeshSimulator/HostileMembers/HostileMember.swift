import Mesh
import Primitives
import Trust
import Wire

/// What a hostile member does wrong. It runs the machines of the product, is linked and has the keys of its links; a
/// layer between its machines and the network lies.
package enum HostileConduct: String, CaseIterable, Codable, Sendable {
    /// It advertises links that do not exist or hides some, has a record that nobody else gets, changes its own record
    /// again and again, and vouches for the dead.
    case liar
    /// It advertises no link.
    case recluse
    /// It invents identities, signs records for them, and vouches for them.
    case sybil
    /// In half of its negotiations, by chance, it sends a refusal in place of INVITE or ACCEPT. The reason is random,
    /// and at least half the time it is that a duplicate lives.
    case refuser
    /// It spends what its neighbours grant: checks of records, versions, connect requests, and tunnels that never end.
    /// It also offers tunnels of invented peers.
    case thief
    /// It does not read the datagrams that half the others send to it, so that neighbours have to relay for it.
    case leech
    /// It relays short datagrams alone, and advertises perfect links to everybody.
    case greyRelay
    /// It forwards the first pieces of each tunnel, and then nothing but signs of life.
    case staller
    /// It takes the names of the others, one after another.
    case impostor
    /// It sends frames and datagrams of others again, to anybody.
    case replayer
    /// Its identity was chosen among many, so that its NodeID is very probably above or below all others.
    case ground
    /// It makes entries of the channel directory, and epochs, that are not its own to make.
    case forger
}

/// The memory of a hostile member, beside the machines of its node. It outlives restarts.
///
/// It is a class, so that each function that gets it can change it.
final class HostileMember {
    /// A frame or datagram of another node that has arrived here.
    struct Overheard {
        var bytes: [UInt8]
        var author: Int
        var isFrame: Bool
    }

    private static let overheardMax = 64
    private static let inventionsMax = 256

    let conducts: [HostileConduct]
    let every: Interval
    var random: SeededRandom
    /// The kind of input that its node handles now.
    var cause = TraceKind.start
    private(set) var overheard: [Overheard] = []
    /// A tunnel that the hostile member keeps open without using it, and the neighbour on whose carrier the frames of
    /// the tunnel travel.
    struct HeldTunnel {
        var number: UInt64
        var neighbour: Int
    }

    /// The tunnels that it has asked for, or was offered, last.
    private(set) var heldTunnels: [HeldTunnel] = []
    /// By number of a tunnel: the pieces that it has forwarded.
    var pieces: [UInt64: Int] = [:]
    /// Keys of the identities that it has invented and tells others of.
    private(set) var inventions: [any Sealing] = []
    /// Keys of one more identity. Its record stays the member's own secret.
    private var secret: (any Sealing)?
    var secretToldAt: Instant?
    /// Whether a refuser refuses every invitation, and names no wait.
    var isStubborn = false
    /// Counts what it signs, so that each signed record or request is new.
    private var signed: UInt32 = 0

    init(_ conducts: [HostileConduct], every: Interval, random: SeededRandom) {
        self.conducts = conducts
        self.every = every
        self.random = random
    }

    func does(_ conduct: HostileConduct) -> Bool { conducts.contains(conduct) }

    func drawWait() -> Interval { max(.milliseconds(1), Exponential.interval(mean: every, using: &random)) }

    /// Returns one of `elements`; nil if there are none.
    func pick<Element>(_ elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[Int(random.below(UInt64(elements.count)))]
    }

    func nextNumber() -> UInt32 {
        signed += 1
        return signed
    }

    func hold(tunnel number: UInt64, through neighbour: Int) {
        if heldTunnels.count == Self.overheardMax { heldTunnels.removeFirst() }
        heldTunnels.append(HeldTunnel(number: number, neighbour: neighbour))
    }

    func overhear(_ bytes: [UInt8], of author: Int, isFrame: Bool) {
        if isFrame, does(.thief), FrameKind(of: bytes) == .tunnel,
            case .tunnel(let frame)? = try? CarrierMessage(parsing: bytes, isBeforeHello: false),
            case .offer = frame.step
        {
            hold(tunnel: frame.number, through: author)
        }
        guard does(.replayer) else { return }
        if overheard.count == Self.overheardMax { overheard.remove(at: Int(random.below(UInt64(overheard.count)))) }
        overheard.append(Overheard(bytes: bytes, author: author, isFrame: isFrame))
    }

    /// Returns the keys of an invented identity, whose record the hostile member passes on to no other node. The first
    /// call invents the identity.
    func keepSecret(with factory: SealingFactory) -> any Sealing {
        let known = secret ?? factory(random.next(), 0)
        secret = known
        return known
    }

    func isSecret(_ node: NodeID) -> Bool { secret?.nodeID == node }

    func isSecret(_ record: SignedRecord) -> Bool { secret?.publicKey == record.publicKey }

    /// Invents one more identity, or returns an earlier one if there are many.
    func invent(with factory: SealingFactory) -> any Sealing {
        if inventions.count == Self.inventionsMax, let known = pick(inventions) { return known }
        let invention = factory(random.next(), 0)
        inventions.append(invention)
        return invention
    }
}
