import ControlPlane
import Foundation
import Glibc
import TestKit
import Testing

@Suite("A stopped node whose backlog is full", .timeLimit(.minutes(1)))
struct FullBacklogTests {
    @Test("a connection that nobody accepts times out")
    func timeout() throws {
        let path = "\(temporaryFolder)/partyline-test-\(UUID().uuidString.prefix(8)).sock"
        let address = try SocketPath(path)
        let listener = try SocketPath.streamSocket(for: path)
        defer {
            close(listener)
            unlink(path)
        }
        #expect(address.withAddress { bind(listener, $0, $1) } == 0)
        #expect(listen(listener, 0) == 0)
        // Linux queues one connection more than the backlog says.
        let first = try ControlClient(path: path)
        #expect(throws: ControlClientError.timedOut(seconds: 0.05)) {
            try ControlClient(path: path, timeoutSeconds: 0.05)
        }
        withExtendedLifetime(first) {}
    }
}
