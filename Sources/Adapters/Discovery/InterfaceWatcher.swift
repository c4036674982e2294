import CLinux
package import NIOCore
import NIOPosix

/// Reports changes of network interfaces and their addresses, gathered over 250 ms (rtnetlink(7)). Belongs to `loop`.
package final class InterfaceWatcher {
    private let loop: any EventLoop
    private let read: () -> [NetworkInterface]?
    private let onChange: ([NetworkInterface]) -> Void
    private var last: [NetworkInterface] = []
    private var channel: (any Channel)?
    private var pending: Scheduled<Void>?
    private var isClosed = false

    /// Calls `onChange` at once with the present interfaces, and then after every change. Must be called on `loop`, on
    /// which `onChange` is called too.
    ///
    /// - Parameter read: returns the present interfaces; nil if they cannot be read now.
    package init(
        loop: any EventLoop, onChange: @escaping ([NetworkInterface]) -> Void,
        read: @escaping () -> [NetworkInterface]? = NetworkInterface.current
    ) {
        self.loop = loop
        self.read = read
        self.onChange = onChange
        listen()
        last = read() ?? []
        onChange(last)
    }

    /// Ends the reports.
    package func close() {
        isClosed = true
        pending?.cancel()
        channel?.close(promise: nil)
        channel = nil
    }

    /// Reads the interfaces after a short delay. Further calls within the delay have no effect.
    private func changed() { look(after: .milliseconds(DiscoveryLimits.interfaceDebounceMilliseconds)) }

    private func look(after delay: TimeAmount) {
        guard !isClosed, pending == nil else { return }
        pending = loop.assumeIsolated().scheduleTask(in: delay) { [weak self] in self?.look() }
    }

    private func look() {
        pending = nil
        // If the interfaces cannot be read, for example because memory is short, they are not gone.
        guard let current = read() else { return look(after: .seconds(DiscoveryLimits.netlinkRetrySeconds)) }
        guard current != last else { return }
        last = current
        onChange(current)
    }

    private func listen() {
        guard !isClosed else { return }
        let descriptor = linux_netlink_open()
        guard 0 <= descriptor else { return listenLater() }
        let watcher = NIOLoopBound(self, eventLoop: loop)
        NIOPipeBootstrap(group: loop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        ChangeHandler { watcher.value.changed() })
                }
            }
            .takingOwnershipOfDescriptor(input: descriptor)
            .whenComplete { result in watcher.value.began(result) }
    }

    private func began(_ result: Result<any Channel, any Error>) {
        guard case .success(let channel) = result else { return listenLater() }
        guard !isClosed else { return channel.close(promise: nil) }
        self.channel = channel
        // A change before the socket was open has sent no message to it.
        changed()
        // If this program reads too slowly, the kernel drops messages and reports ENOBUFS, which closes the channel.
        // Then the interfaces are read again, once now, and once when the new socket is open.
        channel.closeFuture.assumeIsolated().whenComplete { [weak self] _ in self?.listenLater() }
    }

    private func listenLater() {
        changed()
        guard !isClosed else { return }
        loop.assumeIsolated().scheduleTask(in: .seconds(DiscoveryLimits.netlinkRetrySeconds)) { [weak self] in
            self?.listen()
        }
    }
}

/// Calls `ring` for every message. The messages are not parsed, because the state is read from the kernel afterwards.
private final class ChangeHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let ring: () -> Void

    init(ring: @escaping () -> Void) { self.ring = ring }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { ring() }
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
