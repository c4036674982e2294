package import ControlPlane
import Trust

/// Changes the code of the closed mesh.
package struct CodeChangeRequest: NodeRequest {
    package static let method = ControlMethod(
        "code.change", since: "0.1.0",
        does: """
            Changes the code of the closed mesh. The members stay, and need not type it. The links to those that \
            `leave` names end at once, and they get no voice from then on. It is answered when the new secret is on \
            disk.
            """)
    package typealias Answer = CodeChangeDocument

    /// The new code. It needs about 40 bits; case, spaces and marks do not matter.
    package var code: String
    /// The nodes that are left behind, by name, short id or whole id. All other members stay.
    package var leave: [String]?

    package init(code: String, leave: [String]) { (self.code, self.leave) = (code, leave) }

    package func check() throws(ControlFailure) { _ = try chosen }

    private var chosen: TypedCode {
        get throws(ControlFailure) {
            do throws(CodeFault) {
                return try TypedCode.chosen(code)
            } catch {
                throw ControlFailure(.invalidParameters, "\(error)")
            }
        }
    }

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> CodeChangeDocument {
        try await handler.changeCode(to: chosen, leaving: leave ?? [])
    }
}

extension CodeChangeRequest: CustomStringConvertible, CustomReflectable {
    /// Without the code.
    package var description: String { "code.change (hidden)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension ControlRequestHandler {
    fileprivate func changeCode(
        to code: TypedCode, leaving names: [String]
    ) async throws(ControlFailure) -> CodeChangeDocument {
        let codeKey = try await codeKey { code.key() }
        return try await awaitResult { node in
            try node.changeCode(to: code, codeKey: codeKey, leaving: names)
        }
    }
}
