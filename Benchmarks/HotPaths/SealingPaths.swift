import Benchmark
import CMediaCipher
import Primitives

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

/// OpenSSL's AES-GCM alone: one kept key, the same nonce each time.
final class PlainCipher {
    private let cipher: OpaquePointer
    private let nonce = [UInt8](repeating: 3, count: MEDIA_CIPHER_NONCE_BYTES)
    private var sealed = [UInt8](repeating: 7, count: MediaTraffic.bodyBytes + MEDIA_CIPHER_TAG_BYTES)
    private var plaintext = [UInt8](repeating: 0, count: MediaTraffic.bodyBytes)

    init() {
        guard let cipher = media_cipher_new([UInt8](repeating: 1, count: MEDIA_CIPHER_KEY_BYTES)) else {
            illegal("a key", in: "OpenSSL")
        }
        self.cipher = cipher
    }

    deinit { media_cipher_free(cipher) }

    func seal() -> CInt { media_cipher_seal(cipher, nonce, nonce, 7, &sealed, CInt(MediaTraffic.bodyBytes)) }

    func open() -> CInt {
        media_cipher_open(cipher, nonce, nonce, 7, sealed, CInt(MediaTraffic.bodyBytes), &plaintext)
    }
}

final class PlainSealing: HotPath {
    let turns = 1_000
    private let cipher = PlainCipher()

    func turn() { blackHole(cipher.seal()) }
}

final class PlainOpening: HotPath {
    let turns = 1_000
    private let cipher = PlainCipher()

    init() {
        let isOpened = cipher.seal() == 1 && cipher.open() == 1
        precondition(isOpened, "the cipher opens what it sealed")
    }

    func turn() { blackHole(cipher.open()) }
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
