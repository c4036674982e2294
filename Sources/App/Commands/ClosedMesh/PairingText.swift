package import NodeRuntime

/// The output of `partyline code pair`, in 80 columns.
package enum PairingText {
    package static func lines(_ document: PairingDocument, paint: Paint) -> [String] {
        let name = Output.safe(document.mesh)
        let digits = PairingCode(document.code)?.text ?? Output.safe(document.code)
        let former = "The window that was open is closed, and its digits are of no use any more."
        return (document.replaced ? Columns.sentence(former, label: "") : [])
            + Columns.sentence("One newcomer comes into the closed mesh \(name) by these digits:", label: "")
            + ["", "      " + paint("   \(digits)   ", .marked), ""]
            + ["  there   partyline enter"]
            + Columns.sentence(
                "They hold for \(Int((document.openS / 60).rounded())) minutes, at this node alone. "
                    + "\(document.tries) failures close the window, and so does `partyline code pair --close`.",
                label: "")
    }
}
