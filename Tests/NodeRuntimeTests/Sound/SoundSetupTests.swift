import Foundation
import NodeRuntime
import TestKit
import Testing

@Suite("The sound of a machine on which no node runs", .serialized)
struct SoundSetupTests {
    private let setup = SoundSetup.ofThisMachine(seconds: 1)

    @Test("what was said is judged, and no file is made or changed")
    func files() throws {
        let folder = "\(temporaryFolder)/partyline-sound-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try Data("an earlier recording".utf8).write(to: URL(fileURLWithPath: "\(folder)/out.wav"))
        let take = try setup.record("tone:1000") { level in #expect(-20 < level && level < -10) }
        #expect(!take.isSilent && take.finding == "Good: speech at -15 dBFS, peaks at -12.")
        #expect(try setup.play(take, "file:\(folder)/out.wav") == false)
        #expect(try String(contentsOfFile: "\(folder)/out.wav", encoding: .utf8) == "an earlier recording")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["out.wav"])
    }

    @Test("silence is told; null plays nothing, and a missing device is an error with its name")
    func others() throws {
        let take = try setup.record("null") { _ in }
        #expect(take.isSilent && take.finding.hasPrefix("Nothing was heard."))
        #expect(try setup.play(take, "null") == false)
        let fault = #expect(throws: (any Error).self) { try setup.record("alsa:no-such-card") { _ in } }
        #expect(fault.map { "\($0)" }?.contains("alsa:no-such-card") == true)
        #expect(throws: (any Error).self) { try setup.play(take, "alsa:no-such-card") }
        #expect(throws: (any Error).self) { try setup.record("file:/nowhere.wav") { _ in } }
    }
}
