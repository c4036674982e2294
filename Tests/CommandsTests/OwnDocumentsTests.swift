import Commands
import ControlPlane
import Foundation
import Lab
import Testing

@Suite("The documents that no node sends")
struct OwnDocumentsTests {
    @Test(
        "docs/CONTROL.md lists each of their keys",
        arguments: ["partyline.doctor/1", "partyline.report/1", "partyline.lab/1"])
    func page(schema: String) throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/CONTROL.md")
        let page = try String(contentsOf: file, encoding: .utf8)
        let after = page.components(separatedBy: "\n### \(schema)\n").dropFirst().first
        let part = try #require(after).components(separatedBy: "\n### ")[0]
        let keys = Self.documents(schema).flatMap { document in
            Mirror(reflecting: document).children.compactMap { $0.label }.map(DocumentJSON.snakeCase)
        }
        #expect(3 <= keys.count && keys.filter { !part.contains("- `\($0)`: ") } == [])
    }

    /// A sample of the document, and of each object in it that is described with it.
    private static func documents(_ schema: String) -> [Any] {
        switch schema {
        case "partyline.doctor/1":
            [
                DoctorDocument(
                    json: #"""
                        {"schema": "partyline.doctor/1", "mesh_closed": false, "left_behind": false,
                         "admission": "open", "checks": []}
                        """#),
                DoctorDocument.Check(json: #"{"verdict": "pass", "subject": "", "finding": ""}"#),
            ]
        case "partyline.report/1":
            [ReportDocument(json: #"{"schema": "partyline.report/1", "redacted": true, "report": {}}"#)]
        default:
            [
                LabReport(nodes: 2, channels: 1, pairs: []),
                LabReport.Pair(json: #"{"from": 0, "to": 1, "expected": true, "heard": true}"#),
                LabReport.FaultSeen(json: #"{"node": 0, "by": 1}"#),
            ]
        }
    }
}
