import Commands
import ControlPlane
import NodeRuntime
import Testing

extension ProgramTests {
    @Test("a key that is down and that nobody hears is 4 in each mode, with the reason", arguments: ["ptt", "latch"])
    func unheard(mode: String) async throws {
        let talk = TalkDocument(
            json: #"""
                {"schema": "partyline.talk/1", "key": "stage", "talk_mode": "\#(mode)", "key_down": true,
                 "talking": true, "coughing": false, "unheard": "nobody hears key 'stage': no peer is linked"}
                """#)
        try await withNode({ _ in .document(talk) }) { path in
            let printed = try await printedLines {
                #expect(await Program.run(["talk", "press", "--control", path]) == .degraded)
            }
            #expect(printed.contains("stage on (\(mode))"))
            #expect(printed.contains("partyline: nobody hears key 'stage': no peer is linked"))
        }
    }

    @Test("a key that some of its peers do not grant is 0, and its line names these peers")
    func refused() async throws {
        let talk = TalkDocument(
            json: #"""
                {"schema": "partyline.talk/1", "key": "all", "talk_mode": "ptt", "key_down": true,
                 "talking": true, "coughing": false, "refused_by": ["SM", "FOH"]}
                """#)
        try await withNode({ _ in .document(talk) }) { path in
            let printed = try await printedLines {
                #expect(await Program.run(["talk", "on", "--key", "all", "--control", path]) == .healthy)
            }
            #expect(printed.contains("all on (ptt); not granted by SM, FOH"))
        }
    }
}
