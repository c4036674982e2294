import Benchmark
import Crypto
import Foundation

/// What is there before any cryptography.
final class Copying: HotPath {
    let turns = 10_000
    private let source: UnsafeMutableRawBufferPointer
    private let target: UnsafeMutableRawBufferPointer

    init(byteCount: Int) {
        source = .allocate(byteCount: byteCount, alignment: 16)
        target = .allocate(byteCount: byteCount, alignment: 16)
        source.initializeMemory(as: UInt8.self, repeating: 7)
    }

    deinit {
        source.deallocate()
        target.deallocate()
    }

    func turn() {
        target.copyMemory(from: UnsafeRawBufferPointer(source))
        blackHole(target)
    }
}

/// swift-crypto as anybody would call it, one key and one nonce.
final class PlainSealing: HotPath {
    let turns = 1_000
    private let key = SymmetricKey(size: .bits128)
    private let nonce = AES.GCM.Nonce()
    private let body = [UInt8](repeating: 7, count: MediaTraffic.bodyBytes)

    init() throws { _ = try AES.GCM.seal(body, using: key, nonce: nonce) }

    func turn() { blackHole(try? AES.GCM.seal(body, using: key, nonce: nonce)) }
}

final class PlainOpening: HotPath {
    let turns = 1_000
    private let key = SymmetricKey(size: .bits128)
    private let box: AES.GCM.SealedBox

    init() throws {
        box = try AES.GCM.seal([UInt8](repeating: 7, count: MediaTraffic.bodyBytes), using: key)
        _ = try AES.GCM.open(box, using: key)
    }

    func turn() { blackHole(try? AES.GCM.open(box, using: key)) }
}

/// A body into a datagram: header, nonce, AES-GCM.
final class SealingPath: HotPath {
    let turns = 1_000
    private var traffic = MediaTraffic.encrypted()
    private let body = [UInt8](repeating: 7, count: MediaTraffic.bodyBytes)

    func turn() { blackHole(traffic.seal(body)) }
}

/// A datagram into its body: header, key, replay window, AES-GCM.
final class OpeningPath: HotPath {
    let turns = 1_000
    private var traffic = MediaTraffic.encrypted()
    private let body = [UInt8](repeating: 7, count: MediaTraffic.bodyBytes)
    private var datagrams: [[UInt8]] = []
    private var next = 0

    func refill() {
        datagrams = (0..<turns).map { _ in traffic.seal(body) }
        next = 0
    }

    func turn() {
        blackHole(traffic.open(datagrams[next]))
        next += 1
    }
}
