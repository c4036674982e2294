import Channels
import Primitives
import Testing
import Trust
import Wire

@Suite("Whose renamings a node follows")
struct FirstCreatorsTests {
    /// The directory of a node after a restart.
    private func restarted(_ index: Int, _ mesh: DirectoryMesh) -> ChannelDirectory {
        var directory = ChannelDirectory(mesh: mesh.mesh, sealing: mesh.sealings[index], seed: 9)
        directory.handle(.wallClock(EntryMaker.nowSeconds), now: .zero)
        for (channel, bytes) in mesh.stored[index] { directory.handle(.stored(channel, bytes), now: .zero) }
        return directory
    }

    /// Lets node 2 push an entry of the highest epoch to node 1.
    private func takeOver(_ name: String, _ form: ChannelState.Form, _ mesh: DirectoryMesh) {
        let (member, epoch) = (mesh.sealings[2], WireLimits.channelEpochMax)
        let birth = ChannelBirth(
            channel: mesh.id(name), epoch: epoch, created: 1, creator: member.publicKey, name: SafeText(name))
        let state = ChannelState(
            epoch: epoch, version: 1, form: form, flags: [], changed: EntryMaker.nowSeconds,
            editor: member.publicKey)
        let entry = SignedChannelEntry(birth: birth, state: state, in: mesh.mesh, with: member)
        let entries = TableEntries(.directory, entries: [entry.bytes], hasMore: false)
        mesh.input(1, .message(.entries(entries), from: PeerSlot(index: 2)))
    }

    @Test("the creator's renaming is followed, also after a restart")
    func creator() throws {
        let mesh = DirectoryMesh(2)
        try mesh.create("lights", at: 0)
        mesh.run(for: .seconds(3))
        try mesh.rename("lights", to: "stage", at: 0)
        mesh.run(for: .seconds(3))
        #expect(mesh.directories[1].successor(of: mesh.id("lights")) == mesh.id("stage"))
        #expect(mesh.directories[1].followsRenaming(of: mesh.id("lights")))
        #expect(restarted(1, mesh).successor(of: mesh.id("lights")) == mesh.id("stage"))
    }

    @Test("a birth of a higher epoch brings no right to rename, at once or in two steps, nor after a restart")
    func takeover() throws {
        for forms in [[false], [true, false]] {
            let mesh = DirectoryMesh(3)
            for name in ["lights", "stage"] { try mesh.create(name, at: 0) }
            mesh.run(for: .seconds(3))
            for isLive in forms {
                takeOver("lights", isLive ? .live : .deleted(now: mesh.id("stage")), mesh)
                mesh.run(for: .seconds(3))
                #expect(mesh.areEqual && mesh.isLive("lights", at: 0) == isLive)
            }
            for index in 0..<2 {
                #expect(mesh.directories[index].successor(of: mesh.id("lights")) == nil)
                #expect(!mesh.directories[index].followsRenaming(of: mesh.id("lights")))
                #expect(restarted(index, mesh).successor(of: mesh.id("lights")) == nil)
            }
        }
    }

    @Test("a renaming that takes over a name while the node restarts is not followed")
    func restartBetween() throws {
        let mesh = DirectoryMesh(3)
        for name in ["lights", "stage"] { try mesh.create(name, at: 0) }
        mesh.run(for: .seconds(3))
        takeOver("lights", .live, mesh)
        mesh.directories[1] = restarted(1, mesh)
        for other in [0, 2] { mesh.link(1, other) }
        takeOver("lights", .deleted(now: mesh.id("stage")), mesh)
        #expect(mesh.isLive("lights", at: 1) == false)
        #expect(mesh.directories[1].successor(of: mesh.id("lights")) == nil)
    }

    @Test("a node that uses a channel without an entry is told of its renaming, which it does not follow")
    func withoutEntry() throws {
        let mesh = DirectoryMesh(2)
        mesh.cut(0, 1)
        mesh.listen(1, ["lights"])
        try mesh.create("lights", at: 0)
        mesh.run(for: .seconds(3))
        try mesh.rename("lights", to: "stage", at: 0)
        mesh.link(0, 1)
        mesh.run(for: .seconds(3))
        let told = mesh.events[1].contains {
            if case .deleted(mesh.id("lights"), _, _, now: mesh.id("stage")) = $0 { true } else { false }
        }
        #expect(told && mesh.directories[1].successor(of: mesh.id("lights")) == nil)
        let named = mesh.directories[1].namedSuccessor(of: mesh.id("lights"))
        #expect(named?.channel == mesh.id("stage"), "a person may follow")
    }

    @Test("a node that was away follows two renamings at once, and a reused name has a new creator")
    func twice() throws {
        let mesh = DirectoryMesh(3)
        try mesh.create("lights", at: 0)
        mesh.run(for: .seconds(3))
        for other in 0..<2 { mesh.cut(other, 2) }
        try mesh.rename("lights", to: "stage", at: 0)
        mesh.run(for: .seconds(3))
        try mesh.rename("stage", to: "rig", at: 0)
        mesh.run(for: .seconds(3))
        mesh.link(0, 2)
        mesh.run(for: .seconds(3))
        #expect(mesh.directories[2].successor(of: mesh.id("lights")) == mesh.id("rig"))
        #expect(mesh.directories[2].namedSuccessor(of: mesh.id("lights"))?.channel == mesh.id("rig"))
        #expect(mesh.directories[2].namedSuccessor(of: mesh.id("rig")) == nil, "it lives")
        try mesh.create("lights", at: 1)
        mesh.run(for: .seconds(3))
        try mesh.rename("lights", to: "lamps", at: 1)
        mesh.run(for: .seconds(3))
        #expect(mesh.directories[0].successor(of: mesh.id("lights")) == mesh.id("lamps"))
    }

    @Test("a renaming is followed to a channel that was deleted afterwards, also by a node that was away")
    func deletedAfterwards() throws {
        let mesh = DirectoryMesh(3)
        try mesh.create("lights", at: 0)
        mesh.run(for: .seconds(3))
        mesh.cut(0, 2)
        mesh.cut(1, 2)
        try mesh.rename("lights", to: "stage", at: 0)
        mesh.run(for: .seconds(3))
        try mesh.delete("stage", at: 0)
        mesh.run(for: .seconds(3))
        mesh.link(0, 2)
        mesh.run(for: .seconds(3))
        for index in 0..<3 {
            #expect(mesh.directories[index].successor(of: mesh.id("lights")) == mesh.id("stage"))
            #expect(mesh.directories[index].namedSuccessor(of: mesh.id("lights"))?.channel == mesh.id("stage"))
            #expect(mesh.directories[index].successor(of: mesh.id("stage")) == nil)
        }
    }

    @Test("a renaming to a name that was renamed before leads to the new channel of that name, whatever the clocks")
    func reusedName() throws {
        let mesh = DirectoryMesh(3)
        // Ten minutes fast.
        mesh.input(0, .wallClock(EntryMaker.nowSeconds + 600))
        try mesh.create("stage", at: 0)
        try mesh.create("lights", at: 1)
        mesh.run(for: .seconds(3))
        try mesh.rename("stage", to: "rig", at: 0)
        mesh.run(for: .seconds(3))
        try mesh.rename("lights", to: "stage", at: 1)
        // The tombstone is checked at once, the birth after a pause.
        mesh.run(for: .milliseconds(3))
        #expect(mesh.isLive("lights", at: 2) == false && mesh.isLive("stage", at: 2) == false)
        #expect(mesh.directories[2].successor(of: mesh.id("lights")) == nil)
        #expect(mesh.directories[2].namedSuccessor(of: mesh.id("lights")) == nil)
        mesh.run(for: .seconds(3))
        #expect(mesh.directories[2].successor(of: mesh.id("lights")) == mesh.id("stage"))
        #expect(mesh.directories[2].namedSuccessor(of: mesh.id("lights"))?.channel == mesh.id("stage"))
    }

    @Test("a node that was away while a name was renamed and used again is told that it is another channel")
    func replaced() throws {
        let mesh = DirectoryMesh(2)
        for name in ["stage", "lights"] { try mesh.create(name, at: 0) }
        mesh.run(for: .seconds(3))
        mesh.cut(0, 1)
        try mesh.rename("stage", to: "rig", at: 0)
        mesh.run(for: .seconds(3))
        try mesh.rename("lights", to: "stage", at: 0)
        mesh.link(0, 1)
        mesh.run(for: .seconds(3))
        #expect(mesh.areEqual && mesh.isLive("stage", at: 1) == true)
        let replaced = DirectoryEvent.replaced(
            mesh.id("stage"), name: SafeText("stage"), creator: mesh.sealings[0].nodeID)
        #expect(mesh.events[1].contains(replaced) && !mesh.events[0].contains(replaced))
    }

    @Test("a renaming is followed to a name that another node had created and deleted before, without its creator")
    func deletedBefore() throws {
        let mesh = DirectoryMesh(2)
        try mesh.create("lights", at: 0)
        mesh.run(for: .seconds(3))
        mesh.cut(0, 1)
        try mesh.create("stage", at: 1)
        mesh.run(for: .seconds(3))
        try mesh.delete("stage", at: 1)
        mesh.run(for: .seconds(3))
        try mesh.rename("lights", to: "stage", at: 0)
        mesh.link(0, 1)
        mesh.run(for: .seconds(3))
        #expect(mesh.areEqual && mesh.isLive("stage", at: 0) == false)
        for index in 0..<2 { #expect(mesh.directories[index].successor(of: mesh.id("lights")) == mesh.id("stage")) }
    }

    @Test("a node that starts alone and uses a name takes no channel from the person who created it")
    func claimOfCreated() throws {
        let mesh = DirectoryMesh(2, linked: false)
        let names = (0..<8).map { "galley \($0)" }
        for name in names { mesh.claim(name, at: 1) }
        for name in names.prefix(4) { try mesh.create(name, at: 0) }
        mesh.run(for: .seconds(5))
        for name in names.dropFirst(4) { try mesh.create(name, at: 0) }
        mesh.link(0, 1)
        mesh.run(for: .seconds(3))
        #expect(mesh.areEqual)
        for name in names { #expect(mesh.entry(name, at: 1)?.creator == mesh.sealings[0].publicKey) }
    }

    @Test("the deletion of a claim takes no channel from the person who created it")
    func deletedClaim() throws {
        let mesh = DirectoryMesh(2, linked: false)
        mesh.claim("galley", at: 1)
        mesh.run(for: .seconds(8))
        try mesh.delete("galley", at: 1)
        try mesh.create("galley", at: 0)
        mesh.link(0, 1)
        mesh.run(for: .seconds(3))
        #expect(mesh.areEqual && mesh.isLive("galley", at: 1) == true)
        #expect(mesh.entry("galley", at: 1)?.creator == mesh.sealings[0].publicKey)
    }

    @Test("if two nodes make an entry for one name, both follow renamings by the creator of the entry that stands")
    func claims() throws {
        let mesh = DirectoryMesh(2, linked: false)
        for index in 0..<2 { mesh.claim("main", at: index) }
        mesh.run(for: .seconds(5))
        #expect(mesh.isLive("main", at: 0) == true && mesh.isLive("main", at: 1) == true)
        mesh.directories = [restarted(0, mesh), restarted(1, mesh)]
        mesh.link(0, 1)
        mesh.run(for: .seconds(3))
        #expect(mesh.areEqual)
        let winner = mesh.entry("main", at: 0)?.creator == mesh.sealings[0].publicKey ? 0 : 1
        try mesh.rename("main", to: "hall", at: winner)
        mesh.run(for: .seconds(3))
        #expect(mesh.directories[1 - winner].successor(of: mesh.id("main")) == mesh.id("hall"))
    }
}
