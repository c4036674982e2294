import Primitives

/// Whether a mesh is open or closed. People are told this first: in `status`, `top`, `doctor` and at the start.
package enum MeshAccess: Hashable, Sendable {
    case open
    /// The name of the mesh, as it came.
    case closed(String)
    /// The mesh of this name is closed, and its code was changed without this node.
    case lost(String)

    package init(mesh: String, isClosed: Bool, isLeftBehind: Bool = false) {
        self = isLeftBehind ? .lost(mesh) : isClosed ? .closed(mesh) : .open
    }

    /// One line, fit for a terminal.
    package var line: String {
        switch self {
        case .open: "open mesh: anybody on this network can listen"
        case .closed(let name): "closed mesh \(MeshAccess.shown(name)): everybody here has proved its code"
        case .lost(let name): "closed mesh \(MeshAccess.shown(name)): left behind, its code was changed"
        }
    }

    /// What a person at a node that was left behind has to do.
    static let leftBehind =
        "the code of the mesh was changed, and this node was left behind; with the new code: partyline enter --replace"

    /// The notice of an open node when a closed mesh is in reach.
    package static let closedMeshIsHere = "a closed mesh is on this network; with its code: partyline enter"

    package static func shown(_ name: String) -> String { SafeText(name, graphemesMax: 64, bytesMax: 64).string }
}
