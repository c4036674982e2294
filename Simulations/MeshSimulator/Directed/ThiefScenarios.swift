import Mesh
import Primitives
import Trust
import Wire

/// Five members send a node forged records until it checks no more of theirs, each time just before an honest node
/// changes its name. The node takes each change as soon as without them: it keeps a few checks for each peer.
package struct ThievesLeaveRecordChecks: DirectedScenario {
    package init() {}
    package static let promises = "L3, I9"
    package var nodeCount: Int { 7 }
    /// As peers, they may have 250 checks a second, and all peers together have 200.
    private static let thieves = 2..<7
    private static let changes = 10
    package func play(_ stage: DirectedStage) {
        let (world, node, honest) = (stage.world, 0, 1)
        for thief in Self.thieves { stage.turn(thief, [.thief], every: .seconds(100_000)) }
        stage.assemble(Array(0..<nodeCount))
        let frame = world.forgedRecords()
        for change in 0..<Self.changes where stage.violation == nil {
            for thief in Self.thieves { for _ in 0..<8 { world.lie(frame, from: thief, to: node) } }
            let name = SafeText("news \(change)")
            world.command(.setProfile(NodeProfile(name: name)), to: honest)
            // As long as beside honest nodes alone (`NewsIsPushed`). The checks that are kept for a peer are eight at
            // once, and then one a second.
            stage.need("a pushed name", within: .milliseconds(80)) { $0.isNamed(honest, name, at: node) }
            stage.advance(.seconds(1))
        }
        let spent = world.counted(.recordsForged, at: node)
        stage.require(UInt64(MeshLimits.recordChecksBurst) < spent, "the thieves have spent only \(spent) checks")
    }
}

extension World {
    /// Returns a frame with as many records as fit. Each costs the check of a signature, which is false.
    fileprivate func forgedRecords() -> [UInt8] {
        let genuine = record(of: options.sealing(0, 0), at: [])
        let forged = SignedRecord(
            publicKey: genuine.publicKey, body: genuine.body, signature: genuine.signature.reversed())
        return CarrierMessage.records(Array(repeating: forged, count: WireLimits.recordsPerFrameMax)).encoded()
    }
}
