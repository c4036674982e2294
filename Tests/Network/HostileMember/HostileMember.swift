import ArgumentParser
import Glibc
import NIOCore
import NIOPosix
import Primitives
import SystemClock

/// What this program can do to a node.
enum AttackKind: String, CaseIterable, ExpressibleByArgument {
    case unknownKind = "unknown-kind"
    case unknownKindUnlinked = "unknown-kind-unlinked"
    case recordsBomb = "records-bomb"
    case connectClose = "connect-close"
    case helloFin = "hello-fin"
    /// Connections that send one byte at most.
    case idle
    /// Connections that send nothing after TLS.
    case idleTLS = "idle-tls"
    /// Records with wrong signatures after HELLO, before a link.
    case recordsAfterHello = "records-after-hello"
    /// Strangers that refuse the node, for each reason in turn.
    case refusers
    /// Members that do nothing.
    case sybils
    /// One session after another on the carrier of the link, and every other datagram from a port of its own.
    case sessions
    /// The bits for plain sound and for recording, changed 1,000 times a second.
    case flags
    /// Listeners that report a loss of the victim's voice that they do not have.
    case reports
    /// Records of invented nodes at addresses where dials hang.
    case dials
    /// Text that no honest node sends.
    case names
    case voiceBurst = "voice-burst"
    case channels
    case leaving
    case gossip
    case wrongChannel = "wrong-channel"
    case beacons
    /// Strangers that guess the code of a closed mesh.
    case guesses
    /// No attack: it only uses the processors, so that a case can be told from the load that it makes.
    case busy

    /// Whether it is the deed of members, not of strangers.
    var needsLink: Bool {
        switch self {
        case .unknownKind, .voiceBurst, .channels, .leaving, .gossip, .wrongChannel, .sybils, .sessions, .flags,
            .reports, .dials, .names:
            true
        case .unknownKindUnlinked, .recordsBomb, .connectClose, .helloFin, .idle, .idleTLS, .recordsAfterHello,
            .refusers, .beacons, .guesses, .busy:
            false
        }
    }
}

/// How it is done.
struct AttackOptions: Sendable {
    var victim: Endpoint
    var mesh: String
    var members: Int
    var connections: Int
    var seconds: Double
    var perSecond: Int
    var guesses: Int
    /// Of the strangers that guess.
    var addresses: Int
}

/// A member, or a stranger, that does not behave: it plays one attack against one of this project's own nodes.
///
/// Says `attack` on a line of its own when the attack begins, and what it has sent when it has ended.
@main
struct HostileMember: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hostile-member", abstract: "Plays one attack against a node of this project.")

    @Argument(help: "\(AttackKind.allCases.map(\.rawValue).joined(separator: ", "))") var kind: AttackKind
    @Option(help: "The node's address and port.") var victim: String
    @Option(help: "Its mesh.") var mesh = "partyline"
    @Option(help: "How many members; of busy, how many threads.") var members = 2
    @Option(help: "How many connections: at a time, or in all.") var connections = 50
    @Option(help: "How long; guesses take as long as they take.") var seconds = 10.0
    @Option(help: "Beacons a second.") var rate = 200
    @Option(help: "How many guesses of a code.") var guesses = 10_000
    @Option(help: "From how many addresses they come, on the loopback.") var addresses = 1

    /// Until all members are linked.
    private static let linkSeconds = 10.0
    private static let tickMilliseconds: Int64 = 2

    func validate() throws {
        guard let endpoint = Endpoint(victim), Self.isOwn(endpoint.address) else {
            throw ValidationError("--victim is ADDRESS:PORT on loopback or in 10.77.0.0/16, where the rig's hosts are")
        }
        guard 0 < members, 0 < connections, 0 < seconds, 0 < rate, 0 < guesses else {
            throw ValidationError("nothing to do")
        }
        guard 0 < addresses, addresses <= Connections.addressesMax else {
            throw ValidationError("--addresses is 1 to \(Connections.addressesMax)")
        }
    }

    /// Loopback, and the networks of Tests/Network/realmesh: nothing else is ever a target.
    private static func isOwn(_ address: IPAddress) -> Bool {
        address.isLoopback || address.hasPrefix(of: IPAddress(v4: 10, 77, 0, 0), length: 16)
    }

    func run() throws {
        guard let endpoint = Endpoint(victim) else { return }
        let options = AttackOptions(
            victim: endpoint, mesh: mesh, members: members, connections: connections, seconds: seconds, perSecond: rate,
            guesses: guesses, addresses: addresses)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        switch kind {
        case .connectClose:
            tell("attack")
            tell("connections \(Connections(victim: endpoint).come(connections, seconds: seconds))")
        case .helloFin:
            let hello = try Connections.clientHello(of: MemberIdentity(), on: group)
            tell("attack")
            tell("connections \(Connections(victim: endpoint).come(connections, seconds: seconds, saying: hello))")
        case .idle:
            tell("attack")
            tell("connections \(Connections(victim: endpoint).idle(connections, seconds: seconds))")
        case .beacons:
            tell("attack")
            let sent = try BeaconInventor(mesh: mesh, victim: endpoint).send(perSecond: rate, seconds: seconds)
            tell("beacons \(sent)")
        case .guesses:
            let guessers = try Guessers(options, on: group.next())
            tell("attack")
            tell(try guessers.guess().text)
        case .busy:
            tell("attack")
            try burn()
        default:
            try play(options, on: group.next())
        }
    }

    /// The load of an attack without the attack: `members` threads compute until the time is over.
    private func burn() throws {
        let end = Instant.monotonicNow() + .milliseconds(Int64(seconds * 1e3))
        let threads = MultiThreadedEventLoopGroup(numberOfThreads: members)
        let burning = threads.makeIterator().map { loop in
            loop.submit { while Instant.monotonicNow() < end {} }
        }
        for thread in burning { try thread.wait() }
    }

    /// Writes a line at once, because its reader waits for it.
    private func tell(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        _ = write(STDOUT_FILENO, bytes, bytes.count)
    }

    private func play(_ options: AttackOptions, on loop: any EventLoop) throws {
        let assault = try loop.submit { try Assault(kind, options, on: loop) }.wait()
        loop.scheduleRepeatedTask(initialDelay: .zero, delay: .milliseconds(Self.tickMilliseconds)) { _ in
            assault.tick()
        }
        let wanted = kind.needsLink ? options.members : 0
        var waited = 0.0
        while waited < Self.linkSeconds, try loop.submit({ assault.linkedCount }).wait() < wanted {
            usleep(10_000)
            waited += 0.01
        }
        if kind.needsLink { tell("linked \(try loop.submit { assault.linkedCount }.wait())") }
        tell("attack")
        try loop.submit { assault.begin() }.wait()
        usleep(UInt32(options.seconds * 1e6))
        let report = try loop.submit { assault.report }.wait()
        tell("bytes \(report.bytes)\nconnections \(report.connections)\nlinks \(report.links)")
    }
}
