/// How a node introduced itself last, as far as a person chose it while the node ran.
package struct RememberedProfile: Hashable, Sendable {
    /// Nil if nobody chose one.
    package var name: String?
    /// Nil if nobody chose one.
    package var role: String?
    /// 24 bits, 0 for no colour; nil if nobody chose one.
    package var colour: UInt32?

    package init(name: String? = nil, role: String? = nil, colour: UInt32? = nil) {
        (self.name, self.role, self.colour) = (name, role, colour)
    }
}
