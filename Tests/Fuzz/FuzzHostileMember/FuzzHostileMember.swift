// One hostile member against two honest nodes that are linked, under libFuzzer. The input is a program of its deeds:
// frames, datagrams, records, entries and epochs that it forges, carriers that it opens, and the time between them.
//
// Judged are: nobody traps; the link of the honest nodes never goes down; what the honest nodes send is bounded by the
// time and by what the hostile member has sent; their tables keep their bounds; and the hostile member is on a channel
// with a code, and compares codes, only as it may.

import Primitives

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHostileMember(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    // The fuzzer would otherwise prefer long programs, which take long and are hard to read.
    var script = HostileScript(UnsafeBufferPointer(start: start, count: min(count, scriptBytesMax)))
    let choice = script.byte()
    let mesh = HostileMesh(isClosed: choice & 1 == 1, hostileHasCode: choice & 2 == 2)
    let member = HostileMember(in: mesh)
    mesh.judge("after the links are up")
    while !script.isOver, mesh.elapsed < timeMax { member.act(by: &script) }
    mesh.judge("after the last deed")
    mesh.drive(for: .seconds(3))
    mesh.judge("at the end")
    return 0
}

private let scriptBytesMax = 1_024

/// Virtual time in which deeds are done.
private let timeMax = Interval.seconds(40)
