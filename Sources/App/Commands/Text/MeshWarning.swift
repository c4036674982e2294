/// What people must know of every mesh: no secret admits to it, so its encryption keeps no stranger out.
enum MeshWarning {
    static let text = "open mesh: anybody on this network can listen"
}
