// The copy of the tree in which mutants live has no counter. What is planted there may call the heap by itself.
#if canImport(CAllocationCount)
import CAllocationCount
import Handover
import Mesh
import MeshTestKit
import Node
import Primitives
import Testing
import Trust
import TrustCrypto
import Voice
import Wire

/// Counts the calls of malloc and free on the way of voice datagrams through a node, with the cryptography of a node
/// and without its sockets. OpenSSL makes none: the cipher's calls are the arrays that it fills.
@Suite(
    "what a voice datagram asks of the heap",
    .enabled(if: allocation_count_is_active() == 1, "a sanitizer replaces malloc"))
struct DatagramHeapTests {
    private static let frameCount = 100

    @Test("a frame asks for nothing but one sealed datagram for each listener")
    func sending() throws {
        var bench = try Bench()
        let (datagrams, calls) = bench.send(Self.frameCount)
        #expect(datagrams.count == 2 * Self.frameCount)
        // The datagram is made; the test keeps it.
        let allowed = Int64(datagrams.count)
        #expect(calls <= allowed, "\(calls) heap calls for \(Self.frameCount) frames, \(datagrams.count) datagrams")
    }

    @Test("a received datagram asks for nothing but its opened body until it is in the ring to playback")
    func receiving() throws {
        var bench = try Bench()
        let here = bench.cluster.endpoint(of: 1)
        let datagrams = bench.send(Self.frameCount).datagrams.filter { $0.to == here }.map(\.bytes)
        let (heard, calls) = bench.receive(datagrams)
        #expect(datagrams.count == Self.frameCount && heard == Self.frameCount)
        // The body is made, becomes the payload, and is given back.
        let allowed = Int64(2 * datagrams.count)
        #expect(calls <= allowed, "\(calls) heap calls for \(datagrams.count) datagrams")
    }

    /// Three linked nodes on one channel. Node 0 has talked to the others for a while, so the memory that each keeps
    /// has its size.
    private struct Bench {
        private static let channel = ChannelID(high: 1, low: 1)
        private static let sound = [UInt8](repeating: 9, count: 60)

        let cluster = MeshCluster()
        private var spoken: UInt32 = 0

        init() throws {
            for seed in 1...3 as ClosedRange<UInt64> {
                cluster.start(seed: seed, channels: [Self.channel], sealing: try Self.sealing(seed: seed))
            }
            for node in 1...2 {
                cluster.discover(node, by: 0)
                cluster.discover(0, by: node)
            }
            let cluster = cluster
            try #require(cluster.drive(atMost: .seconds(5)) { cluster.isUp(0, 1) && cluster.isUp(0, 2) })
            cluster.drive(for: .seconds(1))
            for _ in 0..<100 {
                cluster.send(nextFrame(), Self.sound, from: 0)
                cluster.drive(for: .milliseconds(5))
            }
            // Control blocks that are due soon leave with these frames, and none with later ones of the same instant.
            _ = send(2)
        }

        private static func sealing(seed: UInt64) throws -> any Sealing {
            var random = SeededRandom(seed: seed)
            func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) } }
            return try CryptoSealing(privateKey: bytes(32), randomBytes: bytes)
        }

        private mutating func nextFrame() -> VoiceFrame {
            defer { spoken += 1 }
            return VoiceFrame(
                sampleTime: SampleTime(samples: spoken * UInt32(FrameDuration.ms5.samples)), duration: .ms5, spurt: 1,
                flags: [], byteCount: Self.sound.count)
        }

        /// Sends frames of node 0, all at the present instant. Returns the datagrams, which are not delivered.
        mutating func send(_ count: Int) -> (datagrams: [(to: Endpoint, bytes: [UInt8])], heapCalls: Int64) {
            var frames: [VoiceFrame] = []
            for _ in 0..<count { frames.append(nextFrame()) }
            var datagrams: [(to: Endpoint, bytes: [UInt8])] = []
            datagrams.reserveCapacity(4 * count)
            let (talker, now) = (cluster.members[0], cluster.now)
            let before = allocation_count_of_this_thread()
            for frame in frames {
                Self.sound.withUnsafeBytes { talker.node.queue(frame, bytes: $0, now: now) }
                while let output = talker.node.runUntilOutput() {
                    if case .send(let bytes, let endpoint) = output { datagrams.append((endpoint, bytes)) }
                }
            }
            let heapCalls = allocation_count_of_this_thread() - before
            withExtendedLifetime(frames) {}
            return (datagrams, heapCalls)
        }

        /// Lets node 1 receive datagrams of node 0, all at the present instant, and puts the voice into a ring as the
        /// node loop does. Returns the number of payloads in the ring.
        func receive(_ datagrams: [[UInt8]]) -> (heard: Int, heapCalls: Int64) {
            let ring = FrameRing(capacity: datagrams.count, slotBytesMax: WireLimits.voicePayloadBytesMax)
            let producer = ring.takeProducer()
            let (listener, source, now) = (cluster.members[1], cluster.endpoint(of: 0), cluster.now)
            let before = allocation_count_of_this_thread()
            for datagram in datagrams {
                listener.node.handle(.datagram(datagram, from: source), now: now)
                while let output = listener.node.runUntilOutput() {
                    guard case .voice(let payload, let slot) = output,
                        listener.node.heardLines(of: payload, from: slot) != nil
                    else { continue }
                    let header = RingHeader(kind: 0, peerIndex: UInt16(slot.index), instant: now)
                    _ = payload.withUnsafeBytes { producer.push(header, $0) }
                }
            }
            let heapCalls = allocation_count_of_this_thread() - before
            withExtendedLifetime(datagrams) {}
            return (producer.writtenCount, heapCalls)
        }
    }
}
#endif
