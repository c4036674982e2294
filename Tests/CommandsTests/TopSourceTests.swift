import Commands
import ControlPlane
import NodeRuntime
import Primitives
import Testing

@Suite("What partyline top asks its node", .serialized, .timeLimit(.minutes(1)))
struct TopSourceTests {
    private static let refusal = "no key 'x'; `partyline keys` lists them"

    @Test("an order that the node refuses is shown, and the state is fresh nevertheless")
    func refused() async throws {
        var status = StatusTextTests.status
        status.node.calls = OpenCallTests.calls
        try await withNode({ [status] call in
            switch call.method {
            case "status": return .document(status)
            case "channels": return .document(ChannelTableTests.document)
            case "keys": return .document(TopScreenTests.keys)
            default: return .failed(ControlFailure(.notNow, Self.refusal))
            }
        }) { path in
            try expectRefusal(path) { source throws(ControlClientError) in try source.perform(.toggle, key: "x") }
            try expectRefusal(path) { source throws(ControlClientError) in try source.answer() }
        }
    }

    private func expectRefusal(
        _ path: String, of order: (TopSource) throws(ControlClientError) -> Void
    ) throws {
        let source = try TopSource(ControlClient(path: path))
        let before = source.view
        try order(source)
        try source.refresh()
        #expect(source.view.refusal == Self.refusal && source.view.trouble == nil)
        #expect(TopChanges.between(before, source.view) == ["not done: \(Self.refusal)"])
        #expect(TopChanges.between(source.view, source.view) == [], "said once")
        let lines = TopScreen(source.view, columns: 80, rows: 24, paint: .plain).lines
        #expect(lines.contains("! \(Self.refusal)"), "\(lines)")
    }

    @Test("a refusal is shown for some seconds")
    func forgotten() {
        var view = TopScreenTests.alone
        let start = Instant.zero + .seconds(10)
        view.refuse(Self.refusal, at: start)
        view.forgetRefusal(at: start + .milliseconds(4_900))
        #expect(view.refusal == Self.refusal)
        view.forgetRefusal(at: start + TopView.refusalShown)
        #expect(view.refusal == nil)
    }
}
