import ArgumentParser
import Foundation
import Testing
import meshsim

@Suite("meshsim's command line", .serialized)
struct CommandLineTests {
    /// Nodes that can never learn of each other, so that liveness fails for every seed.
    private static let alone = ["--beacon", "off", "--directory", "off", "--lost", "none", "--break-for", "3s"]

    @Test(
        "wrong usage exits with 2",
        arguments: [
            ["nonsense"], ["run", "--seed", "x"], ["run", "--nodes", "1"], ["run", "--nodes", "65"],
            ["run", "--loss", "2000"], ["run", "--loss", "5%"], ["run", "--bursts", "5s"],
            ["run", "--faults", "dance"],
            ["run", "--seed", "1", "--nodes", "3", "--lost", "7"], ["run", "--without", "a"],
            ["swarm"], ["swarm", "--seeds", "5"], ["swarm", "--seeds", "5..1"],
            ["swarm", "--seeds", "1..2", "--jobs", "0"],
            ["swarm", "--seeds", "1..2", "--stop-after", "0"], ["replay"], ["shrink"], ["shrink", "f", "--seed", "1"],
            ["explain", "--seed", "1", "--at", "5s", "n0"], ["explain", "--at", "5s", "n0", "n1"],
            ["explain", "--seed", "1", "--at", "soon", "n0", "n1"],
            ["explain", "--seed", "1", "--nodes", "3", "--at", "5s", "n0", "n9"],
            ["explain", "--seed", "1", "--nodes", "3", "--at", "5s", "n0", "0"],
        ])
    func usage(arguments: [String]) {
        #expect(MeshSim.end(of: arguments) == .usage)
    }

    @Test("help exits with success", arguments: [["--help"], ["help", "swarm"], ["explain", "--help"]])
    func help(arguments: [String]) {
        #expect(MeshSim.end(of: arguments) == .pass)
    }

    @Test("the help says that a trace has microseconds", arguments: ["run", "directed", "experiment"])
    func traceHelp(command: String) {
        let request = #expect(throws: (any Error).self) {
            var help = try MeshSim.parseAsRoot([command, "--help"])
            try help.run()
        }
        #expect(request.map { MeshSim.fullMessage(for: $0) }?.contains("microsecond") == true)
    }

    @Test(
        "a missing file exits with 3",
        arguments: [
            ["replay", "/nowhere/run.json"], ["shrink", "/nowhere/run.json"], ["regressions", "--file", "/nowhere/x"],
            ["run", "--scenario", "none", "--scenarios-dir", "/nowhere"], ["scenarios", "--scenarios-dir", "/nowhere"],
        ])
    func files(arguments: [String]) {
        #expect(MeshSim.end(of: arguments) == .files)
    }

    @Test("a seed that passes exits with 0, with every drawn option overridden")
    func passes() {
        let flags = [
            "--delay-min", "1ms", "--delay-mean", "500us", "--loss", "10", "--bursts", "9s/100ms@500", "--duplicate",
            "5",
            "--corrupt", "1", "--beacon", "on", "--directory", "on", "--directory-delay", "10ms..20ms",
            "--directory-loss", "5", "--directory-duplicate", "5", "--faults", "kill,cut", "--fault-every", "1s",
            "--break-for", "4s", "--talkers", "1", "--lost", "2", "--lost-live", "on",
        ]
        #expect(MeshSim.end(of: ["run", "--seed", "1", "--nodes", "4", "--twice"] + flags) == .pass)
    }

    @Test("a mesh that cannot converge exits with 4: for a seed, a swarm, a kept run and a shrunk one")
    func liveness() throws {
        let folder = try Folder()
        let run = ["run", "--seed", "1", "--nodes", "3", "--failures", folder.path] + Self.alone
        #expect(MeshSim.end(of: run) == .liveness)
        let kept = folder.path + "/seed-1-CliqueCompletes.json"
        #expect(MeshSim.end(of: ["replay", kept]) == .liveness)
        let small = folder.path + "/small.json"
        #expect(MeshSim.end(of: ["shrink", kept, "--out", small, "--runs", "60"]) == .liveness)
        let file = try RunFile.read(small)
        #expect(file.faults.isEmpty)
        #expect(file.failure?.checker == "CliqueCompletes")
        #expect(MeshSim.end(of: ["replay", small]) == .liveness)
        let swarm = ["swarm", "--seeds", "1..3", "--nodes", "2", "--stop-after", "2", "--failures", folder.path]
        #expect(MeshSim.end(of: swarm + Self.alone) == .liveness)
        #expect(FileManager.default.fileExists(atPath: folder.path + "/seed-2-CliqueCompletes.json"))
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/seed-3-CliqueCompletes.json"))
    }

    @Test("a swarm of good seeds exits with 0, and repeats")
    func swarm() {
        #expect(MeshSim.end(of: ["swarm", "--seeds", "1..4", "--nodes", "3", "--check-repeatable", "--json"]) == .pass)
    }

    @Test("a failed expectation exits with 1, another transcript with 6")
    func scenarios() throws {
        let folder = try Folder()
        let check = ["scenarios", "--check", "--scenarios-dir", folder.path]
        try folder.write("> nodes ada ben\n> start ada ben\n> expect up ada ben within 1s\n", "story.scenario")
        #expect(MeshSim.end(of: check) == .transcript)
        #expect(MeshSim.end(of: ["bless", "--scenarios-dir", folder.path]) == .pass)
        #expect(MeshSim.end(of: check) == .pass)
        try folder.write("> nodes ada ben\n> start ada\n> expect up ada ben within 1s\n", "wrong.scenario")
        #expect(MeshSim.end(of: check) == .safety)
        #expect(MeshSim.end(of: ["bless", "--scenarios-dir", folder.path]) == .safety)
    }

    @Test("the regression seeds are run, and a bad file differs from a failing seed")
    func regressions() throws {
        let folder = try Folder()
        try folder.write("1 3 # the first\n", "seeds.txt")
        #expect(MeshSim.end(of: ["regressions", "--file", folder.path + "/seeds.txt"]) == .pass)
        try folder.write("one three\n", "seeds.txt")
        #expect(MeshSim.end(of: ["regressions", "--file", folder.path + "/seeds.txt"]) == .files)
    }

    @Test("a run can be explained")
    func explained() {
        let seed = ["--seed", "1", "--nodes", "3", "--break-for", "5s"]
        #expect(MeshSim.end(of: ["explain", "--at", "4s", "n0", "2", "--json"] + seed) == .pass)
        #expect(MeshSim.end(of: ["explain", "--at", "400s", "n0", "n1"] + seed) == .pass)
    }
}

/// A folder that is removed with the test.
final class Folder {
    let path = FileManager.default.temporaryDirectory.path + "/meshsim-\(UUID().uuidString)"

    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func write(_ text: String, _ name: String) throws {
        try text.write(toFile: path + "/" + name, atomically: true, encoding: .utf8)
    }
}
