/// One way in which a program is made wrong.
package enum MutationOperator: String, CaseIterable, Comparable, Sendable {
    /// `<` and `<=` change places, `>` and `>=` too.
    case order
    /// `==` and `!=` change places.
    case equality
    /// An integer literal is one more, or one less.
    case offByOne = "off-by-one"
    /// `min` and `max` change places.
    case extremum
    /// `&&` and `||` change places.
    case logic
    /// A condition means its opposite.
    case negation
    /// A call, an assignment or a jump is not executed.
    case deletion
    /// Two arguments of one type change places.
    case swap
    /// Another case of the enum stands there.
    case otherCase = "other-case"
    /// A fault that a person wrote down (`handmade.txt`).
    case handmade

    package static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}
