/// What has a key, a secret scalar or the bytes that they come from is printed without them.
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
