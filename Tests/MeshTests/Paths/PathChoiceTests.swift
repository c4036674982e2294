import Mesh
import Primitives
import TestKit
import Testing
import Wire

@Suite("The choice among the paths of a session")
struct PathChoiceTests {
    private let now = Instant.zero + .seconds(100)
    private func place(_ number: UInt8) -> Endpoint { Endpoint(address: IPAddress(v4: 10, 0, 0, number), port: 7400) }
    private func node(_ seed: UInt64) -> NodeID { TestIdentity.nodeID(seed: seed) }

    /// Direct paths to these addresses and paths through these neighbours (their rank is their seed), all proved.
    private func table(_ places: [UInt8], _ neighbours: [UInt64] = []) -> PathTable {
        var table = PathTable(direct: places.first.map(place))
        for number in places.dropFirst() {
            guard let path = table.add(challenged: place(number), number: UInt64(number), now: now) else { continue }
            table[path].trust = .proved
        }
        for seed in neighbours { _ = table.index(through: node(seed), rank: seed, isOpen: true, now: now) }
        return table
    }

    @Test("a table begins with a direct path and the carrier, both proved, or without an address with the carrier only")
    func beginning() {
        let both = PathTable(direct: place(2))
        #expect(both.paths.map(\.route) == [.address(place(2)), .carrier] && both.paths.allSatisfy(\.isProbed))
        #expect(both.carrierIndex == 1 && both.chosen == 0 && both.nextProbe == .distantFuture)
        let alone = PathTable(direct: nil)
        #expect(alone.paths.map(\.route) == [.carrier] && alone.carrierIndex == 0)
    }

    /// The age of each path's last echo, in milliseconds; nil for never.
    private struct Case: CustomStringConvertible {
        var description: String
        var direct: [Int64?] = [nil, nil]
        var relay: [Int64?] = [nil, nil]
        var carrier: Int64?
        var chosen: PathRoute
    }

    @Test(
        "fresh before stale, direct before neighbour before carrier, then the lower rank, then the newer echo",
        arguments: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    func choice(number: Int) {
        let (first, second) = (PathRoute.address(place(2)), PathRoute.address(place(3)))
        let cases = [
            Case(description: "nothing answers", chosen: first),
            Case(description: "carrier alone", carrier: 0, chosen: .carrier),
            Case(description: "neighbour", relay: [700, nil], carrier: 0, chosen: .neighbour(node(7))),
            Case(description: "stale neighbour", relay: [701, nil], carrier: 0, chosen: .carrier),
            Case(description: "rank", relay: [0, 600], carrier: 0, chosen: .neighbour(node(5))),
            Case(description: "direct", direct: [nil, 600], relay: [0, 0], carrier: 0, chosen: second),
            Case(description: "newer echo", direct: [750, 701], chosen: second),
            Case(description: "echo at once", direct: [900, 900], chosen: first),
            Case(
                description: "stale sooner than dead", direct: [1_401, nil], relay: [nil, 1_400],
                chosen: .neighbour(node(5))),
            Case(description: "sticky", direct: [700, 0], carrier: 0, chosen: first),
        ]
        let one = cases[number]
        var table = table([2, 3], [7, 5])
        let paths: [(PathRoute, Int64?)] = [
            (first, one.direct[0]), (second, one.direct[1]), (.neighbour(node(7)), one.relay[0]),
            (.neighbour(node(5)), one.relay[1]), (.carrier, one.carrier),
        ]
        for (route, age) in paths {
            guard let path = table.index(of: route) else { return #expect(Bool(false), "\(route) is there") }
            table[path].echoedAt = age.map { now - .milliseconds($0) }
        }
        table.chooseAndSchedule(now: now)
        #expect(table.chosenPath.route == one.chosen, "\(one)")
    }

    @Test("a chosen neighbour yields to a direct path that answers; a chosen direct path stays while it is fresh")
    func yields() throws {
        var table = table([2], [5])
        let relay = try #require(table.index(of: .neighbour(node(5))))
        table[relay].echoedAt = now
        table.chooseAndSchedule(now: now)
        #expect(table.chosen == relay)
        table[0].echoedAt = now - .milliseconds(300)
        table.chooseAndSchedule(now: now)
        #expect(table.chosen == 0)
        table[relay].echoedAt = now + .milliseconds(400)
        table.chooseAndSchedule(now: now + .milliseconds(400))
        #expect(table.chosen == 0)
        table.chooseAndSchedule(now: now + .milliseconds(401))
        #expect(table.chosen == relay)
    }

    @Test("a path with TCP at a neighbour is chosen while the carrier brings no echo, and the carrier is probed then")
    func afterCarrier() throws {
        var table = table([2], [5])
        let relay = try #require(table.index(of: .neighbour(node(5))))
        table[relay].isAfterCarrier = true
        table[relay].echoedAt = now
        table[table.carrierIndex].echoedAt = now
        table.chooseAndSchedule(now: now)
        #expect(table.chosen == table.carrierIndex && table[relay].probeAt == .distantFuture)
        let later = now + .milliseconds(701)
        table[relay].echoedAt = later
        table.chooseAndSchedule(now: later)
        #expect(table.chosen == relay)
        #expect(table[table.carrierIndex].probeAt == later + MeshLimits.pathProbeIntervalMin)
        table[relay].isAfterCarrier = false
        table[table.carrierIndex].echoedAt = later
        table.chooseAndSchedule(now: later)
        #expect(table.chosen == relay && table[table.carrierIndex].probeAt == .distantFuture)
    }

    @Test("during verification the second path is the latest neighbour, else the carrier, else another proved path")
    func second() throws {
        var table = table([2, 3], [7, 5])
        #expect(table.second == table.index(of: .neighbour(node(5))))
        _ = table.forget(neighbour: node(5))
        #expect(table.second == table.index(of: .neighbour(node(7))))
        _ = table.forget(neighbour: node(7))
        #expect(table.second == table.carrierIndex)
        table[table.carrierIndex].echoedAt = now
        table.chooseAndSchedule(now: now)
        #expect(table.chosen == table.carrierIndex && table.second == 0)
        var alone = PathTable(direct: nil)
        _ = alone.add(challenged: place(2), number: 1, now: now)
        #expect(alone.second == nil)
    }

    @Test("a direct path that a worse one has replaced takes voice for 12 s after its last echo: the latest of several")
    func formerDirect() throws {
        var table = table([2, 3, 4], [5])
        let (second, third) = (try #require(table.index(of: .address(place(3)))), table.paths.count - 2)
        table[second].echoedAt = now - .seconds(3)
        table[third].echoedAt = now - .seconds(4)
        #expect(table.formerDirect(now: now) == nil, "a direct path is chosen")
        table[table.carrierIndex].echoedAt = now
        table.chooseAndSchedule(now: now)
        #expect(table.chosen == table.carrierIndex && table.formerDirect(now: now) == second)
        table[second].trust = .challenged(number: 1)
        #expect(table.formerDirect(now: now) == third)
        #expect(table.formerDirect(now: now + .seconds(8)) == third)
        #expect(table.formerDirect(now: now + .milliseconds(8_001)) == nil)
        let relay = try #require(table.index(of: .neighbour(node(5))))
        table[relay].echoedAt = now
        table.chooseAndSchedule(now: now)
        #expect(table.chosen == relay && table.formerDirect(now: now) == third)
        _ = table.forget(neighbour: node(5))
        table.chooseAndSchedule(now: now)
        #expect(table.formerDirect(now: now) == third, "a lost path through a neighbour takes none")
        table[third].echoedAt = now
        table.chooseAndSchedule(now: now)
        #expect(table.chosen == third && table.formerDirect(now: now) == nil)
    }

    @Test("there are four direct paths; a new one replaces the stalest that is neither chosen nor alive")
    func directPlaces() throws {
        var table = table([2, 3, 4, 5])
        #expect(table.paths.count == 5)
        for (index, path) in [0, 2, 3, 4].enumerated() {
            table[path].heardAt = now - .seconds(60 - Int64(index))
            table[path].echoedAt = now
        }
        #expect(table.add(challenged: place(6), number: 6, now: now) == nil)
        let later = now + .seconds(2)
        let place6 = table.add(challenged: place(6), number: 6, now: later)
        let added = try #require(place6)
        // The first path is chosen, so the next oldest one goes.
        #expect(added == 2 && table.index(of: .address(place(3))) == nil && table.paths.count == 5)
        #expect(table[added].trust == .challenged(number: 6) && table[added].challengedAt == later)
        #expect(table.index(challengedWith: 6) == added && table.index(challengedWith: 7) == nil)
        table[3].echoedAt = later
        #expect(table.add(challenged: place(7), number: 7, now: later) == 4)
    }

    @Test("there are four paths through neighbours, beside the direct ones; one that was never asked is replaced first")
    func neighbourPlaces() throws {
        var table = table([2, 3, 4, 5], [1, 2, 3, 4])
        #expect(table.paths.count == 9)
        for (seed, path) in zip([1, 2, 3, 4] as [UInt64], 5...8) where seed != 3 {
            table[path].askedAt = now - .seconds(Int64(seed))
        }
        #expect(table.index(through: node(9), rank: 9, isOpen: true, now: now) == 7)
        #expect(table[7].rank == 9 && table[7].neighbour == node(9) && table.paths.count == 9)
    }

    @Test("a path through a neighbour is open while datagrams can be handed to the neighbour")
    func openAndClosed() throws {
        var table = PathTable(direct: nil)
        let made = table.index(through: node(5), rank: 3, isOpen: false, now: now)
        let path = try #require(made)
        #expect(table[path].isForgotten && table[path].rank == 3)
        table[path].echoedAt = now
        #expect(table.index(through: node(5), rank: 4, isOpen: true, now: now) == path)
        #expect(!table[path].isForgotten && table[path].echoedAt == now && table[path].rank == 3)
        #expect(table.index(through: node(5), rank: 4, isOpen: false, now: now) == path)
        #expect(table[path].isForgotten && table[path].echoedAt == nil)
    }

    @Test("a forgotten neighbour loses its echo and its probe, and it is reported whether it carried the voice")
    func forget() throws {
        var table = table([2], [7, 5])
        let (seven, five) = (try #require(table.index(of: .neighbour(node(7)))), table.paths.count - 1)
        table[five].echoedAt = now
        table.chooseAndSchedule(now: now)
        table[seven].echoedAt = now
        table[seven].probeAt = now
        let (unknown, idle) = (table.forget(neighbour: node(9)), table.forget(neighbour: node(7)))
        #expect(!unknown && !idle)
        #expect(table[seven].echoedAt == nil && table[seven].probeAt == .distantFuture && table[seven].isForgotten)
        let chosen = table.forget(neighbour: node(5))
        #expect(chosen)
    }

    @Test("a lost carrier takes its echo and its round trip with it")
    func forgetCarrier() {
        var table = PathTable(direct: place(2))
        table[1].echoedAt = now
        table[1].add(rtt: .milliseconds(5))
        table.forgetCarrier()
        #expect(table[1].kind == .carrier && table[1].isProbed && table[1].echoedAt == nil && table[1].rtt == nil)
    }

    @Test("an absence of this node is added to the echo times of all paths, at most up to now")
    func forgive() {
        var table = table([2, 3])
        table[0].echoedAt = now - .milliseconds(300)
        table[1].echoedAt = now - .seconds(10)
        table.forgive(Absence(.milliseconds(400)), now: now)
        #expect(table.paths.map(\.echoedAt) == [now, now - .milliseconds(9_600), nil])
        table.forgive(Absence(.seconds(2)), now: now)
        #expect(table.paths.map(\.echoedAt) == [now, now - .milliseconds(7_600), nil])
    }

    @Test("a new session also tries the proved paths of its predecessor, as far as it has room")
    func adopt() {
        var former = table([2, 3, 4, 5], [5, 6, 7])
        _ = former.forget(neighbour: node(6))
        former[2].trust = .challenged(number: 1)
        former[3].echoedAt = now
        var table = PathTable(direct: place(3))
        _ = table.index(through: node(5), rank: 50, isOpen: true, now: now)
        table.adopt(from: former)
        let expected: [PathRoute] = [
            .address(place(3)), .carrier, .neighbour(node(5)), .address(place(2)), .address(place(4)),
            .address(place(5)), .neighbour(node(7)),
        ]
        #expect(table.paths.map(\.route) == expected && table.paths.allSatisfy { $0.isProbed && $0.echoedAt == nil })
        #expect(table.paths.map(\.rank) == [0, 0, 50, 0, 0, 0, 7])
        var full = self.table([12, 13, 14], [11, 12, 13])
        full.adopt(from: former)
        #expect(full.paths.count { $0.kind == .direct } == 4 && full.paths.count { $0.kind == .relay } == 4)
        #expect(full.index(of: .address(place(2))) != nil && full.index(of: .neighbour(node(5))) != nil)
    }

    @Test("a session without room for all paths adopts the one that carries the voice, wherever it is in the table")
    func adoptChosen() {
        var former = table([2, 3, 4, 5])
        former[4].echoedAt = now
        former.chooseAndSchedule(now: now)
        #expect(former.chosenPath.route == .address(place(5)))
        var table = PathTable(direct: place(6))
        table.adopt(from: former)
        let expected: [PathRoute] = [
            .address(place(6)), .carrier, .address(place(5)), .address(place(2)), .address(place(3)),
        ]
        #expect(table.paths.map(\.route) == expected)
    }

    @Test("a session with room for two direct paths adopts two, and as many relays as any other")
    func adoptIntoSmallTable() {
        let former = table([2, 3, 4], [5, 6, 7])
        var small = PathTable(direct: place(3), directPathsMax: 2)
        small.adopt(from: former)
        #expect(small.paths.count { $0.kind == .direct } == 2 && small.paths.count { $0.kind == .relay } == 3)
    }
}
