package import Primitives

/// What nearly every event of a world touches, kept where no other module sees how it is stored.
///
/// The optimizer then sees every access and proves that none overlaps another; of a property that other modules may
/// touch this is checked at run time, which cost a tenth of a run. `World` shows them by the same names.
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

    /// What people would see, where somebody reads it.
    package var transcript: Transcript? {
        get { hot.transcript }
        _modify { yield &hot.transcript }
    }

    /// What the run did, where somebody asks or draws; costs a look at every node after every event.
    package var record: RunRecord? {
        get { hot.record }
        set {
            hot.record = newValue
            newValue?.begin(self)
        }
    }
}
