import NodeRuntime
import Testing

@Suite("a reload of the log level", .serialized, .timeLimit(.minutes(1)))
struct ReloadLogLevelTests {
    @Test("another level in the file holds at once, without a restart")
    func level() async throws {
        let bench = try NodeBench()
        var options = try bench.options(of: "a", [.input: "null"])
        // The level of the bench is an option, which would count more than the file.
        let paths = StandardPaths(environment: [:], user: 0, folderExists: { _ in false })
        let file = try bench.write("", to: "config.toml")
        options.origin = RunOrigin(options: RunSettings(), file: file, paths: paths, hostName: "host")
        let a = try await NodeUnderTest(options)
        try await NodeBench.onThread {
            _ = try bench.write("log-level = \"warning\"", to: "config.toml")
            let done = try a.ask(ReloadRequest())
            #expect(done.changed.contains("changed the setting 'log-level': error → warning"))
            #expect(!done.needsRestart.contains("log-level"))
            #expect(try a.ask(ReloadRequest()) == ReloadDocument(), "unchanged files change nothing")
            try a.stop()
        }
        try await a.ended()
    }
}
