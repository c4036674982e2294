import ControlPlane
import Foundation
import NodeRuntime
import Testing

@Suite("The page about the control socket")
struct ControlPageTests {
    /// With this variable the test writes the page instead of comparing it; `make control-page` sets it.
    private static let isWriting = ProcessInfo.processInfo.environment["PARTYLINE_WRITE_PAGE"] == "1"

    @Test("docs/CONTROL.md is what the types say")
    func page() throws {
        let found = try String(contentsOf: ControlPage.file, encoding: .utf8)
        let wanted = ControlPage().renewed(found)
        if Self.isWriting {
            try wanted.write(to: ControlPage.file, atomically: true, encoding: .utf8)
        } else {
            #expect(found == wanted, "run `make control-page`")
        }
    }

    @Test("every key of every document has a comment, and every document its schema")
    func comments() throws {
        let page = ControlPage().renewed(try String(contentsOf: ControlPage.file, encoding: .utf8))
        #expect(ControlPage().keysWithoutComment == [])
        #expect(page.contains("### partyline.status/1") && page.contains("### partyline.event/1"))
    }

    @Test("every method has a name of its own and says what it does")
    func methods() {
        let methods = NodeMethods.all.map { $0.method }
        #expect(Set(methods.map(\.name)).count == methods.count)
        for method in methods { #expect(method.does.hasSuffix(".") && !method.since.isEmpty, "\(method.name)") }
    }

    @Test("a shape has the keys that are written, with their forms")
    func shape() {
        struct Inner: Codable { var oneWord: Bool? }
        struct Outer: Codable {
            var rttMs: Double
            var list: [Inner]
            var counters: [String: UInt64]
            var action: TalkRequest.Action
        }
        let fields = DocumentShape(of: Outer.self).fields
        #expect(fields.map(\.key) == ["rtt_ms", "list", "counters", "action"])
        #expect(fields[0].form == "number" && fields[1].form == "list of object" && fields[1].object is Inner.Type)
        #expect(fields[2].form == "object, each value whole number" && fields[3].form.hasPrefix("`on`, `off`"))
        #expect(DocumentShape(of: Inner.self).fields.map(\.isOptional) == [true])
    }
}
