import Foundation
import MeshSimulator
import Primitives
import Testing
import meshsim

@Suite("Kept runs")
struct RunFileTests {
    private var kept: RunFile {
        let tape = RunTape(drawnFor: SwarmOptions(seed: 6, nodeCount: 5))
        let violation = Violation(
            kind: .safety, checker: "Promise", text: "a \"quoted\" reason", at: .zero + .seconds(3))
        return RunFile(tape, sealing: .real, violation: violation, commit: "abc123+")
    }

    @Test("a kept run is read as it was written, with one fault on each line")
    func roundTrip() throws {
        let text = try kept.text
        #expect(try RunFile(parsing: text, named: "x") == kept)
        #expect(text.split(separator: "\n").count { $0.hasPrefix("    {") } == kept.faults.count)
        #expect(text.contains("{\"at\":"))
        #expect(text.contains("\"commit\": \"abc123+\""))
    }

    @Test("a fault that was deleted by hand is absent")
    func edited() throws {
        var lines = try kept.text.split(separator: "\n", omittingEmptySubsequences: false)
        let index = try #require(lines.firstIndex { $0.hasPrefix("    {") })
        lines.remove(at: index)
        let file = try RunFile(parsing: lines.joined(separator: "\n"), named: "x")
        #expect(file.faults == Array(kept.faults.dropFirst()))
    }

    @Test(
        "an invalid run file is refused with the place of the error",
        arguments: [
            ("\"seed\":6", "\"seat\":6", "`seed` is missing"), ("partyline.sim.run/1", "other/1", "schema is not"),
            ("\"nodeCount\":5", "\"nodeCount\":99", "nodes must be 2 to 64"), ("{", "", "not"),
        ])
    func refused(find: String, put: String, why: String) throws {
        let text = try kept.text
        let range = try #require(text.firstRange(of: find))
        let error = #expect(throws: FileTrouble.self) {
            try RunFile(parsing: text.replacingCharacters(in: range, with: put), named: "x.json")
        }
        #expect(error?.text.hasPrefix("x.json: ") == true)
        #expect(error?.text.contains(why) == true, "\(error?.text ?? "")")
    }

    @Test("speech is kept, and impossible speech is refused with an explanation")
    func speech() throws {
        var file = kept
        file.options.drawSpeech()
        #expect(try RunFile(parsing: try file.text, named: "x.json") == file)
        func trouble(_ change: (inout SpeechRule) -> Void) throws -> String? {
            var changed = file
            changed.options.speech.map { speech in
                var speech = speech
                change(&speech)
                changed.options.speech = speech
            }
            let text = try changed.text
            return #expect(throws: FileTrouble.self) { try RunFile(parsing: text, named: "x.json") }?.text
        }
        #expect(try trouble { $0.channelCount = 0 } == "x.json: options.speech: channels must be 1 to 8")
        #expect(try trouble { $0.driftPartsPerMillionMax = 1_000_000 }?.contains("400 ppm") == true)
        #expect(try trouble { $0.talkerCount = 65 }?.contains("talkers must be 0 to") == true)
        file.options.talkerCount = 1
        let text = try file.text
        #expect(throws: FileTrouble.self) { try RunFile(parsing: text, named: "x.json") }
    }
}
