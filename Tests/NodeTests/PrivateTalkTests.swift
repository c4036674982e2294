import Channels
import Mesh
import MeshTestKit
import Node
import Primitives
import Testing
import Voice
import Wire

@Suite("private talk over the mesh")
struct PrivateTalkTests {
    private static let main = ChannelID(high: 1, low: 1)

    /// Three linked nodes. Node 0 has a key for the channel, one for node 1, one for replies and one for all.
    private struct Bench {
        let cluster = MeshCluster()
        private var frames: UInt32 = 0

        init() throws {
            for index in 0..<3 { cluster.start(seed: UInt64(index + 1), takesPlain: false, channels: [main]) }
            for index in 1..<3 {
                cluster.discover(index, by: 0)
                cluster.discover(0, by: index)
            }
            let cluster = cluster
            try #require(cluster.drive(atMost: .seconds(5)) { cluster.isUp(0, 1) && cluster.isUp(0, 2) })
            cluster.drive(for: .seconds(1))
            let peer = cluster.members[1].node.mesh.status(now: cluster.now).node
            let targets = [
                KeyTargets(channels: [main]), KeyTargets(peers: [peer]), KeyTargets(isReply: true),
                KeyTargets(isToAll: true),
            ]
            for (key, targets) in targets.enumerated() {
                cluster.members[0].node.setKey(key, to: targets, now: cluster.now)
            }
        }

        /// Sends one frame by these keys, and lets it arrive.
        mutating func speak(_ keys: KeySet, _ flags: VoiceFrameFlags = .independent) {
            let frame = VoiceFrame(
                sampleTime: SampleTime(samples: frames * UInt32(FrameDuration.ms5.samples)), duration: .ms5, spurt: 1,
                flags: flags, keys: keys, byteCount: 60)
            cluster.send(frame, [UInt8](repeating: 9, count: 60), from: 0)
            cluster.drive(for: .milliseconds(5))
            frames += 1
        }

        /// Shows that node 0 talks by these keys; returns which of the others see it.
        func shown(_ keys: KeySet) -> [Int] {
            cluster.setTalking(by: keys, at: 0)
            cluster.drive(for: .milliseconds(50))
            return [1, 2].filter { index in
                cluster.members[index].node.mesh.status(now: cluster.now).peers.contains { $0.isTalking }
            }
        }

        /// The lines on which the latest payload sounds at a node; nil if it does not sound.
        func lines(at index: Int) throws -> HeardLines? {
            let voice = try #require(cluster.members[index].voices.last)
            return cluster.members[index].node.heardLines(of: voice.payload, from: voice.slot)
        }
    }

    @Test("private talk reaches its peer alone, on a line of its own")
    func reach() throws {
        var bench = try Bench()
        bench.speak(.key(1))
        #expect(bench.cluster.members.map(\.voices.count) == [0, 1, 0])
        #expect(try bench.lines(at: 1)?.newest == .line(ListeningLimits.privateLine))
    }

    @Test("talk to all reaches everybody, on a line of its own")
    func all() throws {
        var bench = try Bench()
        bench.speak(.key(3))
        #expect(bench.cluster.members.map(\.voices.count) == [0, 1, 1])
        #expect(try bench.lines(at: 2)?.newest == .line(ListeningLimits.allLine))
    }

    @Test("private talk is shown to its peer alone, also after talk on a channel")
    func shown() throws {
        let bench = try Bench()
        #expect(bench.shown(.key(1)) == [1])
        #expect(bench.shown([.key(0), .key(1)]) == [1, 2])
        #expect(bench.shown(.key(1)) == [1])
        #expect(bench.shown(.key(2)) == [], "nobody has called")
        #expect(bench.shown(.key(3)) == [1, 2])
        #expect(bench.shown([]) == [])
    }

    @Test("what is not granted does not sound, and is counted; a channel in the same label sounds")
    func grants() throws {
        var bench = try Bench()
        let grants = TalkGrants(privately: .nobody, toAll: .nobody)
        try bench.cluster.perform(.grant(grants), at: 1)
        bench.speak(.key(1))
        #expect(try bench.lines(at: 1) == nil)
        bench.speak(.key(3))
        #expect(try bench.lines(at: 1) == nil)
        #expect(bench.cluster.members[1].node.unplayed.notGranted == 2)
        bench.speak([.key(0), .key(1)])
        #expect(try bench.lines(at: 1)?.newest == .line(0))
    }

    @Test("a peer is told at once that it is refused, and again when it is granted")
    func toldRefusals() throws {
        let cluster = try Bench().cluster
        /// The talk of a node that node 1 does not play, as that node knows.
        func refused(_ index: Int) throws -> RefusedTalk {
            let node = cluster.members[1].node.mesh.status(now: cluster.now).node
            let known = cluster.members[index].node.mesh.status(now: cluster.now).peers.first { $0.node == node }
            return try #require(known?.refusedTalk)
        }
        try #require(cluster.drive(atMost: .seconds(5)) { cluster.isUp(1, 2) })
        cluster.drive(for: .seconds(1))
        let second = cluster.members[2].node.mesh.status(now: cluster.now).node
        #expect(try refused(0).isEmpty && refused(2).isEmpty)
        try cluster.perform(.grant(TalkGrants(privately: .nodes([second]), toAll: .nobody)), at: 1)
        cluster.drive(for: .milliseconds(50))
        #expect(try refused(0) == .all && refused(2) == .toAll)
        try cluster.perform(.grant(TalkGrants()), at: 1)
        cluster.drive(for: .milliseconds(50))
        #expect(try refused(0).isEmpty && refused(2).isEmpty)
    }

    @Test("payloads alone make no caller: a reply goes to the peer whose private talk began to sound last")
    func caller() throws {
        var bench = try Bench()
        let cluster = bench.cluster
        bench.speak(.key(1))
        _ = try bench.lines(at: 1)
        #expect(cluster.members[1].node.voice.caller == nil, "it has not sounded")
        let nodes = [0, 2].map { cluster.members[$0].node.mesh.status(now: cluster.now).node }
        let slots = try nodes.map { node in
            let known = cluster.members[1].node.mesh.status(now: cluster.now).peers.first { $0.node == node }
            return try #require(known?.slot)
        }
        var heard: [UInt64] = [0, 0]
        /// 20 ms of private talk, which sounds or does not.
        func talk(_ talker: Int, _ sounds: Bool, at milliseconds: Int64) {
            if sounds { heard[talker] += 960 }
            cluster.members[1].node.countPrivateTalk(
                heard: heard[talker], from: slots[talker], now: cluster.now + .milliseconds(milliseconds))
        }
        // 2 sounds from the start on, and never pauses; 0 begins later.
        for time in stride(from: Int64(0), to: 5_000, by: 20) {
            talk(1, true, at: time)
            if (2_000..<3_000).contains(time) { talk(0, true, at: time) }
            let caller = time < 80 ? nil : nodes[time < 2_080 ? 1 : 0]
            #expect(cluster.members[1].node.voice.caller == caller, "\(time) ms")
        }
        // 2 sends silence, and is heard again after it.
        for time in stride(from: Int64(5_000), to: 7_000, by: 20) { talk(1, false, at: time) }
        #expect(cluster.members[1].node.voice.caller == nodes[0])
        for time in stride(from: Int64(7_000), to: 7_080, by: 20) { talk(1, true, at: time) }
        #expect(cluster.members[1].node.voice.caller == nodes[0], "a click is no talk")
        talk(1, true, at: 7_080)
        #expect(cluster.members[1].node.voice.caller == nodes[1])
    }

    @Test("a reply reaches the caller alone")
    func reply() throws {
        var bench = try Bench()
        let peer = bench.cluster.members[2].node.mesh.status(now: bench.cluster.now).node
        bench.cluster.members[0].node.setCaller(peer)
        bench.cluster.members[0].node.setDown(.key(2))
        bench.speak(.key(2))
        #expect(bench.cluster.members[2].voices.count == 1)
        #expect(bench.shown(.key(2)) == [2])
    }
}
