package import Mesh
import Primitives

extension AddressPrefix {
    /// Reads `10.20.0.0/16`, or `2001:db8:1::/48` (RFC 4632 §3.1, RFC 4291 §2.3); nil where it is none.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let address = IPAddress(String(parts[0])), let length = Int(parts[1]),
            (0...(address.v4 == nil ? 128 : 32)).contains(length)
        else { return nil }
        self.init(address: address, length: length)
    }
}
