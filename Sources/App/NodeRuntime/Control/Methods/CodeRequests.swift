package import ControlPlane
import Mesh
import NIOCore
import SystemClock
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

    /// The new code. It needs about 40 bits; case and marks do not matter, the words stay apart.
    package var code: String
    /// The nodes that are left behind, by name, short id or whole id. Each node that feeds programme at an address of
    /// theirs is left behind with them. All other members stay.
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

/// Opens a pairing window.
package struct PairRequest: NodeRequest {
    package static let method = ControlMethod(
        "code.pair", since: "0.1.0",
        does: """
            Opens a pairing window at this node, in place of one that is open: for five minutes one newcomer comes in \
            by the six digits in the answer. Three failures close it.
            """)
    package typealias Answer = PairingDocument

    package init() {}

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> PairingDocument {
        try await handler.pair()
    }
}

/// Closes the pairing window.
package struct UnpairRequest: NodeRequest {
    package static let method = ControlMethod(
        "code.unpair", since: "0.1.0", does: "Closes the pairing window of this node, if one is open.")
    package typealias Answer = DoneDocument

    package init() {}

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> DoneDocument {
        try await handler.visit { $0.closePairing() }
        return DoneDocument()
    }
}

extension ControlRequestHandler {
    fileprivate func pair() async throws(ControlFailure) -> PairingDocument {
        try await visit { try $0.checkPairing() }
        let code = PairingCode.drawn()
        let codeKey = try await codeKey { code.key() }
        return try await visit { try $0.openPairing(code, codeKey: codeKey) }
    }
}
