import Channels
import MeshSimulator
import Primitives
import Testing
import Trust
import Wire

@Suite("Directory checkers can fail")
struct DirectoryCheckerTests {
    private let sealing = TransparentSealing(seed: 3)
    private var mesh: MeshID { MeshID(ofOpenMesh: "test", sealing: sealing) }

    private func channel() throws -> ChannelID {
        ChannelID(of: try #require(ChannelName("lights")), in: mesh, sealing: sealing)
    }

    private func entry(_ form: ChannelState.Form, birthEpoch: UInt16 = 0) throws -> DirectoryEntry {
        let birth = ChannelBirth(
            channel: try channel(), epoch: birthEpoch, created: 5, creator: sealing.publicKey, name: SafeText("lights"))
        let state = ChannelState(
            epoch: birthEpoch, version: 1, form: form, flags: [], changed: 5, editor: sealing.publicKey)
        return DirectoryEntry(SignedChannelEntry(birth: birth, state: state, in: mesh, with: sealing), sealing: sealing)
    }

    @Test("an entry of a creator that created nothing, or that nobody knows, is found")
    func creator() throws {
        var truth = NamingTruth()
        let entry = try entry(.live)
        #expect(truth.fault(in: entry, createdBy: 1, core: [0, 1]) != nil)
        truth.note(.created, try channel(), by: 0, birthEpoch: 0)
        #expect(truth.fault(in: entry, createdBy: 0, core: [0, 1]) == nil)
        #expect(truth.fault(in: entry, createdBy: 1, core: [0, 1]) != nil)
        #expect(truth.fault(in: entry, createdBy: nil, core: [0, 1]) != nil)
    }

    @Test("a channel that lives although its creator deleted it is found, unless it was born again")
    func resurrection() throws {
        var truth = NamingTruth()
        truth.note(.created, try channel(), by: 0, birthEpoch: 0)
        truth.note(.deletedByAnother, try channel(), by: 1, birthEpoch: 0)
        #expect(truth.fault(in: try entry(.live), createdBy: 0, core: [0, 1]) == nil)
        truth.note(.deletedByCreator, try channel(), by: 0, birthEpoch: 0)
        #expect(truth.fault(in: try entry(.live), createdBy: 0, core: [0, 1]) != nil)
        #expect(truth.fault(in: try entry(.deleted(now: nil)), createdBy: 0, core: [0, 1]) == nil)
        #expect(truth.fault(in: try entry(.live, birthEpoch: 1), createdBy: 0, core: [0, 1]) == nil)
        // What the disk of a lost node held is not known to the others.
        #expect(truth.fault(in: try entry(.live), createdBy: 0, core: [1]) == nil)
    }

    @Test("a channel must exist while nobody deleted it and a node of the core created it")
    func existence() throws {
        var truth = NamingTruth()
        let channel = try channel()
        #expect(!truth.mustExist(channel, core: [0, 1]))
        truth.note(.created, channel, by: 0, birthEpoch: 0)
        #expect(truth.mustExist(channel, core: [0, 1]) && !truth.mustExist(channel, core: [1]))
        truth.note(.deletedByAnother, channel, by: 1, birthEpoch: 0)
        #expect(!truth.mustExist(channel, core: [0, 1]))
    }

    /// Two linked nodes whose people may name channels.
    private func world() -> World {
        let world = World(WorldOptions(seed: 4, names: WorldOptions.numberedNames(2)))
        world.nameChannels(NamingRule(nameCount: 2, every: .seconds(1)), until: .zero)
        for node in 0..<2 { world.apply(.start(node)) }
        world.run(until: .zero + .seconds(5))
        return world
    }

    @Test("directories that differ are found, and equal ones pass")
    func convergence() throws {
        let world = world()
        let name = try #require(ChannelName("channel 0"))
        #expect(world.directoryViolation(among: [0, 1]) == nil)
        world.apply(.partition(0b01))
        #expect(world.order(.create(name), of: 0) == nil)
        #expect(world.directoryViolation(among: [0, 1])?.checker == "ChannelsAreTrue")
        #expect(world.directoryViolation(among: [1, 0])?.checker == "ChannelsAreTrue")
        // Both have created it, and have not met yet.
        world.run(until: world.now + .seconds(2))
        #expect(world.order(.create(name), of: 1) == nil)
        #expect(world.directoryViolation(among: [0, 1])?.checker == "DirectoriesConverge")
        world.apply(.mendAll)
        world.run(until: world.now + .seconds(60))
        #expect(world.directoryViolation(among: [0, 1]) == nil)
    }

    @Test("a pair lacks a carrier until a connection has delivered since the mending")
    func carriers() throws {
        let world = world()
        let name = try #require(ChannelName("channel 0"))
        #expect(world.firstPairWithoutCarrier(among: [0, 1], mendedAt: world.now) == nil)
        world.apply(.partition(0b01))
        #expect(world.firstPairWithoutCarrier(among: [0, 1], mendedAt: world.now) == nil, "no connection can pass")
        #expect(world.order(.create(name), of: 0) == nil)
        world.run(until: world.now + .seconds(1))
        world.apply(.mendAll)
        let mendedAt = world.now
        #expect(world.firstPairWithoutCarrier(among: [0, 1], mendedAt: mendedAt) ?? (1, 0) == (0, 1))
        world.run(until: world.now + .seconds(10))
        #expect(world.firstPairWithoutCarrier(among: [0, 1], mendedAt: mendedAt) == nil)
    }

    @Test("a connection that delivers, but that no link uses, is no carrier")
    func connection() {
        let world = World(WorldOptions(seed: 4, names: WorldOptions.numberedNames(2)))
        for node in 0..<2 { world.apply(.start(node)) }
        for _ in 0..<5_000 where !world.carriers.delivers(between: 0, and: 1, since: .zero) {
            world.run(until: world.now + .milliseconds(1))
        }
        #expect(world.carriers.delivers(between: 0, and: 1, since: .zero))
        #expect(world.firstPairWithoutCarrier(among: [0, 1], mendedAt: .zero) ?? (1, 0) == (0, 1))
        world.run(until: world.now + .seconds(1))
        #expect(world.firstPairWithoutCarrier(among: [0, 1], mendedAt: .zero) == nil)
    }

    @Test("a listener that stays on a renamed channel is found")
    func renaming() throws {
        let world = world()
        let (name, other) = (try #require(ChannelName("channel 0")), try #require(ChannelName("channel 1")))
        #expect(world.order(.create(name), of: 0) == nil)
        world.run(until: world.now + .seconds(3))
        #expect(world.order(.rename(name, to: other), of: 0) == nil)
        world.run(until: world.now + .seconds(3))
        // A person joins the old channel afterwards, which the people of a run do not.
        world.change(.join(ListeningEntry(world.channelID(name, at: 1))), of: 1)
        #expect(world.directoryViolation(among: [0, 1])?.checker == "ListenersFollowRenamings")
        world.change(.part(world.channelID(name, at: 1)), of: 1)
        #expect(world.directoryViolation(among: [0, 1]) == nil)
    }
}
