import Mesh
import Primitives
import TestKit
import Testing

@Suite("The paths of a session")
struct PathTableTests {
    private let now = Instant.zero + .seconds(100)
    private func neighbour(_ seed: UInt64) -> NodeID { TestIdentity.nodeID(seed: seed) }

    /// All places for neighbours are taken. Each neighbour was heard a while ago, and none is alive.
    private func full() throws -> PathTable {
        var paths = PathTable(direct: nil)
        for seed in 1...UInt64(MeshLimits.relayPathsMax) {
            let made = paths.index(through: neighbour(seed), rank: seed, isOpen: true, now: now)
            let path = try #require(made)
            paths[path].heardAt = now - .seconds(10)
        }
        return paths
    }

    @Test("of two neighbours that are asked at once in a full table neither replaces the other")
    func bothAreAsked() throws {
        var paths = try full()
        for seed: UInt64 in [20, 21] {
            let made = paths.index(through: neighbour(seed), rank: seed, isOpen: true, now: now)
            let path = try #require(made)
            paths[path].askedAt = now
        }
        #expect(paths.index(of: .neighbour(neighbour(20))) != nil)
        #expect(paths.index(of: .neighbour(neighbour(21))) != nil)
    }

    @Test("a neighbour that is asked again in a full table is not replaced by the next one that is asked")
    func askedAgain() throws {
        var paths = try full()
        let first = try #require(paths.index(of: .neighbour(neighbour(1))))
        paths[first].heardAt = now - .seconds(3_600)
        paths[first].askedAt = now
        let made = paths.index(through: neighbour(20), rank: 20, isOpen: true, now: now)
        #expect(made != nil && made != first)
        #expect(paths.index(of: .neighbour(neighbour(1))) == first)
    }

    @Test("a datagram through a neighbour that takes none back closes the path through it")
    func closedByArrival() throws {
        var paths = PathTable(direct: nil)
        let made = paths.index(through: neighbour(1), rank: 1, isOpen: true, now: now)
        let path = try #require(made)
        paths[path].echoedAt = now
        paths.chooseAndSchedule(now: now)
        #expect(paths.chosen == path)
        paths[paths.carrierIndex].echoedAt = now
        #expect(paths.index(through: neighbour(1), rank: 1, isOpen: false, now: now) == path)
        paths.chooseAndSchedule(now: now)
        #expect(paths.chosen == paths.carrierIndex)
        #expect(paths.second == nil)
    }
}
