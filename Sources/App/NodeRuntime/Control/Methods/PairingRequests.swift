package import ControlPlane
import Mesh
import NIOCore
import SystemClock

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
