import NodeRuntime

extension MeshAccess {
    /// An open mesh asks for attention: people easily take it for private. So does a node that was left behind.
    var tone: Paint.Tone {
        switch self {
        case .open, .lost: .attention
        case .closed: .good
        }
    }

    /// The word beside the name of the mesh.
    var word: String {
        switch self {
        case .open: "open"
        case .closed, .lost: "closed"
        }
    }
}
