/// These values hold keys, secret scalars, or the bytes that they come from. None of that is printed.
extension CodeExchange: CustomStringConvertible, CustomReflectable {
    package var description: String { "code exchange (hidden)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension CodeShare: CustomStringConvertible, CustomReflectable {
    package var description: String { "code share (hidden)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension CodeTask: CustomStringConvertible, CustomReflectable {
    package var description: String { "code task (hidden)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension CodeResult: CustomStringConvertible, CustomReflectable {
    package var description: String { "code result (hidden)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
