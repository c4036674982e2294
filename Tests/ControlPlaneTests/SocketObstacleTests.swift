import ControlPlane
import Foundation
import TestKit
import Testing

@Suite("What is in the way of a control socket")
final class SocketObstacleTests: Sendable {
    private let folder = "\(temporaryFolder)/partyline-test-\(UUID().uuidString.prefix(8))"

    init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    @Test("nothing is, whether or not its folder, or the folder above it, is there")
    func none() {
        for path in ["node.sock", "gone/node.sock", "gone/run/node.sock"] {
            #expect(ControlServer.obstacle(at: "\(folder)/\(path)") == nil)
        }
    }

    @Test("a file or a link at its path is; a socket is not")
    func file() async throws {
        let server = ControlServer(path: "\(folder)/node.sock") { _ in .document(Samples.status) }
        try await server.start()
        let socket = ControlServer.obstacle(at: "\(folder)/node.sock")
        await server.stop()
        try Data().write(to: URL(fileURLWithPath: "\(folder)/node.sock"))
        try FileManager.default.createSymbolicLink(atPath: "\(folder)/link.sock", withDestinationPath: "gone")
        expectObstacles(socket)
    }

    private func expectObstacles(_ socket: String?) {
        #expect(socket == nil)
        for name in ["node.sock", "link.sock"] {
            #expect(ControlServer.obstacle(at: "\(folder)/\(name)") == "\(folder)/\(name) is not a socket")
        }
    }

    @Test("a file, or a link that leads nowhere, in place of its folder is; a link to a folder is not")
    func noFolder() throws {
        try Data().write(to: URL(fileURLWithPath: "\(folder)/file"))
        try FileManager.default.createSymbolicLink(atPath: "\(folder)/nowhere", withDestinationPath: "gone")
        try FileManager.default.createSymbolicLink(atPath: "\(folder)/link", withDestinationPath: ".")
        for name in ["file", "nowhere"] {
            let obstacle = ControlServer.obstacle(at: "\(folder)/\(name)/node.sock")
            #expect(obstacle == "\(folder)/\(name) is not a folder")
        }
        #expect(ControlServer.obstacle(at: "\(folder)/link/node.sock") == nil)
    }
}
