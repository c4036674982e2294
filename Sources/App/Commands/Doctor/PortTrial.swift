import CLinux
import ControlPlane
import Glibc
package import Primitives

/// Binds a port as a node does, and gives it back at once.
package enum PortTrial {
    /// The state of a port at an address of this machine, for both TCP and UDP.
    package static func state(of endpoint: Endpoint) -> DoctorFacts.PortState {
        let stream = state(of: endpoint, SOCK_STREAM)
        return stream == .free ? state(of: endpoint, SOCK_DGRAM) : stream
    }

    private static func state(of endpoint: Endpoint, _ type: __socket_type) -> DoctorFacts.PortState {
        let isV4 = endpoint.address.v4 != nil
        let descriptor = socket(isV4 ? AF_INET : AF_INET6, Int32(type.rawValue), 0)
        guard 0 <= descriptor else { return .refused(systemErrorText(errno)) }
        defer { close(descriptor) }
        if type == SOCK_STREAM {
            // For a minute after the end of a node, closed connections keep its port from others but not from a node.
            var one: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        }
        let (high, low) = (endpoint.address.high, endpoint.address.low)
        let raw = linux_endpoint(high: high, low: low, scope: endpoint.scope, port: endpoint.port)
        let errorNumber =
            isV4 ? errorOfBind(descriptor, linux_sockaddr_in(raw)) : errorOfBind(descriptor, linux_sockaddr_in6(raw))
        switch errorNumber {
        case 0: return .free
        case EADDRINUSE: return .taken
        default: return .refused(systemErrorText(errorNumber))
        }
    }

    /// The value of `errno` after a bind; 0 if the address is bound.
    private static func errorOfBind<Address>(_ descriptor: Int32, _ address: Address) -> Int32 {
        withUnsafeBytes(of: address) { bytes in
            let pointer = bytes.assumingMemoryBound(to: sockaddr.self).baseAddress
            return bind(descriptor, pointer, socklen_t(bytes.count)) == 0 ? 0 : errno
        }
    }
}
