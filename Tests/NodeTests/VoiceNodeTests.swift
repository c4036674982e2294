import Channels
import Mesh
import MeshTestKit
import Node
import Primitives
import Testing
import Voice
import Wire

@Suite("a node's voice over its mesh")
struct VoiceNodeTests {
    private static let main = ChannelID(high: 1, low: 1)
    private static let other = ChannelID(high: 1, low: 2)

    /// Linked nodes. Node 0 talks on the main channel.
    private struct Bench {
        let cluster = MeshCluster()
        private var frames: UInt32 = 0

        /// - Parameter channels: the channels that the nodes listen to, by node.
        init(_ channels: [[ChannelID]], takesPlain: Bool = false) throws {
            for (index, channels) in channels.enumerated() {
                cluster.start(seed: UInt64(index + 1), takesPlain: takesPlain, channels: channels)
            }
            let all = Array(channels.indices)
            for index in all.dropFirst() {
                cluster.discover(index, by: 0)
                cluster.discover(0, by: index)
            }
            let cluster = cluster
            try #require(
                cluster.drive(atMost: .seconds(5)) { all.dropFirst().allSatisfy { cluster.isUp(0, $0) } })
            cluster.drive(for: .seconds(1))
        }

        /// Sends one frame, and lets it arrive.
        mutating func speak() {
            let frame = VoiceFrame(
                sampleTime: SampleTime(samples: frames * UInt32(FrameDuration.ms5.samples)), duration: .ms5, spurt: 1,
                flags: [], byteCount: 60)
            cluster.send(frame, [UInt8](repeating: 9, count: 60), from: 0)
            cluster.drive(for: .milliseconds(5))
            frames += 1
        }

        /// How many payloads each node has heard.
        var heard: [Int] { cluster.members.map(\.voices.count) }

        func choice(of listener: Int) -> ListenerChoice? {
            cluster.slot(of: listener, at: 0).flatMap { cluster.members[0].node.voice.choice(for: $0) }
        }

        var encoder: EncoderChoice { cluster.members[0].node.voice.encoderChoice }
    }

    @Test("after an outage voice sounds by the list that the talker has, although a newer one was lost")
    func lostList() throws {
        var bench = try Bench([[Self.main], [Self.main]])
        let cluster = bench.cluster
        cluster.separate(0, 1)
        cluster.drive(for: .milliseconds(500))
        try cluster.perform(.join(ListeningEntry(Self.other)), at: 1)
        try #require(cluster.drive(atMost: .seconds(4)) { cluster.isDown(1, at: 0) && cluster.isDown(0, at: 1) })
        // Carriers still fail, so the new list does not come.
        cluster.cuts.subtract([.datagrams(from: 0, to: 1), .datagrams(from: 1, to: 0)])
        try #require(cluster.drive(atMost: .seconds(3)) { cluster.isUp(0, 1) })
        #expect(cluster.peer(1, at: 0)?.channels == [Self.main])
        for _ in 0..<200 where cluster.members[1].voices.isEmpty { bench.speak() }
        let voice = try #require(cluster.members[1].voices.last)
        #expect(cluster.members[1].node.heardLines(of: voice.payload, from: voice.slot)?.newest == .line(0))
    }

    @Test("a frame reaches each peer that listens to the channel once, and no other peer")
    func listeners() throws {
        var bench = try Bench([[Self.main], [Self.main], [Self.other], [Self.other, Self.main]])
        bench.speak()
        #expect(bench.heard == [0, 1, 0, 1])
        bench.speak()
        #expect(bench.heard == [0, 2, 0, 2])
    }

    @Test("a peer that joins the channel hears the next frame, and one that leaves it hears no more")
    func changes() throws {
        var bench = try Bench([[Self.main], [Self.main], [Self.other]])
        bench.cluster.command(1, .setChannels([Self.other]))
        bench.cluster.command(2, .setChannels([Self.main]))
        bench.cluster.drive(for: .seconds(1))
        bench.speak()
        #expect(bench.heard == [0, 0, 1])
        #expect(bench.choice(of: 1) == nil && bench.choice(of: 2) != nil)
    }

    @Test("a peer that has left is no listener any more")
    func leaving() throws {
        var bench = try Bench([[Self.main], [Self.main]])
        let slot = try #require(bench.cluster.slot(of: 1, at: 0))
        bench.speak()
        bench.cluster.command(1, .leave)
        bench.cluster.drive(for: .seconds(1))
        #expect(bench.cluster.members[0].node.voice.choice(for: slot) == nil)
        bench.speak()
        #expect(bench.heard == [0, 1])
    }

    @Test("a listener's report on losses changes its copies, and the frames of the encoder")
    func reports() throws {
        var bench = try Bench([[Self.main], [Self.main]])
        bench.speak()
        #expect(bench.choice(of: 1) == .initial && bench.encoder.description == "as asked")
        let slot = try #require(bench.cluster.slot(of: 0, at: 1))
        let report = ReceptionReport(lossPermille: 100, lossRunTenths: 10, latePermille: 0, jitterTargetSamples: 96)
        bench.cluster.input(1, .receptionReport(report, of: slot))
        bench.cluster.drive(for: .seconds(1))
        #expect(bench.choice(of: 1)?.description == "prepared for 10 % loss, 2 copies 1,2 packets later")
        #expect(bench.encoder.frameCause == .losses(permille: 100))
    }

    @Test("a node that talks says on which channels, also where the neighbour does not listen")
    func tally() throws {
        let bench = try Bench([[Self.main, Self.other], [Self.other]])
        func seen() -> [ChannelID]? { bench.cluster.peer(0, at: 1)?.talksOn }
        bench.cluster.setTalking(by: .first, at: 0)
        bench.cluster.drive(for: .milliseconds(100))
        #expect(seen() == [Self.main])
        try bench.cluster.perform(.talk(on: [Self.other, Self.main]), at: 0)
        bench.cluster.drive(for: .milliseconds(100))
        #expect(seen() == [Self.main, Self.other])
        try bench.cluster.perform(.part(Self.main), at: 0)
        bench.cluster.drive(for: .milliseconds(100))
        #expect(seen() == [Self.other])
        bench.cluster.setTalking(by: [], at: 0)
        bench.cluster.drive(for: .milliseconds(100))
        #expect(seen() == [])
    }

    @Test("a channel on which a node only talks is told to its neighbours, and is in its tally")
    func talkOnly() throws {
        let bench = try Bench([[Self.main], [Self.main]])
        try bench.cluster.perform(.join(ListeningEntry(Self.other, manner: .talkOnly)), at: 0)
        try bench.cluster.perform(.talk(on: [Self.other]), at: 0)
        bench.cluster.setTalking(by: .first, at: 0)
        bench.cluster.drive(for: .milliseconds(100))
        let peer = try #require(bench.cluster.peer(0, at: 1))
        #expect(peer.channels == [Self.main] && peer.talks == [Self.other] && peer.talksOn == [Self.other])
    }

    @Test("the first frame after a join is heard although the carrier is stalled", arguments: 0...2)
    func stalledCarrier(lost: Int) throws {
        var bench = try Bench([[Self.main], [Self.other]])
        bench.cluster.dropsFrame = { $0.first == 10 }
        var datagrams = 0
        bench.cluster.dropsDatagram = { from, _, _ in
            guard from == 1 else { return false }
            datagrams += 1
            return datagrams <= lost
        }
        try bench.cluster.perform(.join(ListeningEntry(Self.main)), at: 1)
        bench.cluster.drive(for: .milliseconds(20 * Int64(lost) + 5))
        bench.speak()
        #expect(bench.heard == [0, 1])
    }

    @Test("a node follows a channel that its creator renames, and tells its shell")
    func renaming() throws {
        let cluster = try Bench([[Self.main], [Self.main]]).cluster
        let (lights, stage) = (try #require(ChannelName("lights")), try #require(ChannelName("stage")))
        let old = cluster.members[1].node.directory.id(of: lights)
        let new = cluster.members[1].node.directory.id(of: stage)
        try cluster.perform(.create(lights), at: 0)
        try cluster.perform(.join(ListeningEntry(old, levelTenths: -60, ear: .left)), at: 1)
        try cluster.perform(.talk(on: [old]), at: 1)
        cluster.drive(for: .seconds(3))
        try cluster.perform(.rename(lights, to: stage), at: 0)
        cluster.drive(for: .seconds(1))
        let list = cluster.members[1].node.listening.list
        #expect(list.listened == [Self.main, new] && list.talked == [new])
        #expect(list[new] == ListeningEntry(new, levelTenths: -60, ear: .left))
        #expect(cluster.members[1].directoryNotes.contains(.followed(old, to: new)))
        #expect(cluster.peer(1, at: 0)?.channels == [Self.main, new])
        // A person who parts the channel stays away from it.
        try cluster.perform(.part(new), at: 1)
        cluster.drive(for: .seconds(5))
        #expect(cluster.members[1].node.listening.list.listened == [Self.main])
    }

    @Test("the directory knows to which channels a node listens after each order, and takes back foreign deletions")
    func directoryKnowsList() throws {
        let cluster = try Bench([[Self.main], [Self.main]]).cluster
        let lights = try #require(ChannelName("lights"))
        let channel = cluster.members[1].node.directory.id(of: lights)
        try cluster.perform(.create(lights), at: 0)
        try cluster.perform(.join(ListeningEntry(channel)), at: 0)
        cluster.drive(for: .seconds(3))
        // Node 1 has heard that node 0 listens.
        #expect(throws: DirectoryRefusal.inUse) { try cluster.perform(.delete(lights), at: 1) }
        try cluster.perform(.part(channel), at: 0)
        cluster.drive(for: .seconds(1))
        // The order below reaches node 0 together with the deletion.
        try cluster.perform(.delete(lights), at: 1)
        try cluster.perform(.join(ListeningEntry(channel)), at: 0)
        cluster.drive(for: .seconds(4))
        #expect(cluster.members[0].node.directory.table[channel]?.isLive == true)
        #expect(cluster.members[1].node.directory.table[channel]?.isLive == true)
    }

    @Test("on battery the encoder makes fewer frames a second, until the mains are back")
    func battery() throws {
        var bench = try Bench([[Self.main], [Self.main]])
        bench.cluster.members[0].node.setSavesPower(true, now: bench.cluster.now)
        #expect(FrameDuration.ms5.samples < bench.encoder.settings.frame.samples)
        bench.cluster.members[0].node.setSavesPower(false, now: bench.cluster.now)
        #expect(bench.encoder.description == "as asked")
        bench.speak()
        #expect(bench.heard == [0, 1])
    }
}
