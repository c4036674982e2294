import NIOCore
import Primitives

/// Carries events from the carrier's loop to the node loop, in order. All events of one turn are one task on the node
/// loop, where `EventInlet` delivers them. One task back then reports the weight of the frames that the node has
/// handled.
final class EventOutlet {
    private let loop: any EventLoop
    private let nodeLoop: any EventLoop
    private let inlet: EventInlet
    private var waiting: [CarrierEvent] = []
    private var weights: [(peer: NodeID, byteCount: Int)] = []

    /// Called on the carrier's loop with the weights of frames that the node has handled.
    var onTaken: (([(peer: NodeID, byteCount: Int)]) -> Void)?

    init(loop: any EventLoop, nodeLoop: any EventLoop, inlet: EventInlet) {
        self.loop = loop
        self.nodeLoop = nodeLoop
        self.inlet = inlet
    }

    func tell(_ event: CarrierEvent, weighing weight: (peer: NodeID, byteCount: Int)? = nil) {
        if waiting.isEmpty {
            loop.assumeIsolated().execute { [self] in hop() }
        }
        waiting.append(event)
        if let weight { weights.append(weight) }
    }

    private func hop() {
        let (events, weights) = (self.waiting, self.weights)
        (self.waiting, self.weights) = ([], [])
        let outlet = NIOLoopBound(self, eventLoop: loop)
        nodeLoop.execute { [loop, inlet] in
            inlet.take(events) {
                guard !weights.isEmpty else { return }
                loop.execute { outlet.value.onTaken?(weights) }
            }
        }
    }
}
