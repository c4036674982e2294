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

    @Test("a run that names a node that it does not have is refused with the place")
    func unknownNodes() throws {
        func trouble(_ change: (inout RunFile) -> Void) throws -> String? {
            var changed = kept
            changed.options.hasDuplicate = false
            changed.faults = []
            change(&changed)
            let text = try changed.text
            return #expect(throws: FileTrouble.self) { try RunFile(parsing: text, named: "x.json") }?.text
        }
        func why(_ place: String) -> String { "x.json: \(place): nodes must be 0 to 4" }
        let kill = FaultPlan.Entry(at: .zero, fault: .kill(99))
        #expect(try trouble { $0.faults = [kill] } == why("faults: kill n99"))
        let cut = FaultPlan.Entry(at: .zero, fault: .cut(from: 0, to: 5))
        #expect(try trouble { $0.faults = [cut] } == why("faults: cut n0 -> n5"))
        #expect(try trouble { $0.options.lostNodes = [5] } == why("options.lostNodes"))
        #expect(try trouble { $0.options.severed = SeveredPair(a: -1, b: 2) } == why("options.severed"))
        let member = HostileMembers.Member(node: 5, conducts: [.liar])
        let members = HostileMembers(members: [member], every: .seconds(1))
        #expect(try trouble { $0.options.hostileMembers = members } == why("options.hostileMembers"))
        let end = Instant.zero + .seconds(5)
        let episode = Episode(begin: .zero, end: end, restEnd: end + .seconds(60), missing: 5)
        #expect(try trouble { $0.options.episodes = [episode] } == why("options.episodes"))
    }

    @Test("a negative number of talkers is refused with its key")
    func talkers() throws {
        var file = kept
        file.options.talkerCount = -1
        let text = try file.text
        let error = #expect(throws: FileTrouble.self) { try RunFile(parsing: text, named: "x.json") }
        #expect(error?.text == "x.json: options.talkerCount: must not be negative")
    }

    @Test(
        "a clock that drifts faster than a world lets it is refused with the place",
        arguments: [100_000, -100_000, 1 << 60])
    func drift(partsPerMillion: Int64) throws {
        func file(_ partsPerMillion: Int64) -> RunFile {
            var file = kept
            file.faults = [FaultPlan.Entry(at: .zero, fault: .drift(1, partsPerMillion: partsPerMillion))]
            return file
        }
        #expect(try RunFile(parsing: try file(-99_999).text, named: "x.json") == file(-99_999))
        let text = try file(partsPerMillion).text
        let error = #expect(throws: FileTrouble.self) { try RunFile(parsing: text, named: "x.json") }
        let place = "faults: drift n1 by \(partsPerMillion) ppm"
        #expect(error?.text == "x.json: \(place): must be -99999 to 99999 ppm")
    }

    @Test("the duplicate of a node may be named, and a partition may set the bits of more nodes than there are")
    func hosts() throws {
        var file = kept
        file.options.hasDuplicate = true
        file.faults = [Fault.start(5), .partition(.max)].map { FaultPlan.Entry(at: .zero, fault: $0) }
        #expect(try RunFile(parsing: try file.text, named: "x.json") == file)
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
