import Channels
import Mesh
import MeshSimulator
import Primitives
import Testing
import Wire

@Suite("Hostile members")
struct HostileMemberTests {
    @Test(
        "a mesh with drawn hostile members keeps every promise to the honest",
        arguments: Array(1...20) as [UInt64])
    func seeds(seed: UInt64) {
        var options = SwarmOptions(seed: seed, nodeCount: 8)
        options.drawHostileMembers()
        let report = TwoActs(options, sealing: WorldOptions.transparentSealing).run()
        if let violation = report.violation {
            Issue.record("seed \(seed): \(violation.checker) at \(violation.at): \(violation.text)")
        }
    }

    @Test("at least two honest nodes stay in the core, and a mesh of two has no hostile member")
    func honestStay() {
        var count = 0
        for seed in 1...300 as ClosedRange<UInt64> {
            var options = SwarmOptions(seed: seed, nodeCount: nil)
            let before = options
            options.drawHostileMembers()
            count += options.hostileMembers == nil ? 0 : 1
            #expect(options.hostileMembers == nil ? before.core.count < 3 : 2 <= options.core.count)
            options.hostileMembers = nil
            #expect(options == before, "the draw changes nothing else")
        }
        #expect(200 < count)
    }

    @Test("all conducts are drawn, and what is drawn can be given as it is shown")
    func roundTrip() throws {
        var seen: Set<HostileConduct> = []
        let setting = try #require(SwarmSetting.named("members"))
        for seed in 1...100 as ClosedRange<UInt64> {
            var options = SwarmOptions(seed: seed, nodeCount: 12)
            try setting.set("drawn", in: &options)
            seen.formUnion(options.hostileMembers?.members.flatMap(\.conducts) ?? [])
            var copy = SwarmOptions(seed: seed, nodeCount: 12)
            try setting.set(setting.text(in: options), in: &copy)
            #expect(copy == options)
        }
        #expect(seen == Set(HostileConduct.allCases))
    }

    @Test("members that are named by their conducts alone have these and no others")
    func alone() throws {
        var options = SwarmOptions(seed: 1, nodeCount: 8)
        try #require(SwarmSetting.named("members")).set("liar+thief", in: &options)
        let members = try #require(options.hostileMembers?.members)
        #expect(!members.isEmpty && members.allSatisfy { $0.conducts == [.liar, .thief] })
    }

    @Test(
        "a text that names no members is refused",
        arguments: ["", "dance", "1:liar", "1:liar@", "1:liar@0s", "4:liar@1s", "2:liar,1:liar@1s", "1:@1s", "@1s"])
    func refused(text: String) throws {
        let setting = try #require(SwarmSetting.named("members"))
        var options = SwarmOptions(seed: 1, nodeCount: 4)
        #expect(throws: SettingError.self) { try setting.set(text, in: &options) }
        #expect(options == SwarmOptions(seed: 1, nodeCount: 4))
    }

    @Test("checkers judge what honest nodes do with a hostile peer, and not what is true of it")
    func judged() {
        var checkers = SafetyCheckers(nodeCount: 2)
        let never = Observation.peerUp(observer: 0, peer: 1, slot: 0, Instance(exactly: 9) ?? .max)
        checkers.observe(never, isOfHostile: true, at: .zero)
        #expect(checkers.violation == nil, "the peer never had this instance")
        checkers.observe(never, isOfHostile: true, at: .zero)
        #expect(checkers.violation?.checker == "RosterAlternates")
        var honest = SafetyCheckers(nodeCount: 2)
        honest.observe(never, at: .zero)
        #expect(honest.violation?.checker == "InstancesAreReal")
    }

    @Test("voice of a hostile talker in the slot of another peer, or of nobody, is judged")
    func slots() {
        let stamp = VoiceStamp(talker: 2, life: 1, sequence: 1)
        func subjects(_ holder: Int?, _ stamp: VoiceStamp?) -> [Int?] {
            [
                Observation.voice(observer: 0, slotHolder: holder, stamp).subject,
                Observation.sounded(observer: 0, slotHolder: holder, stamp).subject,
            ]
        }
        #expect(subjects(2, stamp) == [2, 2])
        #expect(subjects(1, stamp) == [nil, nil] && subjects(nil, stamp) == [nil, nil])
        #expect(subjects(2, nil) == [2, 2], "a damaged packet is the word of the slot's holder")
    }

    /// The effect of a staller is in `StalledTunnelsAreLeft`.
    @Test("each conduct shows at an honest node", arguments: HostileConduct.allCases.filter { $0 != .staller })
    func shows(conduct: HostileConduct) {
        let world = World(options(for: conduct))
        world.setHostile(
            HostileMembers(
                members: [HostileMembers.Member(node: 2, conducts: [conduct])], every: .milliseconds(100)))
        for node in 0..<3 { world.apply(.start(node)) }
        world.run(until: .zero + .seconds(3))
        // Each new carrier brings an invitation, and every other one is refused.
        for round in 0..<8 where conduct == .refuser {
            world.schedule(.resetCarriers(0, 2), at: world.now + .seconds(4) * Int64(round))
        }
        if conduct == .greyRelay { world.apply(.blockDatagrams(0, 1)) }
        for talker in 0..<2 { world.startTalking(talker, every: .milliseconds(20)) }
        world.run(until: .zero + .seconds(40))
        #expect(isShown(conduct, in: world))
    }

    private func options(for conduct: HostileConduct) -> WorldOptions {
        var options = WorldOptions(seed: 5, names: WorldOptions.numberedNames(3))
        if conduct == .ground { options.groundNodes = [2] }
        return options
    }

    private func isShown(_ conduct: HostileConduct, in world: World) -> Bool {
        func counted(_ counter: MeshCounter) -> UInt64 {
            world.status(of: 0)?.counters.first { $0.name == "\(counter)" }?.value ?? 0
        }
        let member = world.status(of: 0)?.peers.first { $0.node == world.network.hosts[2].node }
        let other = world.status(of: 0)?.peers.first { $0.node == world.network.hosts[1].node }
        let row = world.status(of: 0)?.matrix.first { $0.node == world.network.hosts[2].node }
        return switch conduct {
        case .liar: 10 < counted(.versionExchanges)
        case .recluse: row?.entries.isEmpty == true
        case .sybil: 10 < world.status(of: 0)?.peersKnown ?? 0
        case .refuser: 0 < counted(.refusalsReceived)
        case .thief: 0 < counted(.recordsForged)
        case .leech: 0 < counted(.relaysForwarded)
        case .greyRelay: other?.path == .carrier
        case .staller: true
        case .impostor: member?.name == SafeText("n0") || member?.name == SafeText("n1")
        case .replayer: 0 < counted(.framesUnexpected) + counted(.invitesStale) + counted(.acceptsStale)
        case .ground: (0..<2).allSatisfy { world.network.hosts[$0].node < world.network.hosts[2].node }
        case .forger: !world.directory(of: 0).entries.isEmpty
        }
    }
}
