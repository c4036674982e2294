import CLinux
import Glibc
import NIOBridge
import Primitives
import Wire

/// Beacons of nodes that do not exist, each with a good signature, a key of its own and addresses that are near.
struct BeaconInventor {
    private static let group = Endpoint(address: IPAddress(v4: 239, 255, 74, 0), port: 7_399)

    let mesh: String
    /// Their invented addresses are on its network.
    let victim: Endpoint

    /// Invents and sends so many, evenly over the time.
    func send(perSecond: Int, seconds: Double) throws -> Int {
        let descriptor = socket(AF_INET, CInt(SOCK_DGRAM.rawValue), 0)
        defer { close(descriptor) }
        let begin = ContinuousClock.now
        let count = Int(Double(perSecond) * seconds)
        for number in 0..<count {
            let wait = begin + .seconds(Double(number) / Double(perSecond)) - .now
            if .zero < wait { usleep(UInt32(wait / .microseconds(1))) }
            let bytes = try beacon(number)
            _ = bytes.withUnsafeBytes {
                linux_send_to(descriptor, $0.baseAddress, $0.count, Self.group.linuxEndpoint)
            }
        }
        return count
    }

    private func beacon(_ number: Int) throws -> [UInt8] {
        let node = try ClaimedNode()
        let endpoints = ClaimedNode.deadEndpoints(near: victim, number: number)
        let record = node.signed(node.record(named: "invented\(number)", at: endpoints))
        return Beacon(mesh: mesh, record: record).encoded()
    }
}
