import Commands
import Foundation
import TestKit
import Testing

/// The unit of systemd in `docs/examples`.
extension ProgramTests {
    private static let program = "/usr/local/bin/partyline"

    private static func text(_ path: String) throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        return try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// The words of the only command line that the unit has for `setting`, without the program.
    private static func words(of setting: String) throws -> [String] {
        let values = try text("docs/examples/partyline.service").split(separator: "\n")
            .filter { $0.hasPrefix("\(setting)=") }.map { $0.dropFirst(setting.count + 1).split(separator: " ") }
        #expect(values.count == 1 && values.first?.first == program[...])
        return values.first?.dropFirst().map(String.init) ?? []
    }

    @Test("the unit of systemd starts a node with options that exist")
    func unitStarts() async throws {
        let words = try Self.words(of: "ExecStart")
        // The options are good if only the file, which is not there, is a mistake.
        let arguments = words + ["--config", "/proc/nowhere.toml"]
        let printed = try await printedLines { #expect(await Program.run(arguments) == .usage) }
        #expect(words.first == "run" && printed.first?.contains("/proc/nowhere.toml") == true, "\(printed)")
    }

    @Test("the unit of systemd reloads by a verb that exists")
    func unitReloads() async throws {
        let words = try Self.words(of: "ExecReload")
        #expect(words.first == "reload")
        #expect(await Program.run(words + ["--control", "/proc/none.sock"]) == .noNodeRunning)
    }

    @Test("the unit of systemd does not start a node again for a mistake in its files")
    func unitStaysDown() throws {
        let unit = try Self.text("docs/examples/partyline.service")
        #expect(unit.contains("\nRestartPreventExitStatus=\(Commands.ExitStatus.usage.rawValue)\n"))
    }

    @Test("the README installs the program where the unit of systemd looks for it, and names the unit")
    func unitInstalled() throws {
        let page = try Self.text("README.md")
        #expect(page.contains("sudo install .build/release/partyline /usr/local/bin/"))
        #expect(page.contains("cp docs/examples/partyline.service ~/.config/systemd/user/"))
    }
}
