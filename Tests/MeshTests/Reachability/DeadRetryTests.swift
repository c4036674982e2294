import Mesh
import Primitives
import TestKit
import Testing
import Trust
import Wire

@Suite("Retries of dead peers")
struct DeadRetryTests {
    /// `count` peers that a beacon named and that no dial ever reached, all of them dead.
    private func graveyard(_ count: Int) -> (bench: FindingBench, dead: [UInt64]) {
        let bench = FindingBench()
        bench.answer = { .dialFailed($0.id, .refused) }
        let dead = Array(FindingBench.led.prefix(count))
        for (place, seed) in dead.enumerated() {
            bench.beacon(
                FindingBench.record(of: seed, at: [FindingBench.at(UInt8(100 + place))]), from: UInt8(100 + place))
        }
        bench.drive(for: .seconds(60)) {
            dead.allSatisfy { bench.status($0)?.presence.isDead == true && bench.status($0)?.retryAt == nil }
        }
        return (bench, dead)
    }

    /// The instants of draws during `duration`.
    private func draws(_ bench: FindingBench, for duration: Interval) -> [Instant] {
        let end = bench.now + duration
        var times: [Instant] = []
        while bench.now < end {
            let before = bench.counter(.deadRetried)
            bench.drive(for: end - bench.now) { before < bench.counter(.deadRetried) }
            guard before < bench.counter(.deadRetried) else { break }
            times.append(bench.now)
            #expect(bench.dials.last?.at == bench.now)
        }
        return times
    }

    @Test("of many dead peers one is dialled every 0.5 to 1 s, and each of them in turn")
    func many() {
        let (bench, dead) = graveyard(20)
        let before = bench.dials.count
        let times = draws(bench, for: .seconds(40))
        let gaps = zip(times.dropFirst(), times).map { $0 - $1 }.sorted()
        #expect(.milliseconds(500) <= gaps[0] && gaps[0] <= .milliseconds(550))
        #expect(.milliseconds(950) <= gaps[gaps.count - 1] && gaps[gaps.count - 1] <= .milliseconds(1_000))
        #expect(bench.dials.count - before == times.count)
        #expect(dead.allSatisfy { 1 <= bench.dials(expecting: $0).count })
    }

    @Test("a single dead peer is dialled every 9 to 10 s, and after some minutes every 15 to 30 s")
    func one() {
        let (bench, dead) = graveyard(1)
        let times = draws(bench, for: .seconds(60))
        let gaps = zip(times.dropFirst(), times).map { $0 - $1 }
        #expect(5 <= gaps.count && gaps.allSatisfy { .seconds(9) <= $0 && $0 <= .seconds(10) })
        #expect(bench.dials.suffix(times.count).map(\.at) == times)
        // The peer was heard of but never seen, so it counts as lately seen for a minute only.
        let late = draws(bench, for: .seconds(300))
        let lateGaps = zip(late.dropFirst(), late).map { $0 - $1 }
        #expect(9 <= lateGaps.count && lateGaps.allSatisfy { .seconds(15) <= $0 && $0 <= .seconds(30) })
        #expect(bench.status(dead[0])?.presence.isDead == true)
    }

    @Test("a peer may be drawn again nine seconds after its last draw, and not earlier")
    func nineSeconds() {
        for early in [0, 1] as [Int64] {
            let (bench, _) = graveyard(1)
            bench.drive(for: .seconds(20)) { bench.counter(.deadRetried) == 1 }
            let first = bench.now
            while let deadline = bench.deadline, deadline < first + .seconds(8) {
                bench.drive(for: deadline - bench.now)
            }
            let before = bench.counter(.deadRetried)
            bench.wait(until: first + .seconds(9) - Interval(nanoseconds: early))
            bench.input(.deadline)
            #expect(bench.counter(.deadRetried) - before == UInt64(1 - early))
        }
    }

    @Test("blocked peers are not drawn")
    func noPart() {
        let (bench, dead) = graveyard(3)
        for seed in dead { bench.input(.command(.block(TestIdentity.nodeID(seed: seed)))) }
        let before = (bench.dials.count, bench.counter(.deadRetried))
        bench.drive(for: .seconds(30))
        #expect(bench.dials.count == before.0 && bench.counter(.deadRetried) == before.1)
        bench.input(.command(.unblock(TestIdentity.nodeID(seed: dead[1]))))
    }

    @Test("a hint of a dead peer causes one attempt, and the next one only after a wait")
    func hint() throws {
        let (bench, dead) = graveyard(1)
        bench.drive(for: .milliseconds(100))
        bench.answer = { _ in nil }
        bench.hint(dead[0], [FindingBench.at(100)])
        let dial = try #require(bench.dials.last)
        let start = bench.now
        #expect(dial.at == start && bench.peerSnapshot(dead[0]).link?.wantedUntil == start + .seconds(5))
        bench.drive(for: .seconds(1))
        bench.hint(dead[0], [FindingBench.at(100)])
        #expect(bench.peerSnapshot(dead[0]).link?.wantedUntil == start + .seconds(6))
        bench.input(.dialFailed(dial.id, .refused))
        #expect(bench.status(dead[0])?.retryAt == nil)
        // The wait is that after one more failure.
        let failures = try #require(bench.status(dead[0])?.failures)
        bench.hint(dead[0], [FindingBench.at(100)])
        let at = try #require(bench.status(dead[0])?.retryAt)
        let full = min(Interval.milliseconds(500 << Int64(failures - 1)), .seconds(30))
        #expect(1 < failures && bench.now + full / 2 <= at && at <= bench.now + full)
        #expect(bench.peerSnapshot(dead[0]).link?.wantedUntil == at + .seconds(5))
    }

    @Test("a draw that failed does not weaken the next hint")
    func hintAfterDraw() throws {
        let (bench, dead) = graveyard(1)
        bench.drive(for: .milliseconds(100))
        bench.answer = { _ in nil }
        bench.hint(dead[0], [FindingBench.at(100)])
        // The peer answers that it is full. Half a minute later it is no longer wanted.
        bench.open(1, by: dead[0], dial: try #require(bench.dials.last).id)
        let refusal = CarrierMessage.refuse(.full, retryAfterMilliseconds: 30_000).encoded()
        bench.input(.carrierFrame(CarrierID(number: 1), refusal))
        bench.answer = { .dialFailed($0.id, .refused) }
        bench.drive(for: .seconds(32))
        #expect(bench.status(dead[0])?.retryAt == nil)
        #expect(!draws(bench, for: .seconds(12)).isEmpty)
        bench.drive(for: .milliseconds(100))
        let dials = bench.dials.count
        bench.hint(dead[0], [FindingBench.at(100)])
        #expect(bench.dials.count == dials + 1)
    }

    @Test("while an epoch that leaves the only dead peer behind is stored, no retry comes; if it fails, they go on")
    func leftInVain() throws {
        let seed = FindingBench.led[0]
        let sealing = TransparentSealing(seed: seed)
        let secret = try #require(EpochSecret(number: 1, bytes: [UInt8](repeating: 1, count: EpochSecret.byteCount)))
        let mesh = ClosedMesh(
            id: MeshID(high: 1, low: 0), name: "crew", secrets: [secret], codeKey: nil, with: sealing)
        let bench = FindingBench { $0.standing = .member(mesh) }
        bench.answer = { .dialFailed($0.id, .refused) }
        let beacon = SealedBeacon(
            FindingBench.record(of: seed, at: [FindingBench.at(100)]), port: 7_400,
            salt: [UInt8](repeating: 1, count: WireSizes.beaconSaltBytes),
            nonce: [UInt8](repeating: 2, count: WireSizes.sealNonceBytes), keys: mesh.newestKeys, with: sealing)
        bench.input(.beacon(beacon.encoded(), from: FindingBench.at(100, port: 50_000)))
        bench.drive(for: .seconds(60)) {
            bench.status(seed)?.presence.isDead == true && bench.status(seed)?.retryAt == nil
        }
        bench.input(.command(.changeCode(leaving: [sealing.nodeID], codeKey: nil)))
        let before = bench.counter(.deadRetried)
        bench.drive(for: .seconds(30))
        #expect(bench.status(seed)?.presence.isDead == true && bench.stored.count == 1)
        #expect(bench.counter(.deadRetried) == before)
        bench.input(.meshStored(epoch: 2, isDurable: false))
        bench.drive(for: .seconds(60))
        #expect(before < bench.counter(.deadRetried))
    }
}
