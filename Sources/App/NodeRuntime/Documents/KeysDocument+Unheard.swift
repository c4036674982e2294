extension KeysDocument.Key {
    /// Why nobody gets the voice of the key, as a sentence; nil if somebody does.
    ///
    /// - Parameter hasLinks: whether any peer is linked.
    package func unheard(hasLinks: Bool) -> String? {
        guard reaches.isEmpty else { return nil }
        return "nobody hears key '\(name)': " + (hasLinks ? causes.joined(separator: ", ") : "no peer is linked")
    }

    private var causes: [String] {
        var causes = channels.map { "channel \($0.name) has no listener" }
        causes += peers.filter { !$0.linked }.map { "\($0.name) is not linked" }
        causes += (refusedBy ?? []).map { "\($0) does not grant it" }
        if reply, refusedBy?.contains(where: { $0 == replyTo }) != true {
            causes.append(replyTo.map { "\($0) is not linked" } ?? "nobody has called this node")
        }
        // Such as one that feeds programme.
        if all, refusedBy == nil { causes.append("no linked peer can hear this node") }
        return causes.isEmpty ? ["it speaks on no channel"] : causes
    }
}
