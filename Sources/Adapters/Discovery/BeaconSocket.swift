import CLinux
import NIOBridge
package import NIOCore
import NIOPosix
package import Primitives

/// Sends and receives multicast beacons on every usable interface. Belongs to the node loop.
///
/// There is one socket for each interface and address family. It is bound to the multicast group, so it receives only
/// the group's datagrams on that interface, and it sends only there. Multicast loopback is on, so that nodes on one
/// host receive each other's beacons. A node therefore receives its own beacons too; the caller must recognize them.
package final class BeaconSocket {
    private struct Key: Hashable, Comparable {
        var index: UInt32
        var group: IPAddress

        static func < (a: Key, b: Key) -> Bool { (a.index, a.group) < (b.index, b.group) }
    }

    private enum Membership {
        case joining
        case joined(any Channel, CInt)
        case failed(errno: CInt)
    }

    private let loop: any EventLoop
    private let port: UInt16
    private let onBeacon: ([UInt8], Endpoint) -> Void
    private var interfaces: [NetworkInterface] = []
    private var memberships: [Key: Membership] = [:]
    private var retry: Scheduled<Void>?
    private var rejoining: Scheduled<Void>?
    private var isClosed = false
    /// Number of failed sends, each of one beacon on one interface.
    package private(set) var sendErrors: UInt64 = 0

    /// Must be called on `loop`, on which `onBeacon` is called too. No group is joined before `update`.
    package init(
        loop: any EventLoop, port: UInt16 = DiscoveryLimits.beaconPort,
        onBeacon: @escaping ([UInt8], Endpoint) -> Void
    ) {
        self.loop = loop
        self.port = port
        self.onBeacon = onBeacon
        retryLater()
        rejoinLater()
    }

    /// Joins the group on `interfaces`, and leaves it on all others. To be called at the start and after every change.
    package func update(_ interfaces: [NetworkInterface]) {
        guard !isClosed else { return }
        self.interfaces = interfaces.filter { $0.canMulticast || $0.medium == .loopback }
        let wanted = Set(wantedKeys())
        for (key, membership) in memberships where !wanted.contains(key) {
            if case .joined(let channel, _) = membership { channel.close(promise: nil) }
            memberships[key] = nil
        }
        joinMissing()
    }

    /// Sends a beacon on every interface on which the group was joined. Errors are counted.
    package func send(_ bytes: [UInt8]) {
        for (key, membership) in memberships {
            guard case .joined(let channel, let descriptor) = membership, channel.isActive else { continue }
            let group = Endpoint(address: key.group, port: port, scope: key.index)
            let result = bytes.withUnsafeBytes { raw in
                linux_send_to(descriptor, raw.baseAddress, raw.count, group.linuxEndpoint)
            }
            if result < 0 { sendErrors &+= 1 }
        }
    }

    /// Joins every group again, so that switches on the way keep sending it here; a socket that cannot is closed, and
    /// the next retry opens another. The socket itself calls it from time to time. The kernel tells the switches
    /// nothing while another socket of this machine is in the group, such as that of a second node.
    /// - Returns: the number of groups that it has joined again.
    @discardableResult
    package func rejoin() -> Int {
        var count = 0
        for (key, membership) in memberships {
            guard case .joined(let channel, let descriptor) = membership, channel.isActive else { continue }
            let group = Endpoint(address: key.group, port: port, scope: key.index)
            if linux_multicast_rejoin(descriptor, group.linuxEndpoint, key.index) < 0 {
                channel.close(promise: nil)
            } else {
                count += 1
            }
        }
        return count
    }

    /// One line for `status`, for example `on eth0, lo`, or the reason why there is no interface.
    package var status: String {
        let joined = interfaces.filter { interface in
            memberships.contains { key, membership in
                if case .joined = membership { key.index == interface.index } else { false }
            }
        }
        guard joined.isEmpty else { return "on " + joined.map(\.name).joined(separator: ", ") }
        let failures = memberships.sorted { $0.key < $1.key }.compactMap { _, membership in
            if case .failed(let errno) = membership { errno } else { nil }
        }
        guard let errno = failures.first else { return "no interface for multicast" }
        return "cannot join the multicast group: errno \(errno); "
            + "retrying every \(DiscoveryLimits.beaconRetrySeconds) s"
    }

    /// Closes all sockets.
    package func close() {
        isClosed = true
        retry?.cancel()
        rejoining?.cancel()
        for membership in memberships.values {
            if case .joined(let channel, _) = membership { channel.close(promise: nil) }
        }
        memberships = [:]
    }

    private func wantedKeys() -> [Key] {
        interfaces.flatMap { interface in
            let hasV4 = interface.addresses.contains { $0.address.v4 != nil }
            let hasV6 = interface.addresses.contains { $0.address.v4 == nil }
            return (hasV4 ? [Key(index: interface.index, group: DiscoveryLimits.beaconGroupV4)] : [])
                + (hasV6 ? [Key(index: interface.index, group: DiscoveryLimits.beaconGroupV6)] : [])
        }
    }

    private func joinMissing() {
        guard !isClosed else { return }
        for key in wantedKeys() {
            switch memberships[key] {
            case .joining, .joined: continue
            case .failed, nil: join(key)
            }
        }
    }

    private func retryLater() {
        let delay = TimeAmount.seconds(DiscoveryLimits.beaconRetrySeconds)
        retry = loop.assumeIsolated().scheduleTask(in: delay) { [weak self] in
            self?.joinMissing()
            self?.retryLater()
        }
    }

    private func rejoinLater() {
        let delay = TimeAmount.seconds(DiscoveryLimits.beaconRejoinSeconds)
        rejoining = loop.assumeIsolated().scheduleTask(in: delay) { [weak self] in
            self?.rejoin()
            self?.rejoinLater()
        }
    }

    private func join(_ key: Key) {
        let group = Endpoint(address: key.group, port: port, scope: key.index)
        let descriptor = linux_multicast_open(group.linuxEndpoint, key.index)
        guard 0 <= descriptor else {
            memberships[key] = .failed(errno: -descriptor)
            return
        }
        memberships[key] = .joining
        let socket = NIOLoopBound(self, eventLoop: loop)
        DatagramBootstrap(group: loop)
            .channelOption(
                ChannelOptions.recvAllocator,
                value: FixedSizeRecvByteBufferAllocator(capacity: DiscoveryLimits.beaconBytesMax)
            )
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        BeaconIntake { bytes, from in socket.value.onBeacon(bytes, from) })
                }
            }
            .withBoundSocket(descriptor)
            .whenComplete { result in socket.value.joined(key, descriptor, result) }
    }

    private func joined(_ key: Key, _ descriptor: CInt, _ result: Result<any Channel, any Error>) {
        switch result {
        case .failure(let error):
            memberships[key] = .failed(errno: (error as? IOError)?.errnoCode ?? 0)
        case .success(let channel):
            guard case .joining? = memberships[key] else { return channel.close(promise: nil) }
            memberships[key] = .joined(channel, descriptor)
            channel.closeFuture.assumeIsolated().whenComplete { [weak self] _ in self?.left(key, channel) }
        }
    }

    /// Handles a socket that was closed because its interface went away. The next retry joins again if it is back.
    private func left(_ key: Key, _ channel: any Channel) {
        guard case .joined(let current, _)? = memberships[key], current === channel else { return }
        memberships[key] = nil
    }
}

private final class BeaconIntake: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>

    private let onBeacon: ([UInt8], Endpoint) -> Void

    init(onBeacon: @escaping ([UInt8], Endpoint) -> Void) { self.onBeacon = onBeacon }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var envelope = unwrapInboundIn(data)
        // If the buffer is full, the datagram was perhaps truncated.
        guard envelope.data.readableBytes < DiscoveryLimits.beaconBytesMax,
            let from = Endpoint(envelope.remoteAddress)
        else { return }
        onBeacon(envelope.data.readBytes(length: envelope.data.readableBytes) ?? [], from)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
