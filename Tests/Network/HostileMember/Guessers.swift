import Mesh
import NIOCore
import Primitives
import SystemClock
import Trust
import TrustCrypto
import Wire

/// Strangers that guess the code of a closed mesh. Each has a key of its own and makes one guess; when it has learned
/// whether the guess was right, the next stranger comes at once.
///
/// Touched on its loop alone, but for `guess`.
final class Guessers: @unchecked Sendable {
    /// A stranger that was turned away before its guess comes again after this time.
    private static let returnWait = TimeAmount.milliseconds(100)

    private let options: AttackOptions
    private let loop: any EventLoop
    /// Hashes for all strangers. Its key is nobody's.
    private let sealing: any Sealing
    private let outcome: EventLoopPromise<GuessReport>
    private var report = GuessReport()
    private var connectedCount = 0
    private var beganAt = Instant.monotonicNow()

    init(_ options: AttackOptions, on loop: any EventLoop) throws {
        (self.options, self.loop) = (options, loop)
        sealing = try ClaimedNode().sealing
        outcome = loop.makePromise(of: GuessReport.self)
    }

    /// Returns when as many guesses as asked for have ended. Until then as many strangers as there may be connections
    /// are there at a time.
    func guess() throws -> GuessReport {
        loop.execute {
            self.beganAt = .monotonicNow()
            for _ in 0..<self.options.connections { self.comeNext() }
        }
        return try outcome.futureResult.wait()
    }

    private func comeNext() {
        do {
            connect(as: try MemberIdentity())
        } catch {
            outcome.fail(error)
        }
    }

    private func connect(as identity: MemberIdentity) {
        let source = Connections.source(connectedCount, of: options.addresses, to: options.victim)
        connectedCount += 1
        Guess(as: identity, with: sealing, on: loop) { end in self.note(end, of: identity) }
            .begin(at: options.victim, from: source)
    }

    private func note(_ end: Guess.End, of identity: MemberIdentity) {
        guard report.begun < options.guesses else { return }
        switch end {
        case .turnedAway:
            report.turnedAway += 1
            loop.scheduleTask(in: Self.returnWait) { self.connect(as: identity) }
            return
        case .refused: report.refused += 1
        case .wrong, .right:
            if case .right = end { report.right += 1 } else { report.wrong += 1 }
            report.seconds = Double((Instant.monotonicNow() - beganAt).microseconds) / 1e6
        }
        if report.begun < options.guesses { comeNext() } else { outcome.succeed(report) }
    }
}

/// What the strangers have learned.
struct GuessReport: Sendable {
    /// Guesses that the node has compared and answered.
    var wrong = 0
    var right = 0
    /// Runs of JOIN that the node has refused, or closed without an answer.
    var refused = 0
    /// Connections that ended before a run of JOIN began.
    var turnedAway = 0
    /// From the first connection to the last answer.
    var seconds = 0.0

    /// Runs of JOIN that have begun and ended.
    var begun: Int { wrong + right + refused }

    /// A line for each count.
    var text: String {
        """
        begun \(begun)
        answered \(wrong + right)
        right \(right)
        refused \(refused)
        away \(turnedAway)
        took \(seconds)
        """
    }
}

/// One guess: a connection, PROOF as a newcomer sends it, and a run of JOIN up to the answer, which shows whether the
/// code was right.
///
/// Touched on its loop alone.
private final class Guess: @unchecked Sendable {
    enum End {
        /// Before the run began.
        case turnedAway
        /// After that, without an answer.
        case refused
        case wrong
        case right
    }

    private static let cryptography = SodiumCode()

    private let identity: MemberIdentity
    private let sealing: any Sealing
    private let loop: any EventLoop
    private let onEnd: (End) -> Void
    /// Any key stands for a guess. The node cannot tell it from the key of a code that somebody has hashed beforehand.
    private let standing = MeshStanding.newcomer(
        codeKey: MemberIdentity.randomBytes(count: CodeSizes.codeKeyBytes), by: .mesh)
    private var carrier: RawCarrier?
    private var admission: CarrierAdmission?
    private var hasBegun = false
    private var isOver = false

    /// - Parameter onEnd: is called once.
    init(
        as identity: MemberIdentity, with sealing: any Sealing, on loop: any EventLoop, onEnd: @escaping (End) -> Void
    ) {
        (self.identity, self.sealing, self.loop, self.onEnd) = (identity, sealing, loop, onEnd)
    }

    func begin(at victim: Endpoint, from source: IPAddress?) {
        // A connection may fail before `carrier` is set.
        carrier = RawCarrier(to: victim, from: source, as: identity, on: loop) { step in
            self.loop.execute { self.note(step) }
        }
    }

    private func note(_ step: RawCarrier.Step) {
        switch step {
        case .opened(let member): introduce(to: member)
        case .frame(let frame): receive(frame)
        case .closed:
            end(hasBegun ? .refused : .turnedAway)
            carrier = nil
        }
    }

    private func introduce(to member: NodeID) {
        let nonce = MemberIdentity.randomBytes(count: WireSizes.nonceBytes)
        let admission = CarrierAdmission(side: .dialler, own: identity.node, peer: member, nonce: nonce, keys: [])
        send(.proof(admission.proof(as: standing, with: sealing)))
        self.admission = admission
    }

    private func receive(_ frame: [UInt8]) {
        switch try? CarrierMessage(parsing: frame, isBeforeHello: true) {
        case .admission(let message)?: advance(.frame(message))
        default: end(hasBegun ? .refused : .turnedAway)
        }
    }

    private func advance(_ input: AdmissionInput) {
        guard !isOver else { return }
        let directives = admission?.handle(input, as: standing, pairingKey: nil, with: sealing) ?? []
        for directive in directives { perform(directive) }
    }

    private func perform(_ directive: AdmissionDirective) {
        switch directive {
        case .work(let task): advance(.worked(task.result(with: Self.cryptography)))
        case .send(.join(.confirm)): end(.right)
        case .send(let message):
            hasBegun = true
            send(message)
        case .refuse(.wrongCode): end(.wrong)
        case .refuse, .abandon, .enter, .admit, .proved: end(hasBegun ? .refused : .turnedAway)
        }
    }

    private func send(_ message: AdmissionMessage) { carrier?.send(CarrierMessage.admission(message).encoded()) }

    private func end(_ how: End) {
        guard !isOver else { return }
        isOver = true
        carrier?.close()
        onEnd(how)
    }
}
