import Primitives
import Wire

/// The fields of a control block (the heartbeat) that are the same on all paths. `PathSet` adds the others.
struct ControlFacts {
    var digest: UInt32
    var held: HeldGenerations
    var sampleTime: SampleTime
    var report: ReceptionReport?
    var flags: ControlFlags
}
