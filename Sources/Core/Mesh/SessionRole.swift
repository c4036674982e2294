/// Which of a peer's sessions a key belongs to.
enum SessionRole {
    /// The session in use.
    case current
    /// The session that was offered or agreed, and that no echo has proved yet.
    case candidate
    /// The session that was replaced; it only opens datagrams that are under way.
    case retired
}
