import Commands
import ControlPlane
import Foundation
import Glibc
import Synchronization
import TestKit

/// Runs `body` beside a control server that answers as a node would. `body` gets the path of its socket.
func withNode(
    at path: String = "\(temporaryFolder)/partyline-test-\(UUID().uuidString.prefix(8)).sock",
    _ handler: @escaping ControlServer.Handler, _ body: (String) async throws -> Void
) async throws {
    let server = ControlServer(path: path, handler: handler)
    try await server.start()
    defer { try? FileManager.default.removeItem(atPath: path) }
    do { try await body(path) } catch {
        await server.stop()
        throw error
    }
    await server.stop()
}

/// What this process prints meanwhile, on standard output and standard error, a line each. It is printed afterwards
/// too, so that nothing of other tests is lost.
func printedLines(by body: () async throws -> Void) async throws -> [String] {
    let path = "\(temporaryFolder)/partyline-printed-\(UUID().uuidString.prefix(8))"
    let (output, errors) = (dup(STDOUT_FILENO), dup(STDERR_FILENO))
    let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    fflush(nil)
    dup2(file, STDOUT_FILENO)
    dup2(file, STDERR_FILENO)
    close(file)
    func restore() throws -> String {
        fflush(nil)
        dup2(output, STDOUT_FILENO)
        dup2(errors, STDERR_FILENO)
        close(output)
        close(errors)
        defer { unlink(path) }
        return try String(contentsOfFile: path, encoding: .utf8)
    }
    do { try await body() } catch {
        _ = try? restore()
        throw error
    }
    let text = try restore()
    print(text, terminator: "")
    return text.split(separator: "\n").map(String.init)
}

/// A person who types prepared lines, and the questions that were shown.
final class ScriptedPerson: Sendable {
    private let state: Mutex<(rest: [String], shown: String, forgetCount: Int)>
    private let isPerson: Bool

    /// - Parameter isPerson: false for a program that writes these lines.
    init(_ lines: [String], isPerson: Bool = true) {
        state = Mutex((lines, "", 0))
        self.isPerson = isPerson
    }

    /// Everything that was shown. A line that was typed unseen is not in it.
    var shown: String { state.withLock { $0.shown } }
    /// How often what was typed before a question was forgotten.
    var forgetCount: Int { state.withLock { $0.forgetCount } }
    var linesLeft: Int { state.withLock { $0.rest.count } }

    var conversation: Conversation {
        Conversation(
            isWithPerson: isPerson, ask: { text in self.state.withLock { $0.shown += text } },
            line: {
                let line = self.next()
                self.state.withLock { $0.shown += (line ?? "") + "\n" }
                return line
            },
            hiddenLine: { self.next() },
            forgetTyped: { self.state.withLock { $0.forgetCount += 1 } })
    }

    private func next() -> String? {
        state.withLock { $0.rest.isEmpty ? nil : $0.rest.removeFirst() }
    }
}
