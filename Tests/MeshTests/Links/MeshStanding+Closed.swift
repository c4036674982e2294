import Trust

extension MeshStanding {
    /// The closed mesh of a member, for tests that need one.
    var closed: ClosedMesh? { if case .member(let mesh) = self { mesh } else { nil } }
}
