import Foundation
import Glibc

/// What this process prints meanwhile, on standard output and standard error, a line each. It is printed afterwards
/// too, so that nothing of other tests is lost.
func printedLines(by body: () async throws -> Void) async throws -> [String] {
    let path = "/tmp/partyline-printed-\(UUID().uuidString.prefix(8))"
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
