import Channels
import Mesh
import MeshTestKit
import Node
import Primitives
import Testing
import Trust
import Voice
import Wire

@Suite("the directory over the mesh")
struct DirectoryTrafficTests {
    private static let main = ChannelID(high: 1, low: 1)

    @Test("a member that takes over a name moves neither channels nor talk keys", arguments: [false, true])
    func takenOver(liveFirst: Bool) throws {
        let cluster = MeshCluster()
        for seed in 1...2 as ClosedRange<UInt64> { cluster.start(seed: seed, channels: [Self.main]) }
        cluster.discover(1, by: 0)
        cluster.discover(0, by: 1)
        try #require(cluster.drive(atMost: .seconds(5)) { cluster.isUp(0, 1) })
        cluster.drive(for: .seconds(1))
        let (directors, stage) = (try #require(ChannelName("directors")), try #require(ChannelName("stage")))
        let old = cluster.members[1].node.directory.id(of: directors)
        let new = cluster.members[1].node.directory.id(of: stage)
        for name in [directors, stage] { try cluster.perform(.create(name), at: 0) }
        try cluster.perform(.join(ListeningEntry(old)), at: 1)
        cluster.drive(for: .seconds(3))
        // Node 0 has a key on the channel, and has not joined it.
        for index in 0..<2 {
            cluster.members[index].node.setKey(0, to: KeyTargets(channels: [old]), now: cluster.now)
        }
        cluster.drive(for: .seconds(1))
        let slot = try #require(cluster.slot(of: 0, at: 1))
        for form in liveFirst ? [ChannelState.Form.live, .deleted(now: new)] : [.deleted(now: new)] {
            let entries = TableEntries(.directory, entries: [takeover(of: directors, old, form)], hasMore: false)
            cluster.handle(DirectoryInput.message(.entries(entries), from: slot), at: 1)
            cluster.drive(for: .seconds(10))
        }
        for index in 0..<2 {
            let member = cluster.members[index]
            #expect(member.node.directory.table[old]?.signed.state.form == .deleted(now: new))
            #expect(member.node.keys[0]?.channels == [old])
            #expect(!member.directoryNotes.contains(.followed(old, to: new)))
        }
        #expect(cluster.members[1].node.listening.list.listened == [Self.main, old])
    }

    @Test("a node that starts on a channel that was renamed before follows it, also before its first input")
    func renamedBeforeStart() throws {
        let (sealing, now) = (TransparentSealing(seed: 1), Instant.zero + .seconds(100))
        let (cue, show) = (try #require(ChannelName("cue")), try #require(ChannelName("show")))
        var directory = ChannelDirectory(
            mesh: MeshID(ofOpenMesh: "test", sealing: sealing), sealing: sealing, seed: 1)
        directory.handle(.wallClock(1_800_000_000), now: now)
        try directory.perform(.create(cue), now: now)
        try directory.perform(.rename(cue, to: show), now: now + .seconds(3))
        while directory.nextOutput() != nil {}
        let (old, new) = (directory.id(of: cue), directory.id(of: show))
        var list = ListeningList()
        try list.join(ListeningEntry(old))
        var configuration = MeshCluster.configuration(index: 0, seed: 1)
        configuration.channels = list.listened
        let wish = TalkerPolicy.Wish(
            EncoderSettings(frame: .ms5, bitsPerSecond: 64_000), frameSamples: VoiceProfile.low.frameSamples)
        var node = VoiceNode(
            MeshNode(configuration, sealing: sealing, seed: 1, now: now + .seconds(5)), listening: Listening(list),
            wish: wish, directory: directory,
            calls: Calls(of: sealing.nodeID, grants: CallGrants(), listened: list.listened, seed: 1),
            codes: ChannelCodes(sealing: sealing))
        while node.runUntilOutput() != nil {}
        let (listened, note) = (node.listening.list.listened, node.nextNote())
        #expect(listened == [new])
        let isTold = if case .directory(.followed(old, to: new))? = note { true } else { false }
        #expect(isTold)
    }

    /// An entry that ranks before every other one of the channel, by a member that did not create it.
    private func takeover(of name: ChannelName, _ channel: ChannelID, _ form: ChannelState.Form) -> [UInt8] {
        let member = TransparentSealing(seed: 99)
        let epoch = WireLimits.channelEpochMax
        let birth = ChannelBirth(
            channel: channel, epoch: epoch, created: 1, creator: member.publicKey, name: name.text)
        let state = ChannelState(
            epoch: epoch, version: 1, form: form, flags: [], changed: 1 << WireLimits.timeBits - 1,
            editor: member.publicKey)
        let mesh = MeshID(ofOpenMesh: "test", sealing: member)
        return SignedChannelEntry(birth: birth, state: state, in: mesh, with: member).bytes
    }
}
