/// A node's name on this machine. It is part of a path, so it has at most 32 letters, digits, `.`, `_` and `-`, and
/// begins with neither `.` nor `-`.
package struct NodeName: Hashable, Comparable, Sendable, CustomStringConvertible {
    package static let bytesMax = 32

    package let text: String

    package init?(_ text: String) {
        let allowed = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard allowed, !text.isEmpty, text.utf8.count <= NodeName.bytesMax, !text.hasPrefix("."), !text.hasPrefix("-")
        else { return nil }
        self.text = text
    }

    private init(known text: String) { self.text = text }

    /// The name of a node for which the user gives none.
    package static let standard = NodeName(known: "default")

    package var description: String { text }
    package static func < (a: NodeName, b: NodeName) -> Bool { a.text < b.text }
}
