import Primitives

/// Whether a mesh is open or closed. People are told this first: in `status`, `top`, `doctor` and at the start.
package enum MeshAccess: Hashable, Sendable {
    case open
    /// The name of the mesh, as it came.
    case closed(String)

    package init(mesh: String, isClosed: Bool) { self = isClosed ? .closed(mesh) : .open }

    /// One line, fit for a terminal.
    package var line: String {
        switch self {
        case .open: "open mesh: anybody on this network can listen"
        case .closed(let name): "closed mesh \(MeshAccess.shown(name)): everybody here has proved its code"
        }
    }

    /// The notice of an open node when a closed mesh is in reach.
    package static let closedMeshIsHere = "a closed mesh is on this network; with its code: partyline enter"

    package static func shown(_ name: String) -> String { SafeText(name, graphemesMax: 64, bytesMax: 64).string }
}
