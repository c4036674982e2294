/// Sentences about deleted channels on which this node is. It hears only nodes that are on them still; a newcomer finds
/// them in no list.
package enum DeletedChannels {
    /// - Parameters:
    ///   - name: the name of a deleted channel that this node has joined.
    ///   - newName: the name of the channel that it was renamed to, which this node does not follow; nil if it was
    ///     deleted.
    ///   - isOnNew: whether this node is on that channel too.
    /// - Returns: a sentence with the remedy.
    package static func warning(of name: String, renamedTo newName: String?, isOnNew: Bool) -> String {
        let part = "`partyline part \(ShellWord.quoted(name))`"
        guard let newName else {
            return "channel \(name) was deleted, and this node is still on it: \(part) leaves it, "
                + "`partyline channel create \(ShellWord.quoted(name))` makes it anew"
        }
        let join = isOnNew ? "" : "`partyline join \(ShellWord.quoted(newName))` goes there, "
        return "channel \(name) was renamed to \(newName) by a node that is not known here as its creator, "
            + "so this node stays on \(name): \(join)\(part) leaves the old channel"
    }
}
