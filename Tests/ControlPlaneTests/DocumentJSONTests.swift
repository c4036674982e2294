import ControlPlane
import Testing

@Suite("Documents as JSON")
struct DocumentJSONTests {
    private let line = """
        {"counters":{"ghosts_dropped":2,"notSnake":1},"levels":["-inf",0.25],"schema":"partyline.status/1",\
        "short_id":"4f2a-91c0","uptime_s":8040.5}
        """

    @Test("a key is its property in snake case, keys are sorted, the keys of a dictionary stay as they are")
    func written() {
        #expect(String(decoding: DocumentJSON.bytes(of: Samples.status), as: UTF8.self) == line)
    }

    @Test("what was written is read again, in either layout, an infinite level too")
    func read() throws {
        for layout in [DocumentJSON.Layout.oneLine, .indented] {
            let bytes = DocumentJSON.bytes(of: Samples.status, layout: layout)
            #expect(try DocumentJSON.document(Samples.Status.self, in: bytes) == Samples.status)
            #expect(bytes.contains(UInt8(ascii: "\n")) == (layout == .indented))
        }
    }

    @Test("another document, and what is none, are errors")
    func refused() {
        for text in ["{}", "", "[1]", #"{"schema":1}"#] {
            #expect(throws: (any Error).self) {
                try DocumentJSON.document(Samples.Status.self, in: Array(text.utf8))
            }
        }
    }
}
