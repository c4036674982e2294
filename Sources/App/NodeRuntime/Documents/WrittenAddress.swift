import Glibc
package import Primitives

/// Addresses of the mesh for people. A link-local one says nothing without its interface, so it is written with it (RFC
/// 4007 §11), as long as this machine has the interface.
extension Endpoint {
    /// `address:port`, for example `[fe80::1%eth0]:7400`.
    package var written: String { "\(GivenAddress(self, interface: interfaceName))" }

    /// The address without the port, for example `fe80::1%eth0`.
    package var writtenAddress: String { interfaceName.map { "\(address)%\(SafeText($0))" } ?? "\(address)" }

    /// The interface of a link-local address; nil for another one, and if the interface is gone.
    private var interfaceName: String? {
        guard scope != 0 else { return nil }
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(IF_NAMESIZE)) { name in
            if_indextoname(scope, name.baseAddress).map { String(cString: $0) }
        }
    }
}
