/// The two kinds of code by which a newcomer enters a closed mesh.
package enum CodeKind: Hashable, Sendable {
    /// The code of the mesh, for any time and any number of newcomers.
    case mesh
    /// The short code of a pairing window: for some minutes, one newcomer and one member.
    case pairing

    /// The label of a run of JOIN. The two labels differ, so a run between the code of a mesh and a pairing code fails.
    var joinLabel: String {
        switch self {
        case .mesh: "partyline/1 join"
        case .pairing: "partyline/1 pairing"
        }
    }
}
