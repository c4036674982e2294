import ControlPlane
import Glibc

/// Binds a port as a node does, and gives it back at once.
package enum PortTrial {
    /// The state of a port for both TCP and UDP.
    package static func state(of port: UInt16) -> DoctorFacts.PortState {
        let stream = state(of: port, SOCK_STREAM)
        return stream == .free ? state(of: port, SOCK_DGRAM) : stream
    }

    private static func state(of port: UInt16, _ type: __socket_type) -> DoctorFacts.PortState {
        let descriptor = socket(AF_INET, Int32(type.rawValue), 0)
        guard 0 <= descriptor else { return .refused(systemErrorText(errno)) }
        defer { close(descriptor) }
        if type == SOCK_STREAM {
            // For a minute after the end of a node, closed connections keep its port from others but not from a node.
            var one: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard bound != 0 else { return .free }
        let errorNumber = errno
        return errorNumber == EADDRINUSE ? .taken : .refused(systemErrorText(errorNumber))
    }
}
