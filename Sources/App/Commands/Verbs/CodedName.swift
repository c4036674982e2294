import NodeRuntime

/// The written name of a channel with a code.
enum CodedName {
    private static let mark = JoinRequest.codeMark

    static func isMarked(_ name: String) -> Bool { name.lowercased().hasPrefix(mark) }

    static func unmarked(_ name: String) -> String { isMarked(name) ? String(name.dropFirst(mark.count)) : name }

    static func marked(_ name: String) -> String { isMarked(name) ? name : mark + name }
}
