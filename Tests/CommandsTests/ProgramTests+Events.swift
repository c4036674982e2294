import Commands
import ControlPlane
import Foundation
import NodeRuntime
import Synchronization
import Testing

extension ProgramTests {
    @Test("`events` ends with exit code 3 where the node ends")
    func eventsEnd() async throws {
        let path = "/tmp/partyline-test-\(UUID().uuidString.prefix(8)).sock"
        let (asked, noteAsked) = AsyncStream<Void>.makeStream()
        let server = ControlServer(path: path) { _ in
            noteAsked.yield()
            return .subscribed(DoneDocument(), EventSubscription(kinds: nil))
        }
        try await server.start()
        async let status = Program.run(["events", "--control", path])
        for await _ in asked { break }
        await server.stop()
        #expect(await status == .noNodeRunning)
    }

    @Test("`events --kind` prints the kinds that were named; the node names a kind that does not exist")
    func eventKinds() async throws {
        let asked = Mutex<[[String]?]>([])
        try await withNode({ call in
            do throws(ControlFailure) {
                let request = try call.request(EventsRequest.self)
                asked.withLock { $0.append(request.kinds) }
            } catch {
                return .failed(error)
            }
            // The command ends when the node refuses, and not before.
            return .failed(ControlFailure(.notNow, "enough"))
        }) { path in
            for line in [["--kind", "peer_up,talking"], [], ["--kind", "peer_upp"]] {
                #expect(await Program.run(["events", "--control", path] + line) == .failed)
            }
            #expect(await Program.run(["events", "--control", path, "--kind", "peer_up,"]) == .usage)
        }
        #expect(asked.withLock { $0 } == [["peer_up", "talking"], nil])
    }
}
