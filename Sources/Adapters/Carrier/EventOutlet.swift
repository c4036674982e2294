import NIOCore
import Primitives

/// Carries events from the carrier's loop to the node's, in order: one hop for all that happened
/// in a turn of the loop, and one back with how much the node has taken in. At the other end `EventInlet`
/// hands them on.
final class EventOutlet {
    private let loop: any EventLoop
    private let nodeLoop: any EventLoop
    private let inlet: EventInlet
    private var waiting: [CarrierEvent] = []
    private var weights: [(peer: NodeID, byteCount: Int)] = []

    /// Called on the carrier's loop when the node has handled frames of so much weight.
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
