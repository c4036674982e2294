/// Limits of the files that a person writes for a node.
package enum CrewLimits {
    /// Bytes of `config.toml` or of a crew file. A theatre's has some thousand.
    package static let fileBytesMax = 256 * 1_024
    /// Bytes of a key with the tables and lists around it: `role.lights.key[0].name`. So tables are nested 128 deep at
    /// most.
    static let keyPathBytesMax = 256
    /// Characters in the name of a role, as in that of a peer.
    package static let roleGraphemesMax = 24
    /// Lines about the mistakes in all files of a node.
    package static let mistakesMax = 20
    /// Mistakes that are looked for. Of a text that is no configuration at all, each line may be one.
    static let mistakesFoundMax = 200
}
