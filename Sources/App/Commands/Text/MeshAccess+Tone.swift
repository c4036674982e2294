import NodeRuntime

extension MeshAccess {
    /// A mesh in which anybody can listen asks for attention: people easily take it for private. So does a node that
    /// was left behind.
    var tone: Paint.Tone { isForAnybody || isLeftBehind ? .attention : .good }
}
