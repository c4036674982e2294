// The carrier's parser under libFuzzer: a frame gives a message or an error, and a message that is
// sent on is read the same way. Build and run, this one and its neighbours:
//
//   PARTYLINE_FUZZ=1 swift build -c release --product FuzzFrame --sanitize=fuzzer --sanitize=address \
//       --scratch-path .build-fuzz
//   SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=detect_leaks=0 .build-fuzz/release/FuzzFrame -max_total_time=60

import Wire

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFrame(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    guard let message = try? CarrierMessage(parsing: bytes, isBeforeHello: false) else { return 0 }
    precondition((try? CarrierMessage(parsing: message.encoded(), isBeforeHello: false)) == message)
    return 0
}
