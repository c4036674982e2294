import Mesh
import Primitives
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
        // Promise L5, from a crash to the verdict, with and without a living return path.
        let detectionMax = Interval.seconds(2)
        #expect(MeshLimits.silenceMax + MeshLimits.verificationMax < detectionMax)
        // A node that advances has heard of every living duplicate, and no longer counts one that has died.
        #expect(detectionMax < MeshLimits.advanceWait)
        #expect(MeshLimits.verificationMax < MeshLimits.duplicateBootRetry)
        #expect(MeshLimits.echoSilenceMax + MeshLimits.verificationMax < detectionMax)
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
}
