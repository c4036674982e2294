// The carrier's parser under libFuzzer: a frame gives a message or an error, and a message that is
// sent on is read the same way. A RECORDS frame that is taken apart has the records of the whole one.
// Build and run, this one and its neighbours:
//
//   PARTYLINE_FUZZ=1 swift build -c release --product FuzzFrame --sanitize=fuzzer --sanitize=address \
//       --scratch-path .build-fuzz
//   SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=detect_leaks=0 .build-fuzz/release/FuzzFrame -max_total_time=60

import Wire

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFrame(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let message = try? CarrierMessage(parsing: bytes, isBeforeHello: false)
    checkPieces(of: bytes, message)
    guard let message else { return 0 }
    precondition((try? CarrierMessage(parsing: message.encoded(), isBeforeHello: false)) == message)
    return 0
}

/// - Parameter whole: the message of the frame; nil if it has none.
private func checkPieces(of frame: [UInt8], _ whole: CarrierMessage?) {
    let pieces = CarrierMessage.singly(frame)
    precondition(1 <= pieces.count && pieces.count <= 16, "\(pieces.count) pieces")
    guard 1 < pieces.count else { return precondition(pieces == [frame]) }
    var records: [SignedRecord]? = []
    for piece in pieces {
        guard case .records(let list)? = try? CarrierMessage(parsing: piece, isBeforeHello: false) else {
            records = nil
            break
        }
        precondition(list.count == 1, "\(list.count) records in a piece")
        records?.append(contentsOf: list)
    }
    // A frame above the greatest size has no message, though each of its pieces may have one.
    guard frame.count <= WireLimits.carrierFrameBytesMax else { return }
    precondition(records.map { CarrierMessage.records($0) } == whole)
}
