import Primitives
import Wire

/// The fields of a control block that are the same on all paths; the path set knows the others.
struct ControlFacts {
    var digest: UInt32
    var held: HeldGenerations
    var sampleTime: SampleTime
    var report: ReceptionReport?
    var flags: ControlFlags
}
