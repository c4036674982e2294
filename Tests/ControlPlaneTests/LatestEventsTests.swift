import ControlPlane
import Foundation
import Glibc
import Synchronization
import TestKit
import Testing

/// A node that only sends: it accepts one client, writes bytes, and closes if it is told to.
private final class SendingNode: Sendable {
    let path = "\(temporaryFolder)/partyline-test-\(UUID().uuidString.prefix(8)).sock"
    private let listener: Int32
    /// Whether all bytes were written. The client can read them at once then.
    let isSent = Atomic(false)

    init() throws {
        let path = try SocketPath(path)
        listener = try SocketPath.streamSocket(for: path.text)
        #expect(path.withAddress { bind(listener, $0, $1) } == 0)
        #expect(listen(listener, 1) == 0)
    }

    deinit {
        close(listener)
        unlink(path)
    }

    /// Accepts the client, and writes on a thread of its own, since the client reads only a part at a time.
    func send(_ text: String, thenClose: Bool = false) {
        let client = accept(listener, nil, nil)
        Thread.detachNewThread { [self] in
            var rest = Array(text.utf8)[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { Glibc.send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                guard 0 < count else { break }
                rest = rest.dropFirst(count)
            }
            isSent.store(true, ordering: .releasing)
            if thenClose { close(client) }
        }
    }
}

@Suite("The latest events of the control socket", .timeLimit(.minutes(1)))
struct LatestEventsTests {
    private func line(_ sequence: Int) -> String {
        #"{"jsonrpc":"2.0","method":"event","params":{"sequence":\#(sequence),"text":"up"}}"# + "\n"
    }

    /// Reads until the event `last` has come, and returns the latest events.
    private func read(_ client: ControlClient, last: UInt64) throws -> [UInt64] {
        var latest: [UInt64] = []
        while latest.last != last {
            let part = try client.latestEvents(Samples.Event.self, atMost: 8).map(\.sequence)
            #expect(part.count <= 8 && (latest.last ?? 0) < part.first ?? .max)
            latest = part.isEmpty ? latest : part
        }
        return latest
    }

    @Test("of a flood the latest are returned, in their order")
    func flood() throws {
        let node = try SendingNode()
        let client = try ControlClient(path: node.path)
        node.send((1...100_000).map(line).joined())
        let found = try read(client, last: 100_000)
        #expect(found == Array(found[0]...100_000))
    }

    @Test("events that were gathered bit by bit come back at once, the latest of them")
    func gathered() throws {
        let node = try SendingNode()
        let client = try ControlClient(path: node.path)
        node.send((1...50_000).map(line).joined())
        var entry = pollfd(fd: client.readableDescriptor, events: Int16(POLLIN), revents: 0)
        while true {
            let isSent = node.isSent.load(ordering: .acquiring)
            let readyCount = poll(&entry, 1, 10)
            if readyCount == 1 { try client.gatherEvents(atMost: 8) }
            if readyCount == 0, isSent { break }
        }
        #expect(try client.latestEvents(Samples.Event.self, atMost: 8).map(\.sequence) == Array(49_993...50_000))
        #expect(try client.latestEvents(Samples.Event.self, atMost: 8) == [], "each comes back once")
    }

    @Test("without events it returns at once, and half an event is none")
    func silence() throws {
        let node = try SendingNode()
        let client = try ControlClient(path: node.path)
        #expect(try client.latestEvents(Samples.Event.self, atMost: 8) == [])
        node.send(line(1) + String(line(2).dropLast(5)))
        #expect(try read(client, last: 1) == [1])
        #expect(try client.latestEvents(Samples.Event.self, atMost: 8) == [])
    }

    @Test("the end of the node is an error, and so is a line that is no event")
    func ends() throws {
        let node = try SendingNode()
        let client = try ControlClient(path: node.path)
        node.send("", thenClose: true)
        #expect(throws: ControlClientError.self) {
            while true { _ = try client.latestEvents(Samples.Event.self, atMost: 8) }
        }
        let other = try ControlClient(path: node.path)
        node.send("{}\n")
        #expect(throws: ControlClientError.self) {
            while true { _ = try other.latestEvents(Samples.Event.self, atMost: 8) }
        }
    }
}
