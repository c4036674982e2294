import ControlPlane
import Mesh
import Node
import Primitives
import SystemClock
import Trust

/// The code of a pairing window: six digits, drawn by the node that opens the window. Every code of a mesh is longer,
/// so the text alone shows which of the two a newcomer has typed.
package struct PairingCode: Hashable, Sendable {
    package static let digitCount = 6
    private static let count: UInt64 = 1_000_000

    /// The six digits.
    let digits: String

    /// Nil if the text has a letter, or another number of digits than six. Spaces and marks do not matter.
    package init?(_ typed: String) {
        guard let folded = FoldedCode(typed) else { return nil }
        let digits = folded.bytes.filter { $0 != UInt8(ascii: "-") }
        guard digits.count == PairingCode.digitCount, digits.allSatisfy({ $0 <= UInt8(ascii: "9") }) else { return nil }
        self.digits = String(decoding: digits, as: UTF8.self)
    }

    /// Draws a code; each is as likely as any other.
    static func drawn() -> PairingCode {
        let number = String(OSRandom.number() % count)
        guard let code = PairingCode(String(repeating: "0", count: digitCount - number.count) + number) else {
            illegal("a number of other digits", in: "a pairing code")
        }
        return code
    }

    /// For people: `493 027`.
    package var text: String { "\(digits.prefix(3)) \(digits.suffix(3))" }
}

extension PairingCode: CustomStringConvertible, CustomReflectable {
    package var description: String { "(hidden)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The orders of a person about the pairing window, and the events of it for people.
extension NodeLoop {
    /// - Throws: why no window can be opened here.
    func checkPairing() throws(ControlFailure) {
        guard !isLeaving else { throw ControlFailure(.notNow, "the node is ending") }
        guard parts.isMeshClosed else {
            throw ControlFailure(
                .notNow,
                "this node is in an open mesh, which is entered without a code; `partyline init` makes a closed one"
            )
        }
        guard !core.mesh.status(now: .monotonicNow()).isLeftBehind else {
            throw ControlFailure(.notNow, MeshAccess.leftBehind)
        }
    }

    func openPairing(_ code: PairingCode, codeKey: [UInt8]) throws(ControlFailure) -> PairingDocument {
        try checkPairing()
        let isOpen = core.mesh.pairing(now: .monotonicNow()) != nil
        feed(.command(.openPairing(codeKey: codeKey)))
        let now = Instant.monotonicNow()
        guard let window = core.mesh.pairing(now: now) else {
            illegal("an order that opened no pairing window", in: "a member of a closed mesh")
        }
        return PairingDocument(
            mesh: MeshAccess.shown(parts.mesh), code: code.digits, openS: (window.until - now).seconds,
            tries: MeshLimits.pairingFailuresMax, replaced: isOpen)
    }

    func closePairing() {
        if !isLeaving { feed(.command(.closePairing)) }
    }

    /// Tells people the name of each node that was given the secret by a pairing code, once it is linked.
    func tellPaired(_ event: MeshEvent) {
        switch event {
        case .pairing(.closed(.admitted(let node))): watch.paired.add(node)
        case .peerUp(_, let node, _, let name):
            if watch.paired.remove(node) { tell(.paired(node, named: name)) }
        default: break
        }
    }
}
