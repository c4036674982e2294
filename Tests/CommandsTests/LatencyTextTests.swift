import Commands
import NodeRuntime
import Testing

@Suite("Latency for people")
struct LatencyTextTests {
    private static let document = LatencyDocument(
        json: #"""
            {
              "schema": "partyline.latency/1", "peer": "1fee-6c18", "name": "Ann",
              "hearing": {
                "total_ms": 22.7,
                "parts": [
                  {"part": "encode", "ms": 7.6, "source": "computed",
                   "text": "the rest of its frame, the look-ahead of Opus, coding as here"},
                  {"part": "buffer", "ms": 15, "source": "measured",
                   "text": "kept back against jitter, until the block that takes it"},
                  {"part": "play_out", "ms": 0.1, "source": "measured", "text": "queued in the output device"}
                ]
              },
              "heard": {"parts": []}
            }
            """#)

    @Test("an explanation that is wider than its column goes on below it, and no word is cut")
    func wrapped() {
        let lines = LatencyText(Self.document).lines
        #expect(lines.first == "from Ann's mouth to the ear here")
        #expect(lines.allSatisfy { Columns.width($0) <= Columns.lineMax && !$0.hasSuffix("~") }, "\(lines)")
        let words = lines.joined(separator: " ").split(separator: " ").joined(separator: " ")
        for part in Self.document.hearing.parts { #expect(words.contains(part.text), "\(lines)") }
        let further = lines.first { $0.hasSuffix("coding as here") }
        #expect(further?.hasPrefix(String(repeating: " ", count: 32)) == true, "\(lines)")
    }
}
