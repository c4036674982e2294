import Mesh
import Primitives

/// Keys that cannot be renewed end after three minutes, and the link with them.
package struct KeysEnd: Drill {
    package init() {}
    package static let promises = "I3"
    package var nodeCount: Int { 2 }
    package func play(_ stage: DrillStage) {
        stage.assemble([0, 1])
        stage.world.apply(.blockStreams(0, 1))
        stage.world.apply(.resetCarriers(0, 1))
        stage.advance(.seconds(100))
        stage.require(stage.world.up.firstGap(among: [0, 1]) == nil, "no link without a carrier")
        stage.need("the end of keys that were not renewed", within: .seconds(82)) {
            $0.up.upInstance(of: 1, at: 0) == nil && $0.up.upInstance(of: 0, at: 1) == nil
        }
    }
}

/// A link at rest gets new keys and stands for as long as one likes.
package struct KeysAreRenewed: Drill {
    package init() {}
    package static let promises = "L13"
    package var nodeCount: Int { 3 }
    package func play(_ stage: DrillStage) {
        stage.assemble([0, 1, 2])
        let changes = stage.world.up.changes
        stage.advance(.seconds(600))
        stage.require(stage.world.up.changes == changes, "links came and went at rest")
    }
}

/// What was sealed for a session that was replaced is opened for five seconds and no longer.
package struct RetiredKeysEnd: Drill {
    package init() {}
    package static let promises = "I3"
    package var nodeCount: Int { 2 }
    package func play(_ stage: DrillStage) {
        stage.assemble([0, 1])
        stage.world.apply(.withhold(of: 0, to: 1, for: .seconds(20)))
        stage.world.say(0)
        stage.advance(.milliseconds(100))
        stage.world.apply(.resetCarriers(0, 1))
        stage.advance(.seconds(19))
        stage.require(stage.world.up.firstGap(among: [0, 1]) == nil, "no new session")
        let heard = stage.world.counts.voicePacketsHeard
        stage.advance(.seconds(2))
        stage.require(stage.world.counts.voicePacketsHeard == heard, "keys of a replaced session open after 15 s")
    }
}

/// Every way of a session is followed by a next one: ids are given back, for hours.
package struct LongLifeKeepsKeyIDs: Drill {
    package init() {}
    package static let promises = "I9"
    package var nodeCount: Int { 2 }
    package func play(_ stage: DrillStage) {
        stage.assemble([0, 1])
        for _ in 0..<1_100 where stage.violation == nil {
            stage.world.apply(.resetCarriers(0, 1))
            stage.advance(.seconds(7))
        }
        let exhausted = stage.world.status(of: 0)?.counters.contains { $0.name == "keyIDsExhausted" } ?? false
        stage.require(!exhausted, "no key ids are left after 1,100 sessions")
    }
}

/// A connection that goes is replaced while the link stands: the new session takes over before the old
/// one ends.
package struct CarriersAreReplacedUnseen: Drill {
    package init() {}
    package static let promises = "I1"
    package var nodeCount: Int { 3 }
    package func play(_ stage: DrillStage) {
        stage.assemble([0, 1, 2])
        let changes = stage.world.up.changes
        for _ in 0..<5 {
            stage.world.apply(.resetCarriers(0, 1))
            stage.need("a new carrier", within: .seconds(5)) { $0.haveCarrier(0, 1) }
            stage.advance(.seconds(3))
            stage.require(stage.world.up.changes == changes, "a link went with its carrier")
        }
    }
}

extension World {
    /// Whether both show a carrier with the other.
    fileprivate func haveCarrier(_ a: Int, _ b: Int) -> Bool {
        func has(_ observer: Int, _ peer: Int) -> Bool {
            let node = network.hosts[peer].node
            return status(of: observer)?.peers.first { $0.node == node }?.hasCarrier == true
        }
        return has(a, b) && has(b, a)
    }
}
