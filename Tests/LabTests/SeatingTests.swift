import Lab
import NodeRuntime
import Primitives
import Testing

@Suite("the channels of a lab")
struct SeatingTests {
    @Test("every channel has a speaker and a listener", arguments: [(6, 3), (4, 2), (8, 4), (5, 3), (64, 14)])
    func everyChannelIsUsed(nodes: Int, channels: Int) {
        let seating = ChannelSeating(nodes: nodes, channels: channels)
        for channel in 0..<channels {
            let members = (0..<nodes).count { node in seating.seats(of: node).contains { $0.channel == channel } }
            #expect(2 <= members, "channel \(channel)")
        }
    }

    @Test("six nodes on three channels sit as the drawing says, and speak on one, the other and both")
    func sixOnThree() {
        let seating = ChannelSeating(nodes: 6, channels: 3)
        #expect((0..<6).map { seating.seats(of: $0).map(\.channel) } == [[0, 1], [1, 2], [2], [0, 1], [1, 2], [2]])
        #expect(seating.targets(of: 0) == [[0], [1], [0, 1]])
        #expect(seating.targets(of: 5) == [[2]])
    }

    @Test("of several channels the loudest level counts, and all their ears; who is on none must not hear")
    func hearing() throws {
        let seating = ChannelSeating(nodes: 6, channels: 3)
        let one = try #require(seating.hearing([1], by: 0))
        #expect(one == (-4, .left))
        let both = try #require(seating.hearing([0, 1], by: 0))
        #expect(both == (0, .both))
        #expect(seating.hearing([0], by: 4) == nil)
        #expect(seating.hearing([0, 1], by: 5) == nil)
    }

    @Test("with one channel everybody hears everything unchanged")
    func undivided() throws {
        let seating = ChannelSeating(nodes: 4, channels: 1)
        #expect(!seating.isDivided)
        for node in 0..<4 {
            #expect(seating.targets(of: node) == [[0]])
            #expect(try #require(seating.hearing([0], by: node)) == (0, .both))
        }
    }

    @Test("every node is told its channels at its start, also the only one: its state may have those of another lab")
    func joined() {
        let divided = ChannelSeating(nodes: 6, channels: 3)
        #expect(divided.joined(by: 1) == ["channel 1", "channel 2"])
        #expect(divided.joined(by: 2) == ["channel 2"])
        let one = ChannelSeating(nodes: 4, channels: 1)
        for node in 0..<4 { #expect(one.joined(by: node) == ["main"]) }
    }

    @Test("a node has a talk key for each of its channels, and holds both to talk on both")
    func keys() throws {
        let divided = ChannelSeating(nodes: 6, channels: 3)
        for node in 0..<6 {
            let keys = try ConfigurationFile.settings(in: divided.keyTables(of: node), path: "node.toml").keys
            #expect(keys.map { $0.channels.map { "\($0)" } } == divided.joined(by: node).map { [$0] })
            for targets in divided.targets(of: node) {
                let held = divided.keys(for: targets).compactMap { name in keys.first { $0.name == name } }
                #expect(held.map { $0.channels.map { "\($0)" } } == targets.map { [ChannelSeating.name(of: $0)] })
            }
        }
        let one = ChannelSeating(nodes: 4, channels: 1)
        #expect(one.keyTables(of: 0).isEmpty && one.keys(for: [0]) == [nil])
    }

    @Test("each node has a turn for each of its targets, and one talks at a time", arguments: [(6, 3), (20, 5)])
    func turns(nodes: Int, channels: Int) {
        let plan = LabPlan(nodes: nodes, channels: channels, length: .seconds(5), faults: [])
        for node in 0..<nodes {
            #expect(plan.schedule.turns(of: node).map(\.channels) == plan.seating.targets(of: node))
        }
        for (turn, next) in zip(plan.schedule.turns, plan.schedule.turns.dropFirst()) { #expect(turn.end < next.start) }
    }

    @Test("a turn is either expected or forbidden, by the channels of its listener")
    func expectation() {
        let plan = LabPlan(nodes: 6, channels: 3, length: .seconds(5), faults: [])
        #expect(plan.turnsExpected(from: 0, to: 1).map(\.channels) == [[1], [0, 1]])
        #expect(plan.turnsForbidden(from: 0, to: 1).map(\.channels) == [[0]])
        #expect(plan.turnsForbidden(from: 0, to: 5).count == 3)
        #expect(plan.turnsForbidden(from: 0, to: 3).isEmpty)
    }
}
