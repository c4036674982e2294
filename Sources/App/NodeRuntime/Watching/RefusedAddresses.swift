package import Primitives

/// The addresses beyond the networks of this node from which connections were refused. A person needs them to judge
/// whether it was one of the crew, and for `--reach`.
package struct RefusedAddresses {
    /// One more takes the place of the one that was refused longest ago.
    package static let countMax = 8

    /// The latest is at the end.
    package private(set) var addresses: [IPAddress] = []

    package init() {}

    /// Notes a refusal.
    package mutating func note(_ address: IPAddress) {
        addresses.removeAll { $0 == address }
        if addresses.count == RefusedAddresses.countMax { addresses.removeFirst() }
        addresses.append(address)
    }
}
