import ControlPlane
import Foundation
import Glibc
import Synchronization
import TestKit
import Testing

@Suite("A control socket whose file is removed", .timeLimit(.minutes(1)))
final class RemovedSocketTests: Sendable {
    private let folder = "\(temporaryFolder)/partyline-test-\(UUID().uuidString.prefix(8))"
    /// Its last folder is made with it, and is reached through a link that a test can turn at once.
    private var path: String { "\(folder)/user/run/node.sock" }
    private let told = ToldChanges()

    init() throws {
        for name in ["first", "second"] {
            try FileManager.default.createDirectory(atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
        }
        try FileManager.default.createSymbolicLink(atPath: "\(folder)/user", withDestinationPath: "first")
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// Runs `body` beside a server that looks at its file a hundred times a second.
    private func withServer(_ body: @escaping @Sendable () throws -> Void) async throws {
        let server = ControlServer(path: path, lookMilliseconds: 10) { $0.sampleReply }
        try await server.start { [told] in told.note($0) }
        do {
            try await onThread(body)
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    /// The client blocks, and the replies need the threads that tests run on.
    private func onThread(_ body: @escaping @Sendable () throws -> Void) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
        }
    }

    /// Turns the link to another folder, which need not exist.
    private func turn(to name: String) throws {
        let next = "\(folder)/next"
        try FileManager.default.createSymbolicLink(atPath: next, withDestinationPath: name)
        #expect(rename(next, "\(folder)/user") == 0)
    }

    /// Waits until the server has told so many changes.
    private func awaitTold(_ count: Int) { while told.all.count < count { usleep(1_000) } }

    private func expectAnswer(to client: ControlClient) {
        #expect((try? client.ask(StatusSample(), timeoutSeconds: 5)) == Samples.status)
    }

    @Test("it is made again, its owner's alone, and goes with the server; clients stay connected")
    func removed() async throws {
        try await withServer { try self.expectNewSocket() }
        #expect(access(path, F_OK) != 0)
    }

    private func expectNewSocket() throws {
        let early = try ControlClient(path: path)
        expectAnswer(to: early)
        try turn(to: "second")
        awaitTold(1)
        expectAnswer(to: try ControlClient(path: path))
        expectAnswer(to: early)
        var found = stat()
        #expect(lstat(path, &found) == 0 && found.st_mode & 0o777 == 0o600)
        #expect(told.all == [.back(path: path)])
    }

    @Test("as long as its folder cannot be made, that is told once; it is made again when the folder can be made")
    func folderGone() async throws {
        try await withServer { try self.expectLaterSocket() }
    }

    private func expectLaterSocket() throws {
        try turn(to: "third")
        awaitTold(1)
        let lost = ControlSocketError.system(operation: "listen at", path: path, errorNumber: ENOENT)
        #expect(told.all == [.lost(path: path, lost)])
        #expect(throws: ControlClientError.noNodeRunning(path: path)) { try ControlClient(path: path) }
        try FileManager.default.createDirectory(atPath: "\(folder)/third", withIntermediateDirectories: false)
        awaitTold(2)
        expectAnswer(to: try ControlClient(path: path))
        #expect(told.all == [.lost(path: path, lost), .back(path: path)])
    }

    @Test("a file that comes back is used as it is")
    func sameFile() async throws {
        try await withServer { try self.expectSameSocket() }
    }

    private func expectSameSocket() throws {
        try turn(to: "third")
        awaitTold(1)
        try turn(to: "first")
        awaitTold(2)
        expectAnswer(to: try ControlClient(path: path))
        #expect(told.all.last == .back(path: path))
    }

    @Test("the socket of another node that is in its place stays there")
    func taken() async throws {
        let place = "\(folder)/second/run/node.sock"
        let other = ControlServer(path: place, lookMilliseconds: 3_600_000) { _ in .document(DoneDocument()) }
        try await other.start()
        try await withServer { try self.expectOtherSocket() }
        #expect(access(place, F_OK) == 0)
        await other.stop()
    }

    private func expectOtherSocket() throws {
        try turn(to: "second")
        awaitTold(1)
        #expect(told.all == [.lost(path: path, .taken(path))])
        try ControlClient(path: path).ask(KeySample(action: .press), timeoutSeconds: 5)
    }

    @Test("it is not made in a folder that another user has made", .enabled(if: geteuid() == 0, "needs root"))
    func foreignFolder() async throws {
        try FileManager.default.createDirectory(atPath: "\(folder)/second/run", withIntermediateDirectories: false)
        #expect(chown("\(folder)/second/run", 1, 1) == 0)
        try await withServer { try self.expectNoSocket() }
    }

    private func expectNoSocket() throws {
        try turn(to: "second")
        awaitTold(1)
        let refusal = ControlSocketError.system(operation: "listen at", path: path, errorNumber: EPERM)
        #expect(told.all == [.lost(path: path, refusal)])
        #expect(access(path, F_OK) != 0)
    }
}

/// What a server has told of its socket file.
private final class ToldChanges: Sendable {
    private let list = Mutex<[ControlSocketChange]>([])

    var all: [ControlSocketChange] { list.withLock { $0 } }

    func note(_ change: ControlSocketChange) { list.withLock { $0.append(change) } }
}
