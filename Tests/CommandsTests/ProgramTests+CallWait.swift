import Commands
import ControlPlane
import NodeRuntime
import Testing

extension ProgramTests {
    @Test(
        "`call --wait` is 0 if somebody takes the call, and 1 if nobody does",
        arguments: [
            ("accepted", "answered", true, "LX takes the call"),
            ("declined", "answered", false, "partyline: the call is declined"),
            ("shown", "withdrawn", false, "partyline: the call was withdrawn"),
            ("shown", "open", false, "partyline: nobody has answered within 1 s; the call is still open"),
        ])
    func callWait(answer: String, state: String, isTaken: Bool, line: String) async throws {
        func calls(_ answer: String, _ state: String) -> CallsDocument {
            CallsDocument(
                json: #"""
                    {"schema": "partyline.calls/1", "do_not_disturb": false, "made": "01", "incoming": [], "outgoing": [
                      {"id": "01", "target": "peer", "urgent": false, "state": "\#(state)", "age_s": 0, "left_s": 9,
                       "receivers": [{"peer": "x", "name": "LX", "answer": "\#(answer)"}]}]}
                    """#)
        }
        let (made, later) = (calls("sent", "open"), calls(answer, state))
        try await withNode({ .document($0.method == "calls.make" ? made : later) }) { path in
            let printed = try await printedLines {
                let status = await Program.run(["call", "--control", path, "LX", "--wait", "1"])
                #expect(status == (isTaken ? .healthy : .failed))
            }
            #expect(printed.contains("calling LX") && printed.contains(line), "\(printed)")
        }
        #expect(await Program.run(["call", "LX", "--wait", "0"]) == .usage)
    }
}
