import Channels
import Foundation
import NodeRuntime
import Testing

/// The crew files in `docs/examples`.
@Suite("the crew files of three trades")
struct CrewExampleTests {
    private static func crew(_ name: String) throws -> CrewFile {
        try CrewFile(at: ControlPage.repository.appending(path: "docs/examples/\(name).toml").path)
    }

    @Test(
        "each has its roles and no mistake",
        arguments: [
            ("theatre", ["stage-manager", "lights", "sound", "fly", "front-of-house", "relay"]),
            (
                "outside-broadcast",
                ["director", "camera-1", "camera-2", "sound", "commentator-1", "commentator-2", "programme-feed"]
            ),
            ("boat-yard", ["crane", "deck", "slinger", "office"]),
        ])
    func roles(name: String, expected: [String]) throws {
        let crew = try Self.crew(name)
        #expect(crew.roles.map(\.name) == expected)
        for role in crew.roles { #expect(!role.channels.isEmpty, "\(role.name)") }
    }

    @Test(
        "a programme is fed by one role, and everybody else only listens to it",
        arguments: ["theatre", "outside-broadcast"])
    func programme(name: String) throws {
        let crew = try Self.crew(name)
        let programme = try #require(crew.channels.first { $0.isProgramme == true }?.name)
        let manners = crew.roles.compactMap { role in role.channels.first { $0.name == programme }?.manner }
        #expect(manners.filter { $0 == .talkOnly }.count == 1)
        #expect(1 < manners.count && manners.allSatisfy { $0 == .talkOnly || $0 == .listenOnly })
    }

    @Test(
        "everybody who may talk on a channel is heard by somebody",
        arguments: ["theatre", "outside-broadcast", "boat-yard"])
    func heard(name: String) throws {
        let crew = try Self.crew(name)
        for talker in crew.roles {
            for wish in talker.channels where wish.manner != .listenOnly {
                let isHeard = crew.roles.contains { role in
                    role.name != talker.name
                        && role.channels.contains { $0.name == wish.name && $0.manner != .talkOnly }
                }
                #expect(isHeard, "\(talker.name) on \(wish.name)")
            }
        }
    }
}
