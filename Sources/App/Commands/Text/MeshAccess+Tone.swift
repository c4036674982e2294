import NodeRuntime

extension MeshAccess {
    /// An open mesh asks for attention: people easily take it for private.
    var tone: Paint.Tone {
        switch self {
        case .open: .attention
        case .closed: .good
        }
    }

    /// The word beside the name of the mesh.
    var word: String {
        switch self {
        case .open: "open"
        case .closed: "closed"
        }
    }
}
