import Channels
import Primitives
import Testing
import Trust
import Wire

@Suite("The directory of channels")
struct ChannelDirectoryTests {
    // MARK: Spreading

    @Test("a new channel is at all neighbours after one passage, with one event each")
    func create() throws {
        let mesh = DirectoryMesh(4)
        mesh.run(for: .seconds(3))
        try mesh.create("Lights", at: 0)
        mesh.run(for: .milliseconds(3))
        for index in 0..<4 {
            #expect(mesh.isLive("lights", at: index) == true)
            #expect(mesh.directories[index].table[mesh.id("lights")]?.signed.state.version == 1)
            let creator = mesh.sealings[0].nodeID
            #expect(mesh.events[index] == [.created(mesh.id("lights"), name: SafeText("Lights"), creator: creator)])
        }
        #expect(mesh.areEqual)
    }

    @Test("what was pushed into a cut arrives within two seconds of the link")
    func lateNode() throws {
        let mesh = DirectoryMesh(3)
        for other in 0..<2 { mesh.cut(other, 2) }
        for number in 0..<30 { try mesh.create("channel \(number)", at: number % 2) }
        mesh.run(for: .seconds(10))
        #expect(mesh.directories[2].table.entries.isEmpty)
        mesh.link(1, 2)
        mesh.run(for: .seconds(2))
        #expect(mesh.areEqual && mesh.directories[2].table.entries.count == 30)
    }

    @Test("a table that does not fit into one frame arrives in several, none of them too large")
    func severalFrames() throws {
        let mesh = DirectoryMesh(7)
        for other in 0..<6 { mesh.cut(other, 6) }
        for creator in 0..<6 {
            for number in 0..<32 { try mesh.create("\(creator) with a longer name \(number)", at: creator) }
        }
        mesh.run(for: .seconds(10))
        #expect(mesh.directories[6].table.entries.isEmpty)
        var frames: [Int] = []
        mesh.drops = { message in
            if case .entries(let entries) = message { frames.append(entries.entries.reduce(0) { $0 + $1.count }) }
            return false
        }
        mesh.link(0, 6)
        mesh.run(for: .seconds(10))
        #expect(mesh.directories[6].table.entries.count == 192)
        #expect(1 < frames.count && frames.allSatisfy { $0 <= WireLimits.tableEntriesBytesMax }, "\(frames)")
    }

    @Test("two halves that created one name share it")
    func bothCreate() throws {
        let mesh = DirectoryMesh(2, linked: false)
        try mesh.create("lights", at: 0)
        try mesh.create("LIGHTS", at: 1)
        mesh.link(0, 1)
        mesh.run(for: .seconds(2))
        #expect(mesh.areEqual && mesh.directories[0].table.entries.count == 1)
    }

    @Test("once all are equal, only digests pass")
    func quiet() throws {
        let mesh = DirectoryMesh(3)
        try mesh.create("lights", at: 0)
        mesh.run(for: .seconds(5))
        let sent = mesh.messagesSent
        mesh.run(for: .seconds(600))
        #expect(mesh.messagesSent == sent)
    }

    @Test("a lost push is repaired by a comparison")
    func lostPush() throws {
        let mesh = DirectoryMesh(2)
        mesh.drops = { if case .entries = $0 { true } else { false } }
        try mesh.create("lights", at: 0)
        mesh.run(for: .milliseconds(100))
        mesh.drops = { _ in false }
        #expect(mesh.entry("lights", at: 1) == nil)
        mesh.run(for: .seconds(2))
        #expect(mesh.areEqual && mesh.isLive("lights", at: 1) == true)
    }

    @Test("a node knows its neighbour's channels within a second of a long outage, just after the link came up")
    func lostDigests() throws {
        let mesh = DirectoryMesh(2, linked: false)
        try mesh.create("lights", at: 0)
        mesh.dropsDigests = true
        mesh.link(0, 1)
        mesh.run(for: .milliseconds(3_600))
        #expect(mesh.entry("lights", at: 1) == nil)
        mesh.dropsDigests = false
        mesh.run(for: .seconds(1))
        #expect(mesh.areEqual)
    }

    @Test("a new channel of a neighbour that has caught up is passed on at once")
    func passedOn() throws {
        let mesh = DirectoryMesh(3)
        try mesh.create("lights", at: 0)
        mesh.run(for: .seconds(5))
        for other in 1..<3 { mesh.cut(0, other) }
        try mesh.create("stage", at: 1)
        mesh.run(for: .seconds(5))
        // Node 1 asks node 0 too, which has nothing to answer with.
        mesh.link(0, 1)
        mesh.run(for: .seconds(10))
        #expect(mesh.areEqual)
        try mesh.create("radio", at: 0)
        mesh.run(for: .milliseconds(3))
        #expect(mesh.isLive("radio", at: 1) == true && mesh.isLive("radio", at: 2) == true)
    }

    // MARK: Deleting and renaming

    @Test("a deleted channel stays deleted when a late node brings it back")
    func deletion() throws {
        let mesh = DirectoryMesh(3)
        try mesh.create("lights", at: 0)
        mesh.run(for: .seconds(5))
        for other in 0..<2 { mesh.cut(other, 2) }
        try mesh.delete("lights", at: 0)
        mesh.run(for: .seconds(60))
        #expect(mesh.isLive("lights", at: 1) == false && mesh.isLive("lights", at: 2) == true)
        mesh.link(1, 2)
        mesh.run(for: .seconds(2))
        #expect(mesh.areEqual && mesh.isLive("lights", at: 2) == false)
    }

    @Test("another than the creator deletes a channel only while no neighbour listens to it")
    func foreignDeletion() throws {
        let mesh = DirectoryMesh(3)
        try mesh.create("lights", at: 0)
        mesh.listen(2, ["lights"])
        mesh.run(for: .seconds(5))
        #expect(throws: DirectoryRefusal.inUse) { try mesh.delete("lights", at: 1) }
        mesh.listen(2, [])
        try mesh.delete("lights", at: 1)
        mesh.run(for: .seconds(5))
        #expect(mesh.areEqual && mesh.isLive("lights", at: 0) == false)
    }

    @Test("a node that listens takes a channel back that another than the creator deleted")
    func takenBack() throws {
        let mesh = DirectoryMesh(3)
        try mesh.create("lights", at: 0)
        mesh.run(for: .seconds(5))
        mesh.listen(2, ["lights"])
        for other in 0..<2 { mesh.cut(other, 2) }
        mesh.run(for: .seconds(1))
        try mesh.delete("lights", at: 1)
        mesh.run(for: .seconds(5))
        mesh.link(1, 2)
        mesh.run(for: .seconds(5))
        #expect(mesh.areEqual && mesh.isLive("lights", at: 0) == true)
        #expect(mesh.directories[2].counters[.deletionsTakenBack] == 1)
        // The creator stays the one who made the channel.
        #expect(mesh.entry("lights", at: 0)?.creator == mesh.sealings[0].publicKey)
    }

    @Test("a channel whose epochs are used up is not taken back, and the shell is told")
    func notTakenBack() throws {
        let (mesh, maker) = (DirectoryMesh(2), EntryMaker())
        mesh.listen(1, ["lights"])
        let deletion = maker.entry { fields in
            (fields.editor, fields.epoch, fields.form) = (1, WireLimits.channelEpochMax, .deleted(now: nil))
        }
        let entries = TableEntries(.directory, entries: [deletion.signed.bytes], hasMore: false)
        mesh.input(1, .message(.entries(entries), from: PeerSlot(index: 0)))
        mesh.run(for: .seconds(5))
        #expect(mesh.isLive("lights", at: 1) == false)
        #expect(mesh.notTakenBack == [[], [.wornOut]])
        #expect(mesh.directories[1].counters[.deletionsTakenBack] == 0)
    }

    @Test("the creator's deletion is not taken back by those who listen")
    func creatorDeletes() throws {
        let mesh = DirectoryMesh(2)
        try mesh.create("lights", at: 0)
        mesh.listen(1, ["lights"])
        mesh.run(for: .seconds(5))
        try mesh.delete("lights", at: 0)
        mesh.run(for: .seconds(10))
        #expect(mesh.areEqual && mesh.isLive("lights", at: 1) == false)
    }

    @Test("a deleted name is created again, and its new entry stands before all of the old one")
    func again() throws {
        let mesh = DirectoryMesh(2)
        try mesh.create("lights", at: 0)
        mesh.run(for: .seconds(3))
        try mesh.delete("lights", at: 0)
        mesh.run(for: .seconds(3))
        try mesh.create("lights", at: 1)
        mesh.run(for: .seconds(3))
        #expect(mesh.areEqual && mesh.isLive("lights", at: 0) == true)
        #expect(mesh.entry("lights", at: 0)?.creator == mesh.sealings[1].publicKey)
    }

    @Test("an old channel is deleted beside 64 newer tombstones, and the neighbours do not bring it back")
    func oldChannel() throws {
        let mesh = DirectoryMesh(2)
        try mesh.create("lights", at: 0)
        for number in 0..<64 {
            try mesh.create("short \(number)", at: 0)
            mesh.run(for: .seconds(3))
            try mesh.delete("short \(number)", at: 0)
        }
        mesh.run(for: .seconds(10))
        #expect(mesh.areEqual && mesh.directories[1].table.entries.count == 65)
        try mesh.delete("lights", at: 0)
        mesh.run(for: .seconds(60))
        #expect(mesh.areEqual && mesh.isLive("lights", at: 1) == false)
        try mesh.create("one more", at: 0)
        mesh.run(for: .seconds(3))
        try mesh.delete("one more", at: 0)
        mesh.run(for: .seconds(60))
        #expect(mesh.areEqual && mesh.isLive("lights", at: 1) == false)
    }

    // MARK: Refusals

    @Test("a deletion that has no room among newer ones is refused, and changes nothing")
    func noRoom() throws {
        let maker = EntryMaker()
        var directory = ChannelDirectory(mesh: maker.mesh, sealing: maker.sealings[0], seed: 1)
        directory.handle(.wallClock(EntryMaker.nowSeconds), now: .zero)
        directory.handle(.stored(maker.id("lights"), maker.entry().signed.bytes), now: .zero)
        for number in 0..<64 {
            let tombstone = maker.entry { fields in
                (fields.name, fields.form) = ("gone \(number)", .deleted(now: nil))
                fields.changed = EntryMaker.nowSeconds + 1_000
            }
            directory.handle(.stored(tombstone.channel, tombstone.signed.bytes), now: .zero)
        }
        let (lights, stage) = (try #require(ChannelName("lights")), try #require(ChannelName("stage")))
        let before = directory.table.entries
        #expect(throws: DirectoryRefusal.noRoom) { try directory.perform(.delete(lights), now: .zero) }
        #expect(throws: DirectoryRefusal.noRoom) { try directory.perform(.rename(lights, to: stage), now: .zero) }
        #expect(directory.table.entries == before)
        #expect(directory.nextOutput() == nil)
    }

    @Test("a command that cannot be carried out says why, and changes nothing")
    func refusals() throws {
        let mesh = DirectoryMesh(1)
        try mesh.create("lights", at: 0)
        #expect(throws: DirectoryRefusal.exists) { try mesh.create("Lights", at: 0) }
        #expect(throws: DirectoryRefusal.tooSoon) { try mesh.delete("lights", at: 0) }
        #expect(throws: DirectoryRefusal.unknown) { try mesh.delete("sound", at: 0) }
        try mesh.create("stage", at: 0)
        mesh.run(for: .seconds(3))
        #expect(throws: DirectoryRefusal.exists) { try mesh.rename("lights", to: "stage", at: 0) }
        #expect(mesh.isLive("lights", at: 0) == true)
        for number in 0..<30 { try mesh.create("channel \(number)", at: 0) }
        #expect(throws: DirectoryRefusal.full) { try mesh.create("one more", at: 0) }
        // A renamed channel makes room for itself.
        try mesh.rename("lights", to: "rig", at: 0)
        #expect(mesh.directories[0].table.entries.count { $0.isLive } == 32)
    }

    @Test("without the time of day nothing is signed")
    func noTime() throws {
        let sealing = EntryMaker().sealings[0]
        var directory = ChannelDirectory(mesh: EntryMaker().mesh, sealing: sealing, seed: 1)
        let name = try #require(ChannelName("lights"))
        #expect(throws: DirectoryRefusal.noTime) { try directory.perform(.create(name), now: .zero) }
    }

    @Test("a name is worn out only when a birth of the last epoch is deleted")
    func wornOut() throws {
        let maker = EntryMaker()
        func directory(_ birthEpoch: UInt16) -> ChannelDirectory {
            var directory = ChannelDirectory(mesh: maker.mesh, sealing: maker.sealings[0], seed: 1)
            directory.handle(.wallClock(EntryMaker.nowSeconds), now: .zero)
            let tombstone = maker.entry { fields in
                (fields.birthEpoch, fields.epoch, fields.editor) = (birthEpoch, WireLimits.channelEpochMax, 1)
                fields.form = .deleted(now: nil)
            }
            directory.handle(.stored(tombstone.channel, tombstone.signed.bytes), now: .zero)
            return directory
        }
        let name = try #require(ChannelName("lights"))
        var (usable, wornOut) = (directory(0), directory(WireLimits.channelEpochMax))
        try usable.perform(.create(name), now: .zero)
        #expect(usable.table[maker.id("lights")]?.isLive == true)
        #expect(throws: DirectoryRefusal.wornOut) { try wornOut.perform(.create(name), now: .zero) }
    }

    // MARK: A name in use

    @Test("a name in use gets its entry after a while, from one of those who use it")
    func claim() throws {
        let mesh = DirectoryMesh(5)
        for index in 0..<5 { mesh.claim("main", at: index) }
        mesh.run(for: .milliseconds(1_900))
        #expect(mesh.directories.allSatisfy { $0.table.entries.isEmpty })
        mesh.run(for: .seconds(4))
        #expect(mesh.areEqual && mesh.isLive("main", at: 0) == true)
        #expect(mesh.events.allSatisfy { $0.count == 1 })
    }

    @Test("a claim above the channels that a node may create is refused and counted")
    func claimRefused() throws {
        let mesh = DirectoryMesh(1)
        for number in 0..<DirectoryLimits.liveOfCreatorMax { try mesh.create("channel \(number)", at: 0) }
        mesh.claim("main", at: 0)
        mesh.run(for: .seconds(6))
        #expect(mesh.directories[0].counters[.claimsRefused] == 1 && mesh.isLive("main", at: 0) == nil)
    }

    @Test("a name that was deleted does not come back because a node uses it")
    func claimOfDeleted() throws {
        let mesh = DirectoryMesh(2)
        try mesh.create("main", at: 0)
        mesh.run(for: .seconds(3))
        try mesh.delete("main", at: 0)
        mesh.claim("main", at: 1)
        mesh.run(for: .seconds(10))
        #expect(mesh.isLive("main", at: 1) == false)
    }

    // MARK: Restarts and time

    @Test("the stored entries make the same table at the next start")
    func restart() throws {
        let mesh = DirectoryMesh(2)
        for name in ["lights", "stage", "sound"] { try mesh.create(name, at: 0) }
        mesh.run(for: .seconds(3))
        try mesh.delete("stage", at: 0)
        mesh.run(for: .seconds(3))
        var restarted = ChannelDirectory(mesh: mesh.mesh, sealing: mesh.sealings[1], seed: 9)
        for (channel, entry) in mesh.stored[1] { restarted.handle(.stored(channel, entry), now: .zero) }
        #expect(restarted.table.entries == mesh.directories[1].table.entries)
        #expect(restarted.nextOutput() == nil, "what was kept is no news")
    }

    @Test("a node whose clock is 40 days behind deletes channels that are newer than its clock")
    func clockBehind() throws {
        let mesh = DirectoryMesh(2)
        try mesh.create("lights", at: 0)
        try mesh.create("stage", at: 1)
        mesh.run(for: .seconds(3))
        mesh.input(1, .wallClock(EntryMaker.nowSeconds - 40 * 24 * 3_600))
        try mesh.delete("lights", at: 1)
        try mesh.delete("stage", at: 1)
        mesh.run(for: .seconds(3))
        #expect(mesh.areEqual && mesh.isLive("lights", at: 0) == false && mesh.isLive("stage", at: 0) == false)
        // What it creates with this clock it cannot delete at the others.
        try mesh.create("sound", at: 1)
        mesh.run(for: .seconds(3))
        try mesh.delete("sound", at: 1)
        mesh.run(for: .seconds(3))
        #expect(mesh.isLive("sound", at: 0) == true)
        #expect(1 <= mesh.directories[0].counters[.entriesExpired])
    }

    @Test("of what was kept, the shell forgets expired tombstones, damaged entries and those of another mesh")
    func staleEntries() throws {
        let maker = EntryMaker()
        var directory = ChannelDirectory(mesh: maker.mesh, sealing: maker.sealings[0], seed: 1)
        directory.handle(.wallClock(EntryMaker.nowSeconds + 40 * 24 * 3_600), now: .zero)
        var stale: [ChannelID] = []
        for number in 0..<600 {
            let tombstone = maker.entry { ($0.name, $0.form) = ("gone \(number)", .deleted(now: nil)) }
            directory.handle(.stored(tombstone.channel, tombstone.signed.bytes), now: .zero)
            stale.append(tombstone.channel)
        }
        let live = maker.entry()
        directory.handle(.stored(live.channel, live.signed.bytes), now: .zero)
        for channel in [maker.id("damaged"), ChannelID(high: 1, low: 1)] {
            let bytes = channel == maker.id("damaged") ? [1, 2, 3] : maker.entry { $0.name = "foreign" }.signed.bytes
            directory.handle(.stored(channel, bytes), now: .zero)
            stale.append(channel)
        }
        var outputs: [DirectoryOutput] = []
        while let output = directory.nextOutput() { outputs.append(output) }
        #expect(outputs == stale.map(DirectoryOutput.forget))
        #expect(directory.table.entries == [live])
    }

    @Test("a tombstone goes after 30 days of the wall clock, and the shell forgets it")
    func expiry() throws {
        let mesh = DirectoryMesh(2)
        try mesh.create("lights", at: 0)
        mesh.run(for: .seconds(3))
        try mesh.delete("lights", at: 0)
        mesh.run(for: .seconds(3))
        for index in 0..<2 { mesh.input(index, .wallClock(EntryMaker.nowSeconds + 30 * 24 * 3_600 + 10)) }
        #expect(mesh.directories.allSatisfy { $0.table.entries.isEmpty } && mesh.stored.allSatisfy { $0.isEmpty })
    }
}
