import ControlPlane
import Foundation
import NodeRuntime
import StateStore
import Testing

/// An answered request is there at the next start, even if the node crashes at once.
@Suite("answers and the disk", .serialized, .timeLimit(.minutes(1)))
struct KeptAnswersTests {
    private static let unkept = "changes are not kept for the next start: "

    @Test("each change is on the disk when it is answered")
    func onDisk() async throws {
        let bench = try NodeBench()
        let node = try await bench.start("a", [.input: "null"])
        let folder = try bench.options(of: "a", [:]).stateDirectory
        try await NodeBench.onThread {
            // A joined channel gets its entry in the directory by itself, seconds after the start. So main has it
            // before: nothing but an answered request is written while the folder is copied.
            _ = try? node.ask(ChannelCreateRequest(name: "main"))
            let main = try node.ask(ChannelsRequest()).channels.first { $0.name == "main" }
            #expect(main?.creator != nil)
            for number in 1...10 {
                try node.ask(JoinRequest(channel: "c\(number)"))
                // The copy is the folder that a killed process leaves.
                let copy = "\(folder)-\(number)"
                try FileManager.default.copyItem(atPath: folder, toPath: copy)
                let state = try NodeState(folder: copy, unixSeconds: 1) { Array(repeating: 1, count: 32) }
                #expect(try state.database.load().joinedChannels.contains { $0.name == "c\(number)" })
                state.close()
            }
            try node.stop()
        }
        try await node.ended()
    }

    @Test("a change that the disk refuses is done, told as not kept, counted and in the health until one is kept")
    func refused() async throws {
        let bench = try NodeBench()
        let node = try await bench.start("a", [.input: "null"])
        let folder = try bench.options(of: "a", [:]).stateDirectory
        try await NodeBench.onThread {
            // When this request is answered, the changes of the start are written too.
            try node.ask(JoinRequest(channel: "stage"))
            // SQLite cannot write its journal where a folder is.
            let journal = "\(folder)/partyline.sqlite-journal"
            try FileManager.default.createDirectory(atPath: journal, withIntermediateDirectories: false)
            #expect {
                try node.ask(JoinRequest(channel: "lights"))
            } throws: { error in
                guard case .refused(let failure)? = error as? ControlClientError else { return false }
                return failure.code == .notKept && failure.message.hasPrefix("done, but not kept")
            }
            #expect(try node.ask(ChannelsRequest()).channels.contains { $0.name == "lights" && $0.listens })
            #expect(0 < (try node.ask(StatusRequest()).mesh.counters["state_changes_lost"] ?? 0))
            #expect(try node.ask(StatusRequest()).health.contains { $0.hasPrefix(Self.unkept) })
            try node.ask(TalkRequest(.on))
            try FileManager.default.removeItem(atPath: journal)
            try node.ask(PartRequest(channel: "stage"))
            #expect(try node.ask(StatusRequest()).health.contains { $0.hasPrefix(Self.unkept) } == false)
            try node.stop()
        }
        try await node.ended()
    }

    @Test("a reload whose changes the disk refuses names the changes, and says that they are not kept")
    func refusedReload() async throws {
        let bench = try NodeBench()
        @Sendable func write(_ channels: String) throws -> String {
            let known = ["stage", "fly"].map { "[[channel]]\nname = \"\($0)\"\n" }.joined()
            return try bench.write(known + "[role.desk]\nchannels = [\(channels)]", to: "crew.toml")
        }
        let file = try write("\"stage\"")
        let node = try await bench.start("a", [.input: "null", .crew: file, .role: "desk"])
        let folder = try bench.options(of: "a", [:]).stateDirectory
        try await NodeBench.onThread {
            // When this request is answered, the changes of the start are written too.
            try node.ask(JoinRequest(channel: "lights"))
            // SQLite cannot write its journal where a folder is.
            let journal = "\(folder)/partyline.sqlite-journal"
            try FileManager.default.createDirectory(atPath: journal, withIntermediateDirectories: false)
            _ = try write("\"stage\", \"fly\"")
            let done = try node.ask(ReloadRequest())
            #expect(done.changed == ["joined fly"] && done.notKept?.hasPrefix("done, but not kept") == true)
            try FileManager.default.removeItem(atPath: journal)
            _ = try write("\"stage\"")
            #expect(try node.ask(ReloadRequest()) == ReloadDocument(changed: ["parted fly"]))
            try node.stop()
        }
        try await node.ended()
    }

    @Test("a node whose database cannot be used says so in plain words, and with every change that it does not keep")
    func unusable() async throws {
        let bench = try NodeBench()
        // SQLite cannot open a folder.
        try FileManager.default.createDirectory(
            atPath: "\(try bench.options(of: "a", [:]).stateDirectory)/partyline.sqlite",
            withIntermediateDirectories: true)
        let node = try await bench.start("a", [.input: "null"])
        try await NodeBench.onThread {
            let why = "partyline.sqlite, or a file beside it, cannot be opened"
            #expect {
                try node.ask(JoinRequest(channel: "lights"))
            } throws: { error in
                guard case .refused(let failure)? = error as? ControlClientError else { return false }
                return failure == ControlFailure(.notKept, "done, but not kept for the next start: \(why)")
            }
            let status = try node.ask(StatusRequest())
            #expect(status.node.channels.contains("lights"))
            #expect(status.health.filter { $0.contains(why) } == ["nothing is remembered for the next start: \(why)"])
            try node.stop()
        }
        try await node.ended()
    }
}
