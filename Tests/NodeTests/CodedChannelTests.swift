import Channels
import Mesh
import MeshTestKit
import Node
import Primitives
import Testing
import Trust
import Voice
import Wire

/// Nodes 0 and 1 have the code of a channel, and node 2 has not. All listen to `main` too.
@Suite("channels with a code over the mesh")
struct CodedChannelTests {
    private static let main = ChannelID(high: 1, low: 1)
    private static let lights = ChannelID(high: 1, low: 2, hasCode: true)

    private struct Bench {
        let cluster = MeshCluster()
        private var frames: UInt32 = 0

        init() throws {
            for index in 0..<3 { cluster.start(seed: UInt64(index + 1), channels: [main]) }
            for index in 0..<3 {
                for other in 0..<3 where other != index { cluster.discover(other, by: index) }
            }
            let cluster = cluster
            try #require(
                cluster.drive(atMost: .seconds(5)) {
                    cluster.isUp(0, 1) && cluster.isUp(0, 2) && cluster.isUp(1, 2)
                })
            for index in 0...1 { try join(index) }
            cluster.members[0].node.setKey(0, to: KeyTargets(channels: [lights]), now: cluster.now)
            let isShared = cluster.drive(atMost: .seconds(5)) {
                cluster.peer(1, at: 0)?.channels.contains(lights) == true
                    && cluster.peer(0, at: 1)?.channels.contains(lights) == true
            }
            try #require(isShared)
            cluster.drive(for: .seconds(1))
        }

        func join(_ index: Int, code: UInt8 = 1) throws {
            let key = [UInt8](repeating: code, count: CodeSizes.codeKeyBytes)
            cluster.handle(.hold(CodedChannel(lights, codeKey: key), isNews: true), at: index)
            try cluster.perform(.join(ListeningEntry(lights)), at: index)
        }

        /// Sends one frame of node 0 by its key, and lets it arrive.
        mutating func speak() {
            let frame = VoiceFrame(
                sampleTime: SampleTime(samples: frames * UInt32(FrameDuration.ms5.samples)), duration: .ms5, spurt: 1,
                flags: .independent, keys: .first, byteCount: 60)
            cluster.send(frame, [UInt8](repeating: 9, count: 60), from: 0)
            cluster.drive(for: .milliseconds(5))
            frames += 1
        }
    }

    @Test("voice on the channel goes to those alone that have proved the code, and sounds there")
    func voice() throws {
        var bench = try Bench()
        bench.speak()
        #expect(bench.cluster.members.map(\.voices.count) == [0, 1, 0])
        let voice = try #require(bench.cluster.members[1].voices.last)
        #expect(bench.cluster.members[1].node.heardLines(of: voice.payload, from: voice.slot) != nil)
    }

    @Test("others are told of no list, no talk and no tally")
    func hidden() throws {
        let bench = try Bench()
        bench.cluster.setTalking(by: .first, at: 0)
        bench.cluster.drive(for: .seconds(1))
        let (member, outsider) = (
            try #require(bench.cluster.peer(0, at: 1)), try #require(bench.cluster.peer(0, at: 2))
        )
        #expect(member.isTalking && member.talksOn == [Self.lights])
        #expect(!outsider.isTalking && outsider.talksOn.isEmpty)
        #expect(outsider.channels == [Self.main] && outsider.talks.isEmpty)
    }

    @Test("a member whose link comes up again with its old session is shown talk that has begun meanwhile")
    func shownAfterOutage() throws {
        let cluster = try Bench().cluster
        let link = try #require(cluster.peer(1, at: 0)?.link)
        for other in [0, 2] { cluster.separate(1, other) }
        try #require(cluster.drive(atMost: .seconds(4)) { cluster.isDown(1, at: 0) })
        cluster.setTalking(by: .first, at: 0)
        // Dials and carriers still fail, so there is no new session.
        for other in [0, 2] { cluster.cuts.subtract([.datagrams(from: 1, to: other), .datagrams(from: other, to: 1)]) }
        try #require(cluster.drive(atMost: .seconds(3)) { cluster.isUp(0, 1) })
        cluster.drive(for: .seconds(1))
        #expect(cluster.peer(1, at: 0)?.link == link)
        #expect(cluster.peer(0, at: 1)?.isTalking == true)
        #expect(cluster.peer(0, at: 2)?.isTalking == false)
    }

    @Test("another code makes no member, and its person is told")
    func wrongCode() throws {
        var bench = try Bench()
        try bench.join(2, code: 2)
        bench.cluster.drive(for: .seconds(3))
        #expect(bench.cluster.members[2].codeEvents == [.nobodyHas(Self.lights)])
        bench.speak()
        #expect(bench.cluster.members[2].voices.isEmpty)
        #expect(bench.cluster.peer(2, at: 0)?.channels == [Self.main])
        try bench.join(2, code: 1)
        bench.cluster.drive(for: .seconds(3))
        bench.speak()
        #expect(bench.cluster.members[2].voices.count == 1)
    }

    @Test("an outsider's voice on a guessed label is dropped and counted")
    func guessedLabel() throws {
        let bench = try Bench()
        let slot = try #require(bench.cluster.slot(of: 2, at: 0))
        // The outsider knows neither how many places there are, nor the generation.
        for generation in 1...9 as ClosedRange<UInt8> {
            for place in 1..<WireLimits.channelsListenedMax {
                let label = VoiceLabel.place(place).rawValue
                let header = [0, generation, UInt8(label >> 8), UInt8(label & 0xFF), 1, 0, 0, 0, 0]
                #expect(bench.cluster.members[0].node.heardLines(of: header + [0, 0x08, 1, 9], from: slot) == nil)
            }
        }
        let unplayed = bench.cluster.members[0].node.unplayed
        #expect(unplayed.malformed == 0 && unplayed.notListened != 0)
        #expect(unplayed.notListened + unplayed.unknownGeneration == 9 * UInt64(WireLimits.channelsListenedMax - 1))
    }

    @Test("a peer that is left behind is not heard, although it never confirms the list without the channel")
    func leftBehind() throws {
        var bench = try Bench()
        bench.speak()
        let voice = try #require(bench.cluster.members[1].voices.last)
        func isHeard() -> Bool { bench.cluster.members[1].node.heardLines(of: voice.payload, from: voice.slot) != nil }
        #expect(isHeard())
        let key = [UInt8](repeating: 2, count: CodeSizes.codeKeyBytes)
        bench.cluster.handle(.hold(CodedChannel(Self.lights, codeKey: key), isNews: false), at: 1)
        // No control block has come since.
        #expect(!isHeard() && bench.cluster.members[1].node.unplayed.notListened == 1)
    }

    @Test("a call on the channel reaches its members, and is theirs")
    func calls() throws {
        let bench = try Bench()
        try bench.cluster.perform(.call(CallOrder(.channel(Self.lights))), at: 0)
        bench.cluster.drive(for: .seconds(1))
        let call = try #require(bench.cluster.members[1].node.calls.incoming.first)
        #expect(call.target == .channel(Self.lights))
        #expect(bench.cluster.members[2].node.calls.incoming.isEmpty)
    }
}
