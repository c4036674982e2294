import NIOBridge
import NIOCore

/// One connected client, on the server's event loop. It reads lines, calls the handler, and writes the replies as
/// lines. It answers in the order of the lines: the handler gets a request when the one before it is answered. So a key
/// that is pressed and released by two lines is pressed first.
///
/// A client that sends no more (shutdown(2)) gets its replies before the connection is closed; a subscriber gets events
/// until it is gone.
///
///     connected ──subscribe──▶ subscribed
///         ├── sends no more, all answered ──▶ closed when the replies are taken
///         └──────── overflow · unread too long · closed ────────▶ closed
final class ControlConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// A line that has not been answered yet.
    private enum Turn {
        case ask(ControlCall)
        /// The line was no request; this is the reply.
        case refuse([UInt8])
    }

    /// Nil until the client has subscribed to events.
    private(set) var subscription: EventSubscription?
    private let clients: NIOLoopBoundBox<ControlClients>
    private let loop: any EventLoop
    private let loopHandler: LoopHandler
    private let gate: EventGate
    private let lastReadMax: TimeAmount
    private let handler: ControlServer.Handler
    private var framer = LineFramer(bytesMax: ControlLimits.requestLineBytesMax)
    private var waiting: [Turn] = []
    private var isAnswering = false
    private var sendsNoMore = false
    private var context: ChannelHandlerContext?

    init(
        clients: NIOLoopBoundBox<ControlClients>, loop: any EventLoop, loopHandler: LoopHandler, gate: EventGate,
        lastReadMax: TimeAmount, handler: @escaping ControlServer.Handler
    ) {
        self.clients = clients
        self.loop = loop
        self.loopHandler = loopHandler
        self.gate = gate
        self.lastReadMax = lastReadMax
        self.handler = handler
    }

    func channelActive(context: ChannelHandlerContext) {
        self.context = context
        guard clients.value.connections.count < ControlLimits.clientsMax else {
            refuse(ControlFailure(.busy, "\(ControlLimits.clientsMax) clients are connected already"))
            return
        }
        clients.value.connections.append(self)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.context = nil
        clients.value.connections.removeAll { $0 === self }
        if subscription != nil { gate.unsubscribed() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case ChannelEvent.inputClosed? = event as? ChannelEvent else { return }
        sendsNoMore = true
        closeIfDone()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // Orders of a client that was refused have no effect.
        guard self.context != nil else { return }
        do {
            for line in try framer.lines(adding: unwrapInboundIn(data).readableBytesView) { take(line) }
        } catch {
            refuse(ControlFailure(.invalidRequest, "a line has more than \(error.bytesMax) bytes"))
        }
    }

    /// Writes a line. If the client is too far behind with reading, it is dropped.
    func send(_ line: ByteBuffer) {
        guard let context else { return }
        guard context.channel.isWritable else {
            context.close(promise: nil)
            return
        }
        context.writeAndFlush(wrapOutboundOut(line), promise: nil)
    }

    func close() { context?.close(promise: nil) }

    private func send(_ line: [UInt8]) { send(ByteBuffer(bytes: line)) }

    private func refuse(_ failure: ControlFailure) {
        send(ControlCodec.line(failure: failure, id: .null))
        closeWhenTaken()
    }

    private func closeIfDone() {
        guard sendsNoMore, waiting.isEmpty, !isAnswering, subscription == nil else { return }
        closeWhenTaken()
    }

    /// Closes the connection when the client has taken all that was sent, or when its time for that is over.
    private func closeWhenTaken() {
        guard let context else { return }
        self.context = nil
        let channel = context.channel
        let deadline = loop.scheduleTask(in: lastReadMax) { channel.close(promise: nil) }
        // An empty write is done after all writes before it.
        context.writeAndFlush(wrapOutboundOut(ByteBuffer())).whenComplete { _ in
            deadline.cancel()
            channel.close(promise: nil)
        }
    }

    private func take(_ line: [UInt8]) {
        let turn: Turn
        var id: RPCIdentifier?
        do {
            let call = try ControlCall(line: line)
            (turn, id) = (.ask(call), call.id)
        } catch {
            (turn, id) = (.refuse(ControlCodec.line(failure: error.failure, id: error.id)), error.id)
        }
        guard waiting.count < ControlLimits.requestsWaitingMax else {
            // This reply does not wait for its turn, since it could not be kept until then.
            let failure = ControlFailure(.busy, "too many requests at once")
            if let id { send(ControlCodec.line(failure: failure, id: id)) }
            return
        }
        waiting.append(turn)
        answerNext()
    }

    private func answerNext() {
        while !isAnswering, !waiting.isEmpty {
            switch waiting.removeFirst() {
            case .refuse(let line): send(line)
            case .ask(let call): ask(call)
            }
        }
        closeIfDone()
    }

    private func ask(_ call: ControlCall) {
        guard clients.value.isServing else {
            let failure = ControlFailure(.notNow, "the node is ending")
            if let id = call.id { send(ControlCodec.line(failure: failure, id: id)) }
            return
        }
        isAnswering = true
        clients.value.requestBegan()
        let connection = NIOLoopBound(self, eventLoop: loop)
        Task { [handler, loopHandler] in
            let reply = await handler(call)
            let line = call.id.map { ControlCodec.line(reply: reply, id: $0) }
            loopHandler.execute { connection.value.answer(reply, line) }
        }
    }

    private func answer(_ reply: ControlReply, _ line: [UInt8]?) {
        isAnswering = false
        // Before the answer: a client that has it counts on every event from then on, and another thread may publish
        // one at once.
        if case .subscribed(_, let wish) = reply, context != nil {
            if subscription == nil { gate.subscribed() }
            subscription = wish
        }
        if let line { send(line) }
        answerNext()
        clients.value.requestEnded()?.succeed()
    }
}
