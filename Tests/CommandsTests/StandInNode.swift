import ControlPlane
import Foundation

/// Runs `body` beside a control server that answers as a node would. `body` gets the path of its socket.
func withNode(
    at path: String = "/tmp/partyline-test-\(UUID().uuidString.prefix(8)).sock",
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
