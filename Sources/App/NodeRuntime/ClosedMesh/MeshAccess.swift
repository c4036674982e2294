import Primitives

/// Whether a mesh is open or closed, and which nodes this node lets in. People are told this first: in
/// `status`, `top`, `doctor`, the console and at the start.
package struct MeshAccess: Hashable, Sendable {
    /// The name of the mesh, as it came.
    let mesh: String
    package let isClosed: Bool
    /// Whether the code of the closed mesh was changed without this node.
    package let isLeftBehind: Bool
    /// Nil for a word of a later version, which this version does not know.
    package let admission: AdmissionChoice?

    package init(mesh: String, isClosed: Bool, isLeftBehind: Bool = false, admission: AdmissionChoice?) {
        self.mesh = mesh
        self.isClosed = isClosed
        self.isLeftBehind = isLeftBehind
        self.admission = admission
    }

    /// - Parameter admission: as in a document.
    package init(mesh: String, isClosed: Bool, isLeftBehind: Bool = false, admission: String) {
        self.init(
            mesh: mesh, isClosed: isClosed, isLeftBehind: isLeftBehind, admission: AdmissionChoice(rawValue: admission))
    }

    /// One line, fit for a terminal.
    package var line: String {
        if isLeftBehind { return "closed mesh \(MeshAccess.shown(mesh)): left behind, its code was changed" }
        switch (isClosed, admission) {
        case (false, .ask): return "open mesh, but this node asks you before anybody hears it"
        case (false, .known): return "open mesh, but only keys that you trust hear this node"
        case (false, _): return "open mesh: anybody on this network can listen"
        case (true, .ask): return "\(closed); this node asks you too"
        case (true, .known): return "\(closed); here only keys that you trust"
        case (true, _): return closed
        }
    }

    /// The instruction to a person whose node was left behind.
    package static let leftBehind =
        "the code of the mesh was changed, and this node was left behind; "
        + "with the new code: `partyline enter --replace`"

    /// The state of a mesh in which two changes of the code have met. The nodes that it has left behind may know either
    /// code, so neither one is kept.
    package static let withoutCode =
        "two changes of the code met, so neither code counts, and nobody can enter by one"

    private var closed: String { "closed mesh \(MeshAccess.shown(mesh)): everybody here has proved its secret" }

    /// The word beside the name of the mesh.
    package var word: String {
        let word = isClosed ? "closed" : "open"
        return switch admission {
        case .ask: word + " (asks)"
        case .known: word + " (known keys)"
        case .open, nil: word
        }
    }

    /// Whether anybody on the network can listen to this node.
    package var isForAnybody: Bool { !isClosed && (admission == .open || admission == nil) }

    /// The notice of an open node when a closed mesh is in reach.
    package static let closedMeshIsHere = "a closed mesh is on this network; with its code: `partyline enter`"

    package static func shown(_ name: String) -> String { SafeText(name, graphemesMax: 64, bytesMax: 64).string }
}
