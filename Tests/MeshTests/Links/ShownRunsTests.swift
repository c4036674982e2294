import Mesh
import Primitives
import TestKit
import Testing
import Trust
import Wire

/// A newcomer with a pairing code, and members or hostile nodes that the test plays.
@Suite("Runs of JOIN with pairing codes")
struct PairingNewcomerTests {
    private static let codeKey = [UInt8](repeating: 5, count: CodeSizes.codeKeyBytes)

    private func newcomer() -> FindingBench {
        FindingBench { $0.standing = .newcomer(codeKey: Self.codeKey, by: .pairing) }
    }

    private static let memberProof = Proof(
        nonce: TestProof.nonce, form: .member(tags: [[UInt8](repeating: 4, count: EpochTag.byteCount)]),
        versionMin: WireLimits.version, versionMax: WireLimits.version)

    /// A node connects, shows that it is a member, and begins a run of JOIN.
    private func meet(_ carrier: UInt64, node seed: UInt64, from host: UInt8, _ bench: FindingBench) {
        bench.open(carrier, by: seed, from: FindingBench.at(host, port: 40_000))
        for message in [
            AdmissionMessage.proof(Self.memberProof),
            .join(.start(share: [UInt8](repeating: 1, count: CodeSizes.elementBytes))),
        ] {
            bench.input(.carrierFrame(CarrierID(number: carrier), CarrierMessage.admission(message).encoded()))
        }
    }

    @Test("its PROOF has the form of pairing")
    func form() {
        let bench = newcomer()
        bench.open(1, by: 60)
        let forms = bench.sent.compactMap {
            if case .admission(.proof(let proof)) = $0.message { proof.form } else { nil }
        }
        #expect(forms == [.pairing])
    }

    @Test("it shows its code to each node once, also over several carriers")
    func once() {
        let bench = newcomer()
        meet(1, node: 60, from: 9, bench)
        meet(2, node: 60, from: 10, bench)
        #expect(bench.tasks.map(\.carrier.number) == [1])
        bench.close(1)
        bench.close(2)
        meet(3, node: 60, from: 9, bench)
        meet(4, node: 61, from: 9, bench)
        #expect(bench.tasks.map(\.carrier.number) == [1, 4])
    }

    /// The nodes that the newcomer dials: a node of seed 100 + n at the host n. Each takes each dial, and shows at once
    /// that it is a member.
    private final class Members {
        let bench: FindingBench
        private(set) var carriers: [CarrierID] = []
        private var shown = 0
        private var worked = 0

        init(_ bench: FindingBench) {
            self.bench = bench
            bench.answer = { [unowned self] dial in
                guard let address = dial.to.address.v4 else { return nil }
                carriers.append(CarrierID(number: UInt64(carriers.count) + 1_000))
                return .carrierOpened(
                    carriers[carriers.count - 1], peer: TestIdentity.nodeID(seed: 100 + UInt64(address & 0xFF)),
                    dial: dial.id, remote: dial.to)
            }
        }

        func send(_ message: CarrierMessage, on carrier: CarrierID) {
            bench.input(.carrierFrame(carrier, message.encoded()))
        }

        /// Time passes, the members send PROOF, and the shell of the newcomer compares codes.
        func drive(for duration: Interval) {
            let end = bench.now + duration
            while bench.now < end {
                bench.drive(for: .milliseconds(50))
                while shown < carriers.count {
                    send(.admission(.proof(PairingNewcomerTests.memberProof)), on: carriers[shown])
                    shown += 1
                }
                while worked < bench.tasks.count {
                    let (carrier, task) = bench.tasks[worked]
                    worked += 1
                    bench.input(.codeProved(carrier, task.result(with: TransparentCode())))
                }
            }
        }

        /// Answers START with a tag of another code.
        func guess(on carrier: CarrierID) {
            let share = TransparentCode().element(ofUniform: [UInt8](repeating: 3, count: CodeSizes.uniformBytes))
            let tag = [UInt8](repeating: 4, count: CodeSizes.tagBytes)
            send(.admission(.join(.answer(share: share, tag: tag))), on: carrier)
        }

        var starts: Int { bench.sent.count { if case .admission(.join(.start)) = $0.message { true } else { false } } }
    }

    @Test("members that refuse it before their answer use up none of the sixteen: the 25th may have the window")
    func refusedFirst() throws {
        let bench = newcomer()
        let members = Members(bench)
        for host in 20..<45 as Range<UInt8> {
            bench.hint(100 + UInt64(host), [FindingBench.at(host)])
            members.drive(for: .seconds(1))
            #expect(members.starts == Int(host) - 19, "no run with node \(host)")
            let last = try #require(members.carriers.last)
            members.send(.refuse(.noProof, retryAfterMilliseconds: 30_000), on: last)
        }
    }

    @Test("a run that breaks off before the member's answer is repeated, and one that has failed is not")
    func repeated() throws {
        let bench = newcomer()
        let members = Members(bench)
        bench.hint(120, [FindingBench.at(20)])
        members.drive(for: .seconds(2))
        #expect(members.starts == 1)
        bench.input(.carrierClosed(try #require(members.carriers.last), .closed))
        for _ in 0..<100 where members.starts == 1 { members.drive(for: .milliseconds(100)) }
        #expect(members.starts == 2)
        members.guess(on: try #require(members.carriers.last))
        members.drive(for: .seconds(120))
        let wrong = bench.events.count { if case .refused(_, .wrongCode) = $0 { true } else { false } }
        #expect(members.starts == 2 && wrong == 1 && 2 < members.carriers.count)
    }

    @Test("while a run with a node goes on, none begins on a second carrier of that node")
    func oneRun() {
        let bench = newcomer()
        let members = Members(bench)
        bench.hint(120, [FindingBench.at(20)])
        members.drive(for: .seconds(1))
        #expect(members.starts == 1)
        let tasks = bench.tasks.count
        meet(1, node: 120, from: 20, bench)
        #expect(bench.tasks.count == tasks)
    }

    @Test("sixteen nodes that show a wrong tag are the last that it dials")
    func sixteenDialled() throws {
        let bench = newcomer()
        let members = Members(bench)
        for host in 20..<40 as Range<UInt8> {
            bench.hint(100 + UInt64(host), [FindingBench.at(host)])
            members.drive(for: .seconds(1))
            if members.starts == Int(host) - 19 { members.guess(on: try #require(members.carriers.last)) }
            members.drive(for: .milliseconds(100))
        }
        #expect(members.starts == MeshLimits.ownPairingJoinsMax)
    }

    @Test("a node that begins JOIN has its guess by the answer, so the code goes to sixteen such nodes at most")
    func sixteen() {
        let bench = newcomer()
        for carrier in 1...40 as ClosedRange<UInt64> {
            meet(carrier, node: 100 + carrier, from: UInt8(100 + carrier), bench)
            bench.close(carrier)
            bench.drive(for: .seconds(5))
        }
        #expect(bench.tasks.count == MeshLimits.ownPairingJoinsMax)
    }
}
