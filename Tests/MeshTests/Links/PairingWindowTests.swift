import Mesh
import Primitives
import TestKit
import Testing
import Trust
import Wire

/// A member of a closed mesh at which a person opens a pairing window, and newcomers that the test plays.
private final class PairingBench {
    static let meshKey = [UInt8](repeating: 9, count: CodeSizes.codeKeyBytes)
    static let pairingKey = [UInt8](repeating: 5, count: CodeSizes.codeKeyBytes)
    static let wrongKey = [UInt8](repeating: 6, count: CodeSizes.codeKeyBytes)

    /// A newcomer at one carrier. It is the dialler, and the initiator of JOIN.
    final class Newcomer {
        let carrier: UInt64
        let sealing: TransparentSealing
        var admission: CarrierAdmission
        var standing: MeshStanding
        /// The frames of the member that it has handled.
        var handled = 0

        init(_ carrier: UInt64, _ standing: MeshStanding) {
            self.carrier = carrier
            sealing = TransparentSealing(seed: 1_000 + carrier)
            admission = CarrierAdmission(
                side: .dialler, own: sealing.nodeID, peer: FindingBench.own,
                nonce: [UInt8](repeating: UInt8(truncatingIfNeeded: carrier), count: 32), keys: [])
            self.standing = standing
        }
    }

    let bench: FindingBench
    private var worked = 0

    init(
        codeKey: [UInt8]? = meshKey, isOpen: Bool = true, joinsBurst: Int = MeshLimits.joinsBurst
    ) throws {
        let secret = try #require(EpochSecret(number: 1, bytes: [UInt8](repeating: 3, count: EpochSecret.byteCount)))
        let mesh = ClosedMesh(
            id: MeshID(high: 1, low: 0), name: "crew", secrets: [secret], codeKey: codeKey,
            with: TransparentSealing(seed: 9))
        bench = FindingBench {
            $0.standing = .member(mesh)
            $0.capacity.joinsBurst = joinsBurst
        }
        if isOpen { open() }
    }

    func open(_ key: [UInt8] = pairingKey) { bench.input(.command(.openPairing(codeKey: key))) }

    var window: PairingStatus? { bench.node.pairing(now: bench.now) }

    var events: [PairingEvent] {
        bench.events.compactMap { if case .pairing(let event) = $0 { event } else { nil } }
    }

    var refusals: [RefusalReason] {
        bench.sent.compactMap { if case .refuse(let reason, _) = $0.message { reason } else { nil } }
    }

    /// Grants that the member has sent.
    var grants: Int { bench.sent.count { if case .admission(.grant) = $0.message { true } else { false } } }

    /// A newcomer connects and sends PROOF.
    func connect(
        _ carrier: UInt64, key: [UInt8] = pairingKey, by kind: CodeKind = .pairing, from host: UInt8 = 9
    ) -> Newcomer {
        let newcomer = Newcomer(carrier, .newcomer(codeKey: key, by: kind))
        bench.open(carrier, by: 1_000 + carrier, from: FindingBench.at(host, port: 40_000))
        send(.proof(newcomer.admission.proof(as: newcomer.standing, with: newcomer.sealing)), newcomer)
        return newcomer
    }

    /// The newcomer answers the frames that the member has sent to it, one after another, and stops before the one that
    /// `isLast` names.
    func play(_ newcomer: Newcomer, until isLast: (AdmissionMessage) -> Bool = { _ in false }) {
        while true {
            work()
            let frames = bench.sent.filter { $0.carrier.number == newcomer.carrier }
            guard newcomer.handled < frames.count else { return }
            let frame = frames[newcomer.handled].message
            if case .admission(let message) = frame, isLast(message) { return }
            newcomer.handled += 1
            if case .admission(let message) = frame { receive(.frame(message), newcomer) }
        }
    }

    private func receive(_ input: AdmissionInput, _ newcomer: Newcomer) {
        guard newcomer.admission.awaitsFrame || { if case .worked = input { true } else { false } }() else { return }
        let directives = newcomer.admission.handle(
            input, as: newcomer.standing, pairingKey: nil, with: newcomer.sealing)
        for directive in directives {
            switch directive {
            case .send(let message): send(message, newcomer)
            case .work(let task): receive(.worked(task.result(with: TransparentCode())), newcomer)
            case .enter(let mesh): newcomer.standing = .member(mesh)
            case .refuse(let reason):
                frame(.refuse(reason, retryAfterMilliseconds: 1_000), newcomer)
                bench.close(newcomer.carrier)
            case .abandon: bench.close(newcomer.carrier)
            case .admit, .proved: break
            }
        }
    }

    private func send(_ message: AdmissionMessage, _ newcomer: Newcomer) { frame(.admission(message), newcomer) }

    private func frame(_ message: CarrierMessage, _ newcomer: Newcomer) {
        bench.input(.carrierFrame(CarrierID(number: newcomer.carrier), message.encoded()))
    }

    /// The shell of the member compares codes.
    func work() {
        while worked < bench.tasks.count {
            let (carrier, task) = bench.tasks[worked]
            worked += 1
            bench.input(.codeProved(carrier, task.result(with: TransparentCode())))
        }
    }

    func node(_ carrier: UInt64) -> NodeID { TestIdentity.nodeID(seed: 1_000 + carrier) }
}

@Suite("The pairing window")
struct PairingWindowTests {
    @Test("the right code lets one newcomer in, and the window is closed then")
    func success() throws {
        let stage = try PairingBench()
        #expect(stage.window?.failures == 0)
        let newcomer = stage.connect(1)
        stage.play(newcomer)
        #expect(newcomer.standing.isMember && stage.grants == 1)
        #expect(stage.window == nil && stage.events == [.closed(.admitted(stage.node(1)))])
        // The code is of no use any more.
        let second = stage.connect(2)
        stage.play(second)
        #expect(!second.standing.isMember && stage.grants == 1 && stage.refusals == [.noProof])
    }

    @Test("a member without a window refuses a pairing code before any run of JOIN")
    func closed() throws {
        let stage = try PairingBench(isOpen: false)
        let newcomer = stage.connect(1)
        stage.play(newcomer)
        #expect(stage.refusals == [.noProof] && stage.bench.tasks.isEmpty && !newcomer.standing.isMember)
    }

    @Test("only the node of a closed mesh may be told to open a window")
    func openMesh() async {
        await #expect(processExitsWith: .failure) {
            FindingBench().input(.command(.openPairing(codeKey: PairingBench.pairingKey)))
        }
    }

    @Test("three wrong codes close the window, and the right code comes too late then")
    func failures() throws {
        let stage = try PairingBench()
        for carrier in 1...3 as ClosedRange<UInt64> {
            #expect(stage.window?.failures == Int(carrier) - 1)
            stage.play(stage.connect(carrier, key: PairingBench.wrongKey, from: UInt8(10 + carrier)))
        }
        #expect(stage.window == nil)
        let failed = (1...3 as ClosedRange<UInt64>).map {
            PairingEvent.failed(by: stage.node($0), left: 3 - Int($0))
        }
        #expect(stage.events == failed + [.closed(.failures)])
        let newcomer = stage.connect(4)
        stage.play(newcomer)
        #expect(!newcomer.standing.isMember && stage.refusals.last == .noProof && stage.grants == 0)
    }

    @Test("a guesser that breaks off once it has the member's answer has used a try")
    func brokenOff() throws {
        let stage = try PairingBench()
        for carrier in 1...3 as ClosedRange<UInt64> {
            let guesser = stage.connect(carrier, key: PairingBench.wrongKey)
            stage.play(guesser) { if case .join(.answer) = $0 { true } else { false } }
            #expect(stage.window?.failures == Int(carrier) - 1, "it goes on")
            stage.bench.close(carrier)
        }
        #expect(stage.window == nil && stage.events.last == .closed(.failures))
    }

    @Test("a guesser that keeps its run open has a failure when its time is over")
    func kept() throws {
        let stage = try PairingBench()
        stage.play(stage.connect(1, key: PairingBench.wrongKey)) { if case .join(.answer) = $0 { true } else { false } }
        stage.bench.drive(for: MeshLimits.helloWaitMax + .seconds(1))
        #expect(stage.window?.failures == 1)
    }

    @Test("three runs that go on leave no try for a fourth; the right code among them is let in")
    func atOnce() throws {
        let stage = try PairingBench()
        let (wrong, right) = ([1, 2] as [UInt64], 3 as UInt64)
        let guessers = wrong.map { stage.connect($0, key: PairingBench.wrongKey) }
        for guesser in guessers {
            stage.play(guesser) { if case .join(.answer) = $0 { true } else { false } }
        }
        let newcomer = stage.connect(right)
        stage.play(newcomer) { if case .join(.answer) = $0 { true } else { false } }
        let fourth = stage.connect(4)
        stage.play(fourth)
        #expect(!fourth.standing.isMember && stage.refusals == [.noProof] && stage.window?.failures == 0)
        stage.play(newcomer)
        #expect(newcomer.standing.isMember && stage.events == [.closed(.admitted(stage.node(right)))])
    }

    @Test("runs that wait for their turn use no try, and no more when they break off")
    func waiting() throws {
        let stage = try PairingBench(joinsBurst: 1)
        let first = stage.connect(1, key: PairingBench.wrongKey)
        stage.play(first) { if case .join(.answer) = $0 { true } else { false } }
        for carrier in 2...9 as ClosedRange<UInt64> {
            stage.play(stage.connect(carrier, key: PairingBench.wrongKey, from: UInt8(10 + carrier)))
        }
        #expect(stage.bench.tasks.map(\.carrier.number) == [1], "the others wait")
        for carrier in 2...9 as ClosedRange<UInt64> { stage.bench.close(carrier) }
        #expect(stage.window?.failures == 0 && stage.events.isEmpty)
        stage.bench.close(1)
        #expect(stage.window?.failures == 1)
        let newcomer = stage.connect(10)
        stage.play(newcomer)
        stage.bench.drive(for: .milliseconds(20))
        stage.play(newcomer)
        #expect(newcomer.standing.isMember && stage.bench.tasks.map(\.carrier.number) == [1, 10])
    }

    @Test("a stranger that connects, shows a PROOF and goes uses no try")
    func noTry() throws {
        let stage = try PairingBench()
        for carrier in 1...20 as ClosedRange<UInt64> {
            _ = stage.connect(carrier)
            stage.bench.close(carrier)
        }
        #expect(stage.window?.failures == 0 && stage.events.isEmpty)
        let newcomer = stage.connect(21)
        stage.play(newcomer)
        #expect(newcomer.standing.isMember)
    }

    @Test("wrong codes of a mesh use no try, and wrong pairing codes do not hinder the code of the mesh")
    func codesOfTheMesh() throws {
        let stage = try PairingBench()
        for carrier in 1...10 as ClosedRange<UInt64> {
            stage.play(stage.connect(carrier, key: PairingBench.wrongKey, by: .mesh))
        }
        #expect(stage.window?.failures == 0)
        for carrier in 11...16 as ClosedRange<UInt64> {
            stage.play(stage.connect(carrier, key: PairingBench.wrongKey))
        }
        #expect(stage.window == nil)
        let newcomer = stage.connect(17, key: PairingBench.meshKey, by: .mesh)
        stage.play(newcomer)
        #expect(newcomer.standing.isMember)
    }

    @Test("each code counts in its own form alone, even with an equal key", arguments: [CodeKind.mesh, .pairing])
    func forms(_ kind: CodeKind) throws {
        let stage = try PairingBench()
        let other = kind == .mesh ? PairingBench.pairingKey : PairingBench.meshKey
        let newcomer = stage.connect(1, key: other, by: kind)
        stage.play(newcomer)
        #expect(!newcomer.standing.isMember && stage.grants == 0)
    }

    @Test("a member without a code of a mesh can pair")
    func withoutCode() throws {
        let stage = try PairingBench(codeKey: nil)
        let newcomer = stage.connect(1)
        stage.play(newcomer)
        #expect(newcomer.standing.isMember)
        let mesh = try #require(newcomer.standing.closed)
        #expect(mesh.codeKey == nil)
    }

    @Test("the window closes after five minutes, also for a run that goes on")
    func time() throws {
        let stage = try PairingBench()
        stage.bench.drive(for: MeshLimits.pairingLifetime - .seconds(1))
        #expect(stage.window != nil)
        let late = stage.connect(1)
        stage.play(late) { if case .join(.answer) = $0 { true } else { false } }
        stage.bench.drive(for: .seconds(2))
        #expect(stage.window == nil && stage.events == [.closed(.time)])
        stage.play(late)
        #expect(!late.standing.isMember && stage.refusals == [.noProof])
        let later = stage.connect(2)
        stage.play(later)
        #expect(!later.standing.isMember && stage.refusals == [.noProof, .noProof])
    }

    @Test("the time in which the machine was asleep counts: the clock of the node stood still meanwhile")
    func asleep() throws {
        let stage = try PairingBench()
        stage.bench.drive(for: .seconds(60))
        stage.bench.input(.resumed(gap: .seconds(120), slept: .seconds(120)))
        #expect(stage.window?.until == stage.bench.now + MeshLimits.pairingLifetime - .seconds(180))
        stage.bench.input(.resumed(gap: .seconds(86_400), slept: .seconds(86_400)))
        #expect(stage.window == nil && stage.events == [.closed(.time)])
        let newcomer = stage.connect(1)
        stage.play(newcomer)
        #expect(!newcomer.standing.isMember && stage.refusals == [.noProof])
    }

    @Test("the time in which the process was stopped counts once: the clock of the node went on")
    func stopped() throws {
        let stage = try PairingBench()
        let until = try #require(stage.window?.until)
        stage.bench.input(.resumed(gap: .seconds(100)))
        #expect(stage.window?.until == until)
    }

    @Test("a PROOF at the end of the window counts as late, although the node was not woken yet")
    func notWoken() throws {
        let stage = try PairingBench()
        stage.bench.wait(until: stage.bench.now + MeshLimits.pairingLifetime)
        #expect(stage.window == nil)
        let newcomer = stage.connect(1)
        stage.play(newcomer)
        #expect(!newcomer.standing.isMember && stage.refusals == [.noProof] && stage.bench.tasks.isEmpty)
    }

    @Test("a person closes the window once, and opens another with three tries and other digits")
    func person() throws {
        let stage = try PairingBench()
        stage.play(stage.connect(1, key: PairingBench.wrongKey))
        for _ in 1...2 { stage.bench.input(.command(.closePairing)) }
        #expect(stage.window == nil && stage.events.last == .closed(.person) && stage.events.count == 2)
        stage.open([UInt8](repeating: 7, count: CodeSizes.codeKeyBytes))
        #expect(stage.window?.failures == 0)
        let former = stage.connect(2)
        stage.play(former)
        #expect(!former.standing.isMember && stage.window?.failures == 1)
        let newcomer = stage.connect(3, key: [UInt8](repeating: 7, count: CodeSizes.codeKeyBytes))
        stage.play(newcomer)
        #expect(newcomer.standing.isMember)
    }

    @Test("a run of the former window ends with it, and its end is told")
    func former() throws {
        let stage = try PairingBench()
        let newcomer = stage.connect(1)
        stage.play(newcomer) { if case .join(.answer) = $0 { true } else { false } }
        stage.open([UInt8](repeating: 7, count: CodeSizes.codeKeyBytes))
        stage.play(newcomer)
        #expect(!newcomer.standing.isMember && stage.window?.failures == 0 && stage.grants == 0)
        #expect(stage.events == [.closed(.replaced)])
    }

    @Test("a change of the code closes the window")
    func codeChange() throws {
        let stage = try PairingBench()
        let newcomer = stage.connect(1)
        stage.play(newcomer) { if case .join(.answer) = $0 { true } else { false } }
        stage.bench.input(.command(.changeCode(leaving: [], codeKey: PairingBench.wrongKey)))
        let stored = stage.bench.stored.last
        #expect(stage.window != nil, "the change is not on disk yet")
        stage.bench.input(.meshStored(epoch: try #require(stored).newestKeys.number, isDurable: true))
        #expect(stage.window == nil && stage.events == [.closed(.codeChanged)])
        stage.play(newcomer)
        #expect(!newcomer.standing.isMember && stage.grants == 0)
    }

    @Test("while the window is open a beacon leaves every two seconds at least, and no longer")
    func beacons() throws {
        let secret = try #require(EpochSecret(number: 1, bytes: [UInt8](repeating: 3, count: EpochSecret.byteCount)))
        let mesh = ClosedMesh(
            id: MeshID(high: 1, low: 0), name: "crew", secrets: [secret], codeKey: nil,
            with: TransparentSealing(seed: 9))
        let bench = FindingBench {
            $0.standing = .member(mesh)
            $0.beaconEnabled = true
        }
        bench.drive(for: .seconds(20))
        let before = bench.beacons.count
        bench.input(.command(.openPairing(codeKey: PairingBench.pairingKey)))
        bench.drive(for: .seconds(20))
        #expect((10...14).contains(bench.beacons.count - before))
        bench.input(.command(.closePairing))
        bench.drive(for: .seconds(5))
        let after = bench.beacons.count
        bench.drive(for: .seconds(60))
        #expect(bench.beacons.count - after <= 7)
    }
}
