import Foundation
import NodeRuntime
import Testing

@Suite("The profile of a node that does not run")
struct StoppedNodeProfileTests {
    @Test("what is kept is how the node introduces itself from then on, and what is absent stays")
    func profile() throws {
        let folder = "/tmp/partyline-stopped-\(UUID().uuidString.prefix(8))"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let paths = StandardPaths(environment: ["HOME": folder], user: 7, folderExists: { _ in false })
        let options = try RunResolution.resolve(
            options: RunSettings(), file: RunSettings(), paths: paths, hostName: "host")
        func keep(_ profile: ProfileWords) throws -> ProfileWords {
            do {
                let stopped = try StoppedNode(options)
                defer { stopped.close() }
                stopped.keep(profile)
            }
            let stopped = try StoppedNode(options)
            defer { stopped.close() }
            return stopped.profile(options)
        }
        #expect(try keep(ProfileWords()) == ProfileWords(nick: "host"))
        let whole = ProfileWords(nick: "FOH", role: "sound", colour: "amber")
        #expect(try keep(whole) == ProfileWords(nick: "FOH", role: "sound", colour: "#ffb300"))
        #expect(try keep(ProfileWords(role: "")) == ProfileWords(nick: "FOH", colour: "#ffb300"))
    }
}
