// Lines of the control socket under libFuzzer, as the node and as its client read them. A request that the node takes
// is the same after it was written by the client.

import ControlPlane
import NodeRuntime

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzControl(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var framer = LineFramer(bytesMax: ControlLimits.requestLineBytesMax)
    let bytes = UnsafeBufferPointer(start: start, count: count)
    for line in (try? framer.lines(adding: bytes)) ?? [] {
        _ = ControlCodec.incoming(line)
        do {
            let call = try ControlCall(line: line)
            for type in NodeMethods.all where type.method.name == call.method { judge(call, type) }
        } catch {
            _ = ControlCodec.line(failure: error.failure, id: error.id)
        }
    }
    return 0
}

private func judge<Request: ControlRequest>(_ call: ControlCall, _ type: Request.Type) {
    guard let request = try? call.request(type) else { return }
    let written = Array(ControlCall.line(request, id: 1).dropLast())
    guard let again = try? ControlCall(line: written) else { preconditionFailure("an own line is refused") }
    precondition((try? again.request(type)) == request, "\(request) is not read again")
}
