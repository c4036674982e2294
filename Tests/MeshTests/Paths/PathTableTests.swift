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

    @Test("a neighbour over which a link had to be verified comes after other neighbours for a minute")
    func doubted() throws {
        var paths = PathTable(direct: nil)
        var numbers: [Int] = []
        for seed: UInt64 in 1...2 {
            let made = paths.index(through: neighbour(seed), rank: seed, isOpen: true, now: now)
            numbers.append(try #require(made))
        }
        func choose(after wait: Interval) -> NodeID? {
            for path in numbers { paths[path].echoedAt = now + wait }
            paths.chooseAndSchedule(now: now + wait)
            return paths.chosenPath.neighbour
        }
        #expect(choose(after: .zero) == neighbour(1))
        paths.doubtRelay(now: now)
        #expect(choose(after: .zero) == neighbour(2))
        // A session that follows keeps the doubt.
        var next = PathTable(direct: nil)
        next.adopt(from: paths)
        #expect(next.index(of: .neighbour(neighbour(1))).map { next[$0].isDoubted(now: now) } == true)
        #expect(choose(after: .milliseconds(59_999)) == neighbour(2))
        #expect(choose(after: .seconds(60)) == neighbour(1))
        paths.doubtRelay(now: now + .seconds(60))
        #expect(choose(after: .seconds(61)) == neighbour(2))
        paths.doubtRelay(now: now + .seconds(61))
        #expect(choose(after: .seconds(62)) == neighbour(1), "of two that are doubted, the first comes first")
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
