import ControlPlane
import Foundation
import Glibc
import NodeRuntime
import Primitives
import Synchronization
import Testing

/// docs/PRIVACY.md names every socket of a node. The nodes run in a process of their own, since tests that run beside
/// this one have sockets too.
@Suite("Sockets of a node", .serialized, .timeLimit(.minutes(1)))
struct SocketTests {
    @Test("a node opens each socket that docs/PRIVACY.md names, and no other")
    func table() async {
        let child = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            do {
                for line in try await SocketTests.differences() { SocketTests.say(line) }
            } catch {
                SocketTests.say("\(error)")
            }
        }
        let lines = String(decoding: child?.standardErrorContent ?? [], as: UTF8.self).split(separator: "\n")
        let told = lines.filter { $0.hasPrefix(SocketTests.mark) }.map { String($0.dropFirst(SocketTests.mark.count)) }
        #expect(told == ["2 nodes"])
    }

    private static let mark = "sockets: "

    /// Tells the process that has started this one.
    private static func say(_ line: String) { FileHandle.standardError.write(Data("\(mark)\(line)\n".utf8)) }

    /// Two nodes that have run until they were linked.
    private struct Run {
        /// The sockets that were open in this process meanwhile, without the control clients of the test.
        let seen: Set<OpenSocket>
        let ports: [UInt16]
        let controls: Set<String>

        /// Whether a node has given a port back. The kernel chooses a port for UDP, and it may be taken for TCP; then
        /// the node takes another one (`PortBinding`). The page names no such port.
        var hasGivenPortBack: Bool {
            seen.contains { socket in
                guard socket.kind == "udp", case .network(let address, let port) = socket.own else { return false }
                return address.isLoopback && !ports.contains(port)
            }
        }
    }

    /// Enough runs that one gives no port back. A socket that nodes open beside those of the page is there in each run.
    private static let runsMax = 5

    /// Returns a line for each socket that the page does not name, one for each that it names and no node has opened,
    /// and the number of nodes.
    private static func differences() async throws -> [String] {
        var run = try await linkedNodes()
        for _ in 1..<runsMax where run.hasGivenPortBack { run = try await linkedNodes() }
        let rows = try SocketRow.all()
        func covers(_ row: SocketRow, _ socket: OpenSocket) -> Bool {
            row.covers(socket, ports: Set(run.ports), controls: run.controls)
        }
        let unnamed = run.seen.filter { socket in !rows.contains { covers($0, socket) } }
        let unopened = rows.filter { row in !row.isOptional && !run.seen.contains { covers(row, $0) } }
        return unnamed.map { "not named: \($0)" } + unopened.map { "not opened: \($0)" }
            + ["\(run.ports.count) nodes"]
    }

    /// Runs two nodes until they are linked and have ended.
    private static func linkedNodes() async throws -> Run {
        let watch = SocketWatch()
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "null", .discovery: "beacon"])
        let address = try await NodeBench.onThread { try a.address() }
        let b = try await bench.start("b", [.input: "null", .discovery: "beacon", .peer: address])
        let ports = try await NodeBench.onThread {
            for node in [a, b] {
                try node.awaitStatus("linked") { $0.mesh.cliqueComplete && $0.mesh.linksUp == 1 }
            }
            let addresses = try [a, b].map { try $0.address() }
            for node in [a, b] { try node.stop() }
            return addresses.compactMap { Endpoint($0, defaultPort: 0)?.port }
        }
        for node in [a, b] { try await node.ended() }
        let controls = Set(["a", "b"].map(bench.control))
        let seen = watch.end().filter { socket in
            // A control client of this test is no part of the nodes.
            if case .path(let path) = socket.other { !controls.contains(path) } else { true }
        }
        return Run(seen: seen, ports: ports, controls: controls)
    }
}

/// Reads the open sockets of this process again and again, on a thread of its own.
private final class SocketWatch: Sendable {
    private let seen = Mutex<Set<OpenSocket>>([])
    private let isOver = Atomic(false)
    private let before = OpenSocket.all()

    init() {
        Thread.detachNewThread { [self] in
            while !isOver.load(ordering: .relaxed) {
                let open = OpenSocket.all()
                seen.withLock { $0.formUnion(open) }
                usleep(2_000)
            }
        }
    }

    /// Ends the watch, and returns the sockets that were opened in it.
    func end() -> Set<OpenSocket> {
        isOver.store(true, ordering: .relaxed)
        return seen.withLock { $0 }.subtracting(before)
    }
}
