import Mesh
import Primitives
import TestKit
import Testing
import Trust
import Wire

/// A member that many strangers ask to compare codes.
@Suite("Runs of JOIN")
struct JoinTurnsTests {
    private static let codeKey = [UInt8](repeating: 9, count: CodeSizes.codeKeyBytes)

    /// A member, without reach limits for the strangers on its network.
    private func member() throws -> FindingBench {
        let secret = try #require(EpochSecret(number: 1, bytes: [UInt8](repeating: 3, count: EpochSecret.byteCount)))
        let mesh = ClosedMesh(
            id: MeshID(high: 1, low: 0), name: "crew", secrets: [secret], codeKey: Self.codeKey,
            with: TransparentSealing(seed: 9))
        return FindingBench { $0.standing = .member(mesh) }
    }

    private static let start = CarrierMessage.admission(
        .join(.start(share: [UInt8](repeating: 1, count: CodeSizes.elementBytes))))

    private static func proof(_ form: ProofForm = .newcomer) -> CarrierMessage {
        .admission(
            .proof(
                Proof(
                    nonce: TestProof.nonce, form: form, versionMin: WireLimits.version, versionMax: WireLimits.version))
        )
    }

    private func frame(_ message: CarrierMessage, on carrier: UInt64, _ bench: FindingBench) {
        bench.input(.carrierFrame(CarrierID(number: carrier), message.encoded()))
    }

    /// A stranger connects and asks for a run.
    private func guess(_ carrier: UInt64, by seed: UInt64? = nil, from host: UInt8, at bench: FindingBench) {
        bench.open(carrier, by: seed ?? 1_000 + carrier, from: FindingBench.at(host, port: 40_000))
        frame(Self.proof(), on: carrier, bench)
        frame(Self.start, on: carrier, bench)
    }

    private func refusals(_ bench: FindingBench) -> [RefusalReason] {
        bench.sent.compactMap { if case .refuse(let reason, _) = $0.message { reason } else { nil } }
    }

    @Test("a hundred begin at once, and then a hundred a second")
    func pace() throws {
        let bench = try member()
        for carrier in 1...60 as ClosedRange<UInt64> { guess(carrier, from: UInt8(carrier), at: bench) }
        for carrier in 1...60 as ClosedRange<UInt64> { bench.close(carrier) }
        for carrier in 101...160 as ClosedRange<UInt64> { guess(carrier, from: UInt8(carrier), at: bench) }
        #expect(bench.tasks.count == 100)
        bench.drive(for: .milliseconds(105))
        #expect(bench.tasks.count == 110)
        bench.drive(for: .seconds(1))
        #expect(bench.tasks.count == 120 && bench.counter(.joinsOverRate) == 0)
    }

    @Test("sources take turns: the one newcomer beside them that guess without end is served at once")
    func turns() throws {
        let bench = try member()
        var carrier: UInt64 = 0
        func flood() {
            for host in 10...16 as ClosedRange<UInt8> {
                carrier += 1
                guess(carrier, from: host, at: bench)
                // Those that were served or turned away make room in the table of carriers.
                if 40 < carrier { bench.close(carrier - 40) }
            }
        }
        for _ in 0..<60 {
            flood()
            bench.drive(for: .milliseconds(10))
        }
        let before = bench.tasks.count
        guess(9_999, from: 99, at: bench)
        var waited = Interval.zero
        while !bench.tasks.contains(where: { $0.carrier.number == 9_999 }), waited < .seconds(3) {
            flood()
            bench.drive(for: .milliseconds(10))
            waited += .milliseconds(10)
        }
        #expect(waited <= .milliseconds(20), "it has waited \(waited), while \(bench.tasks.count - before) began")
        #expect(!refusals(bench).contains(.noProof))
    }

    @Test("strangers that hold all slots keep no newcomer out: the oldest that has shown nothing gives way")
    func slots() throws {
        let bench = try member()
        for carrier in 1...64 as ClosedRange<UInt64> {
            bench.open(carrier, by: 1_000 + carrier, from: FindingBench.at(UInt8(carrier + 100), port: 40_000))
            bench.drive(for: .milliseconds(1))
        }
        #expect(bench.closed.isEmpty)
        guess(65, from: 9, at: bench)
        guess(66, from: 9, at: bench)
        #expect(bench.closed == [1, 2].map { CarrierID(number: $0) } && bench.counter(.peersTableFull) == 0)
        #expect(bench.tasks.map(\.carrier.number) == [65, 66])
    }

    @Test("above 64 that wait, one of the source with the most is refused for a second")
    func overflow() throws {
        let bench = try member()
        // One source uses up the pace, and fills the queue.
        for carrier in 1...50 as ClosedRange<UInt64> { guess(carrier, from: 10, at: bench) }
        for carrier in 1...50 as ClosedRange<UInt64> { bench.close(carrier) }
        for carrier in 51...100 as ClosedRange<UInt64> { guess(carrier, from: 10, at: bench) }
        #expect(bench.tasks.count == 100)
        for carrier in 51...100 as ClosedRange<UInt64> { bench.close(carrier) }
        for carrier in 201...264 as ClosedRange<UInt64> { guess(carrier, by: 5_000 + carrier / 4, from: 10, at: bench) }
        #expect(bench.counter(.joinsOverRate) == 0 && refusals(bench).isEmpty)
        guess(300, from: 11, at: bench)
        #expect(bench.counter(.joinsOverRate) == 1)
        let displaced = try #require(bench.closed.last?.number)
        #expect((201...264).contains(displaced))
        let short = CarrierMessage.refuse(.coolingDown, retryAfterMilliseconds: 1_000)
        #expect(bench.sent.contains { $0.carrier.number == displaced && $0.message == short })
        bench.drive(for: .milliseconds(20))
        #expect(bench.tasks.map(\.carrier.number).dropFirst(100).first == 300)
    }

    @Test("a result that comes too late, for whatever reason, changes nothing")
    func late() throws {
        let ways: [(String, (FindingBench) -> Void)] = [
            ("another frame", { frame(Self.start, on: 1, $0) }),
            ("a second PROOF", { frame(Self.proof(), on: 1, $0) }),
            ("a frame of later", { frame(.leave, on: 1, $0) }),
            ("REFUSE", { frame(.refuse(.otherMesh, retryAfterMilliseconds: 0), on: 1, $0) }),
            ("broken bytes", { $0.input(.carrierFrame(CarrierID(number: 1), [250, 1, 2])) }),
            ("the end of the carrier", { $0.close(1) }),
            ("its time", { $0.drive(for: .seconds(6)) }),
            ("a block", { $0.input(.command(.block(TestIdentity.nodeID(seed: 1_001)))) }),
        ]
        for (words, end) in ways {
            for result in [CodeResult.failed, .answered(share: Self.codeKey, tag: [], awaitedTag: [], key: [])] {
                let bench = try member()
                guess(1, from: 9, at: bench)
                #expect(bench.tasks.map(\.carrier.number) == [1])
                end(bench)
                let sent = bench.sent.count
                bench.input(.codeProved(CarrierID(number: 1), result))
                #expect(bench.sent.count == sent, "\(words)")
            }
        }
    }

    @Test("a wrong answer to a newcomer's code ends its run, and the wrong codes are counted")
    func newcomer() throws {
        let bench = FindingBench {
            $0.standing = .newcomer(codeKey: Self.codeKey, by: .mesh)
            $0.staticPeers = [FindingBench.at(9)]
        }
        bench.drive(for: .zero)
        bench.open(1, by: 60, dial: bench.dials[0].id, from: FindingBench.at(9))
        let tag = [UInt8](repeating: 4, count: EpochTag.byteCount)
        frame(Self.proof(.member(tags: [tag])), on: 1, bench)
        let task = try #require(bench.tasks.first?.task)
        bench.input(.codeProved(CarrierID(number: 1), task.result(with: TransparentCode())))
        let share = bench.sent.contains { if case .admission(.join(.start)) = $0.message { true } else { false } }
        #expect(share)
        let answer = JoinStep.answer(
            share: [UInt8](repeating: 1, count: CodeSizes.elementBytes),
            tag: [UInt8](repeating: 1, count: CodeSizes.tagBytes))
        frame(.admission(.join(answer)), on: 1, bench)
        #expect(bench.tasks.count == 2)
        bench.input(.codeProved(CarrierID(number: 1), .failed))
        #expect(bench.counter(.codesWrong) == 1 && refusals(bench) == [.wrongCode])
        bench.input(.codeProved(CarrierID(number: 1), .failed))
    }

    @Test("a newcomer shows its code to one source eight times, then once a minute; to another source at once")
    func oneSource() throws {
        let bench = FindingBench { $0.standing = .newcomer(codeKey: Self.codeKey, by: .mesh) }
        var carrier: UInt64 = 0
        func meet(_ host: UInt8) {
            carrier += 1
            bench.open(carrier, by: 60 + carrier, from: FindingBench.at(host, port: 40_000))
            frame(Self.proof(.member(tags: [[UInt8](repeating: 4, count: EpochTag.byteCount)])), on: carrier, bench)
            frame(Self.start, on: carrier, bench)
            bench.close(carrier)
        }
        for _ in 0..<20 { meet(9) }
        #expect(bench.tasks.count == 8 && bench.counter(.joinsOverRate) == 12)
        let long = CarrierMessage.refuse(.coolingDown, retryAfterMilliseconds: 30_000)
        #expect(bench.sent.filter { $0.message == long }.count == 12)
        meet(10)
        #expect(bench.tasks.count == 9)
        bench.drive(for: MeshLimits.ownJoinPerSourceInterval)
        for _ in 0..<3 { meet(9) }
        #expect(bench.tasks.count == 10)
    }

    @Test("a newcomer compares codes with 64 nodes at once, and then with one a second")
    func allSources() throws {
        let bench = FindingBench { $0.standing = .newcomer(codeKey: Self.codeKey, by: .mesh) }
        for carrier in 1...70 as ClosedRange<UInt64> {
            bench.open(carrier, by: 100 + carrier, from: FindingBench.at(UInt8(carrier + 100), port: 40_000))
            frame(Self.proof(.member(tags: [[UInt8](repeating: 4, count: EpochTag.byteCount)])), on: carrier, bench)
            frame(Self.start, on: carrier, bench)
            if carrier <= MeshLimits.ownJoinsBurst { bench.close(carrier) }
        }
        #expect(bench.tasks.count == MeshLimits.ownJoinsBurst && bench.counter(.joinsOverRate) == 0)
        bench.drive(for: .milliseconds(2_100))
        #expect(bench.tasks.count == MeshLimits.ownJoinsBurst + 2)
    }

    @Test("strangers that show the form of a member and begin no run keep a newcomer from no run with another node")
    func silentMembers() throws {
        let bench = FindingBench { $0.standing = .newcomer(codeKey: Self.codeKey, by: .mesh) }
        let shown = Self.proof(.member(tags: [[UInt8](repeating: 4, count: EpochTag.byteCount)]))
        for carrier in 1...8 as ClosedRange<UInt64> {
            bench.open(carrier, by: 100 + carrier, from: FindingBench.at(9, port: 40_000))
            frame(shown, on: carrier, bench)
        }
        bench.open(20, by: 60, from: FindingBench.at(10, port: 40_000))
        frame(shown, on: 20, bench)
        frame(Self.start, on: 20, bench)
        #expect(bench.tasks.map(\.carrier.number) == [20])
    }

    @Test("a member that turns a newcomer away does not report that the newcomer has refused")
    func turnedAway() throws {
        let bench = try member()
        bench.open(1, by: 60)
        frame(Self.proof(.pairing), on: 1, bench)
        let isReported = bench.events.contains { if case .refused = $0 { true } else { false } }
        #expect(refusals(bench) == [.noProof] && !isReported)
    }

    @Test("REFUSE 12 counts only from a peer that has this node's tag; from any other it is a broken protocol")
    func unfoundedRefusal() throws {
        let wrong = CarrierMessage.refuse(.wrongCode, retryAfterMilliseconds: 1_000)
        func isReported(_ bench: FindingBench) -> Bool {
            bench.events.contains { if case .refused(_, .wrongCode) = $0 { true } else { false } }
        }
        let tag = [UInt8](repeating: 4, count: EpochTag.byteCount)
        for (words, frames) in [("before PROOF", []), ("after PROOF", [Self.proof(.member(tags: [tag]))])] {
            let bench = FindingBench { $0.standing = .newcomer(codeKey: Self.codeKey, by: .mesh) }
            bench.open(1, by: 60)
            for message in frames + [wrong] { frame(message, on: 1, bench) }
            #expect(!isReported(bench) && bench.counter(.framesUnexpected) == 1, "\(words)")
            #expect(bench.closed == [CarrierID(number: 1)])
        }
        let bench = FindingBench { $0.standing = .newcomer(codeKey: Self.codeKey, by: .mesh) }
        bench.open(1, by: 60)
        frame(Self.proof(.member(tags: [tag])), on: 1, bench)
        frame(Self.start, on: 1, bench)
        let task = try #require(bench.tasks.first?.task)
        bench.input(.codeProved(CarrierID(number: 1), task.result(with: TransparentCode())))
        frame(wrong, on: 1, bench)
        #expect(isReported(bench) && bench.counter(.framesUnexpected) == 0)
    }
}
