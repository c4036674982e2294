import Channels
import Primitives
import Testing
import Trust
import Wire

@Suite("renamed channels")
struct RenamingTests {
    @Test("a renamed channel is deleted, names the new one, and the new one is there")
    func rename() throws {
        let mesh = DirectoryMesh(2)
        try mesh.create("lights", at: 0)
        mesh.run(for: .seconds(3))
        try mesh.rename("lights", to: "stage", at: 0)
        mesh.run(for: .seconds(3))
        #expect(mesh.areEqual && mesh.isLive("stage", at: 1) == true)
        #expect(mesh.entry("lights", at: 1)?.signed.state.form == .deleted(now: mesh.id("stage")))
    }

    @Test("a creator corrects the spelling of a channel, which stays, also with listeners elsewhere, and all are told")
    func respell() throws {
        let mesh = DirectoryMesh(2)
        try mesh.create("lamp", at: 0)
        mesh.listen(1, ["lamp"])
        mesh.run(for: .seconds(3))
        #expect(throws: DirectoryRefusal.exists) { try mesh.rename("lamp", to: "lamp", at: 0) }
        #expect(throws: DirectoryRefusal.exists) { try mesh.rename("LAMP", to: "lamp", at: 0) }
        let created = mesh.entry("lamp", at: 0)?.created
        try mesh.rename("lamp", to: "Lamp", at: 0)
        mesh.run(for: .seconds(3))
        #expect(mesh.entry("lamp", at: 1)?.created == created)
        #expect(mesh.areEqual && mesh.isLive("lamp", at: 1) == true)
        #expect(mesh.entry("lamp", at: 1)?.name.string == "Lamp")
        let event = DirectoryEvent.respelled(
            mesh.id("lamp"), from: SafeText("lamp"), to: SafeText("Lamp"), by: mesh.sealings[0].nodeID)
        for index in 0..<2 { #expect(mesh.events[index].last == event) }
        #expect(mesh.directories[1].table.entries.count == 1)
        mesh.listen(1, [])
        #expect(throws: DirectoryRefusal.notCreator) { try mesh.rename("lamp", to: "LAMP", at: 1) }
        try mesh.delete("lamp", at: 0)
        mesh.run(for: .seconds(3))
        #expect(mesh.areEqual && mesh.isLive("lamp", at: 1) == false)
    }
}
