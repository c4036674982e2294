import Mesh
import MeshTestKit
import Primitives
import TestKit
import Testing
import Trust
import Wire

@Suite("Limits")
struct MeshLimitsTests {
    @Test("the limits agree with one another")
    func relations() {
        let jitterMax = MeshLimits.controlInterval * Int64(MeshLimits.controlJitterPermilleMax) / 1_000
        // Two control blocks fit into the silence that starts a verification.
        #expect(MeshLimits.controlInterval * 2 <= MeshLimits.silenceMax)
        #expect(jitterMax < MeshLimits.controlInterval)
        // From a crash to the verdict, with and without a living return path.
        #expect(MeshLimits.silenceMax + MeshLimits.verificationMax < MeshLimits.detectionMax)
        // A node that advances has heard of every living duplicate, and no longer counts one that has died.
        #expect(MeshLimits.detectionMax < MeshLimits.advanceWait)
        #expect(MeshLimits.verificationMax < MeshLimits.duplicateBootRetry)
        #expect(MeshLimits.echoSilenceMax + MeshLimits.verificationMax < MeshLimits.detectionMax)
        #expect(MeshLimits.echoSilenceMax <= .milliseconds(1_500))
        // All probes leave, and the last one has time to be answered.
        #expect(
            MeshLimits.probeInterval * Int64(MeshLimits.probesQuickMax) < MeshLimits.verificationMax)
        // Both ends verify the link at once over all paths: no probe is forgotten before its echo.
        let pathsMax = MeshLimits.directPathsMax + MeshLimits.relayPathsMax + 1
        #expect(2 * pathsMax * MeshLimits.probesQuickMax <= MeshLimits.sentControlBlocksMax)
        // A lost direct path takes voice until three probes over it are lost, which follow the longest silence.
        let silence = MeshLimits.silenceLongest + (MeshLimits.echoSilenceMax - MeshLimits.silenceMax)
        #expect(silence + MeshLimits.pathProbeIntervalMin * (1 + 2 + 4) < MeshLimits.formerDirectMax)
        // Keys outlive a missed re-key and several repeated offers.
        #expect(MeshLimits.rekeyInterval + MeshLimits.rekeyAnswerMax * 4 < MeshLimits.keysLifetimeMax)
        #expect(MeshLimits.keysLifetimeMax <= MediaKeyLimits.generationLifetime)
        // There are key ids for the sessions and generations of every peer: three sessions, each with one new
        // generation.
        #expect(MeshScale.peersMax * 3 * 2 <= MeshLimits.keyIDsMax)
        // A node may meet a full mesh at once: dials, new identities, records, connect requests.
        #expect(MeshScale.peersMax <= MeshLimits.dialBurst)
        #expect(MeshScale.peersMax <= MeshLimits.newIdentitiesBurst)
        #expect(MeshScale.peersMax < MeshLimits.recordsMax)
        #expect(MeshLimits.recordsMax <= WireLimits.recordVersionsPerFrameMax)
        // 1.25 ms frames, and all datagrams beside them.
        #expect(MeshLimits.datagramsPerPeerInterval < .milliseconds(5) / 4)
        // Through a neighbour: frames of 2.5 ms, and all datagrams beside them.
        #expect(MeshLimits.relayInterval < .milliseconds(5) / 2)
        #expect(MeshLimits.dialStagger < MeshLimits.dialWaitMax)
        #expect(MeshLimits.followerDialWait.upperBound < MeshLimits.backoffFirst * 2)
    }

    @Test("eight dials run at once, 64 start in a burst, and then two a second")
    func dials() {
        var dialer = Dialer(now: .zero)
        var begun: [DialID] = []
        func begin(_ now: Instant) -> DialID? {
            dialer.begin(Endpoint(address: IPAddress(v4: 10, 0, 0, 1), port: 1), for: .address(0), now: now)
        }
        for _ in 0..<8 { if let dial = begin(.zero) { begun.append(dial) } }
        #expect(begun.count == 8)
        let ninth = begin(.zero)
        let whileFull = dialer.nextStart(now: .zero)
        #expect(ninth == nil)
        #expect(whileFull == nil)
        for _ in 0..<56 {
            _ = dialer.end(begun.removeFirst())
            if let dial = begin(.zero) { begun.append(dial) }
        }
        _ = dialer.end(begun.removeFirst())
        let afterBurst = begin(.zero)
        let next = dialer.nextStart(now: .zero)
        let later = begin(.zero + .milliseconds(500))
        #expect(afterBurst == nil)
        #expect(next == .zero + .milliseconds(500))
        #expect(later != nil)
    }

    @Test("a neighbour that invents identities cannot fill the records or the peers without bound")
    func flood() throws {
        let pair = MeshPair.linked()
        let cluster = pair.cluster
        let carrier = try #require(cluster.firstCarrier(of: 0))
        for batch in 0..<10 {
            let records = (0..<16).map { TestIdentity.record(seed: UInt64(1_000 + batch * 16 + $0)) }
            cluster.input(0, .carrierFrame(carrier, CarrierMessage.records(records).encoded()))
        }
        #expect(cluster.status(0).peersKnown <= 1 + MeshLimits.newIdentitiesBurst)
        #expect(cluster.status(0).peers.count <= MeshScale.peersMax)
        #expect(1 <= cluster.counter(.recordsNewOverLimit, at: 0) + cluster.counter(.recordsOverRate, at: 0))
        cluster.drive(for: .seconds(5))
        #expect(pair.isUp)
    }

    @Test("a released key id names no peer, and its place returns as another id")
    func keyIDs() throws {
        var table = KeyIDTable()
        let slot = PeerSlot(index: 3)
        let taken = table.take(for: slot)
        let first = try #require(taken)
        #expect(table[first] == slot)
        table.release(first)
        #expect(table[first] == nil)
        var seen: Set<UInt32> = [first]
        for _ in 0..<MeshLimits.keyIDsMax * 3 {
            let next = table.take(for: slot)
            let id = try #require(next)
            let isFresh = seen.insert(id).inserted
            #expect(isFresh)
            table.release(id)
        }
        let all = (0..<MeshLimits.keyIDsMax).compactMap { _ in table.take(for: slot) }
        #expect(all.count == MeshLimits.keyIDsMax)
        let oneMore = table.take(for: slot)
        #expect(oneMore == nil)
    }
}
