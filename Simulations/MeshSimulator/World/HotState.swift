package import Primitives

/// State that nearly every event of a world touches, stored where no other module can access it directly.
///
/// The optimizer then sees every access and proves that no two overlap. For a property that other modules can access,
/// overlap is checked at run time, which cost a tenth of the time of a run. `World` exposes this state under the same
/// names.
final class HotState {
    var now = Instant.zero
    var hash: TraceHash
    var counts = WorldCounts()
    var network: SimNetwork
    var safety: SafetyCheckers
    var transcript: Transcript?
    var record: RunRecord?

    init(hash: TraceHash, network: SimNetwork, safety: SafetyCheckers) {
        self.hash = hash
        self.network = network
        self.safety = safety
    }
}

extension World {
    package internal(set) var now: Instant {
        get { hot.now }
        set { hot.now = newValue }
    }

    package internal(set) var hash: TraceHash {
        get { hot.hash }
        _modify { yield &hot.hash }
    }

    package internal(set) var counts: WorldCounts {
        get { hot.counts }
        _modify { yield &hot.counts }
    }

    package internal(set) var network: SimNetwork {
        get { hot.network }
        _modify { yield &hot.network }
    }

    package internal(set) var safety: SafetyCheckers {
        get { hot.safety }
        _modify { yield &hot.safety }
    }

    /// The run as people would see it; nil if no caller reads it.
    package var transcript: Transcript? {
        get { hot.transcript }
        _modify { yield &hot.transcript }
    }

    /// The record of the run, for its explanation; nil in all other runs. It looks at every node after every event.
    package var record: RunRecord? {
        get { hot.record }
        set {
            hot.record = newValue
            newValue?.begin(self)
        }
    }
}
