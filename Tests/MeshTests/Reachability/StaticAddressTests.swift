import Mesh
import Primitives
import TestKit
import Testing

@Suite("Addresses from the user without a NodeID")
struct StaticAddressTests {
    private let given = FindingBench.at(9)
    private let guest = FindingBench.led[0]

    private func refused(_ dial: FindingBench.Dial) -> MeshInput { .dialFailed(dial.id, .refused) }

    private func gaps(_ dials: [FindingBench.Dial]) -> [Interval] {
        zip(dials.dropFirst(), dials).map { $0.at - $1.at }
    }

    @Test("are dialled at once, and then after waits that double from half a second to five seconds")
    func waits() {
        let bench = FindingBench { $0.staticPeers = [given] }
        bench.answer = refused
        let start = bench.now
        bench.drive(for: .seconds(30))
        #expect(bench.dials[0].at == start)
        for (gap, full) in zip(gaps(bench.dials), [500, 1_000, 2_000, 4_000, 5_000, 5_000] as [Int64]) {
            #expect(.milliseconds(full / 2) <= gap && gap <= .milliseconds(full + 1))
        }
        #expect(7 <= bench.dials.count)
        #expect(bench.counter(.dialsStarted) == UInt64(bench.dials.count))
        #expect(bench.counter(.dialsFailed) == UInt64(bench.dials.count))
    }

    @Test("are dialled in their order, and not again while a dial is under way")
    func order() {
        let addresses = [3, 1, 2].map { FindingBench.at($0) }
        let bench = FindingBench { $0.staticPeers = addresses }
        bench.drive(for: .milliseconds(2_900))
        #expect(bench.dials.map(\.to) == addresses)
    }

    @Test("are limited to 64, each kept once")
    func count() {
        let bench = FindingBench { $0.staticPeers = [given, given, given] + (10...80).map { FindingBench.at($0) } }
        bench.answer = refused
        bench.drive(for: .zero)
        #expect(bench.dials.map(\.to) == ([9] + (10...16)).map { FindingBench.at($0) })
        bench.drive(for: .seconds(60))
        #expect(Set(bench.dials.map(\.to)) == Set(([9] + (10...72)).map { FindingBench.at($0) }))
    }

    @Test("belong to the peer that answers, which is dialled by NodeID; the address itself rests for five seconds")
    func answered() throws {
        let bench = FindingBench { $0.staticPeers = [given] }
        bench.answer = refused
        bench.drive(for: .seconds(3)) { bench.dials.count == 3 }
        let third = bench.dials[2]
        bench.answer = { $0.expecting == nil ? self.refused($0) : nil }
        bench.open(1, by: guest, dial: third.id, from: given)
        let openedAt = bench.now
        #expect(bench.peerSnapshot(guest).link?.addresses.entries.map(\.source) == [.user])
        bench.close(1)
        bench.drive(for: .seconds(7))
        let named = try #require(bench.dials(expecting: guest).first)
        #expect(named.to == given && named.at - openedAt <= .milliseconds(500))
        let unnamed = bench.dials(expecting: nil).filter { openedAt < $0.at }.map { $0.at - openedAt }
        #expect(unnamed.first == .seconds(5))
        // The waits start again.
        #expect(unnamed.count >= 2 && unnamed[1] - unnamed[0] <= .milliseconds(501))
    }

    @Test("open the network of a peer that answered: its /24 or /64, and no more")
    func reach() throws {
        let (v4, v6) = try (Endpoint(address: IPAddress(v4: 10, 9, 9, 9), port: 7400), at("fd00:1:2:3::9"))
        let bench = FindingBench { $0.staticPeers = [v4, v6] }
        let near = try [at("10.9.9.200"), at("fd00:1:2:3:8000::1")]
        let far = try [at("10.9.8.9"), at("fd00:1:2:2::9")]
        func isRefused(_ remote: Endpoint, _ number: UInt64) -> Bool {
            let before = bench.counter(.carriersOffLink)
            bench.open(number, by: FindingBench.led[Int(number) % 20], from: remote)
            return bench.counter(.carriersOffLink) == before + 1
        }
        bench.drive(for: .zero)
        #expect(isRefused(near[0], 20) && isRefused(near[1], 21))
        for (number, dial) in bench.dials.enumerated() {
            let seed = FindingBench.leading[number]
            bench.open(UInt64(100 + number), by: seed, dial: dial.id, from: dial.to)
            bench.greet(UInt64(100 + number), by: seed)
        }
        #expect(!isRefused(near[0], 22) && !isRefused(near[1], 23))
        #expect(isRefused(far[0], 24) && isRefused(far[1], 25))
        #expect(bench.counter(.carriersOffLink) == 4)
    }

    @Test("open at most sixteen networks, each counted once, and this host not at all")
    func networks() throws {
        func address(_ network: Int, _ host: UInt8) -> Endpoint {
            Endpoint(address: IPAddress(v4: 10, 9, UInt8(network), host), port: 7400)
        }
        let all = try [at("127.0.0.5")] + (10...26).map { address(1, $0) } + (2...17).map { address($0, 9) }
        let bench = FindingBench { $0.staticPeers = all }
        var number: UInt64 = 0
        bench.drive(for: .zero)
        while let dial = bench.dials.dropFirst(Int(number)).first {
            bench.open(number, by: FindingBench.led[Int(number)], dial: dial.id, from: dial.to)
            bench.greet(number, by: FindingBench.led[Int(number)])
            number += 1
            bench.drive(for: .zero)
        }
        #expect(number == 34)
        bench.open(100, by: FindingBench.led[40], from: address(16, 200))
        #expect(bench.counter(.carriersOffLink) == 0)
        bench.open(101, by: FindingBench.led[41], from: address(17, 200))
        #expect(bench.counter(.carriersOffLink) == 1)
    }

    @Test("of a named peer admit it from there; addresses from other sources do not")
    func namedReach() throws {
        let far = try at("10.9.9.9")
        for (source, remote, isTaken) in [
            (.user, far, true), (.user, try at("10.9.9.8"), false), (.avahi, far, false),
        ] as [(PeerHint.Source, Endpoint, Bool)] {
            let bench = FindingBench()
            bench.hint(guest, [far], source: source)
            bench.open(1, by: guest, from: remote)
            #expect(bench.counter(.carriersOffLink) == (isTaken ? 0 : 1), "\(source)")
        }
    }

    @Test("open no network if a peer answered at an address that the user gave for it by NodeID")
    func ownAddresses() throws {
        let far = try at("10.9.9.9")
        let bench = FindingBench { $0.staticPeers = [given] }
        bench.hint(guest, [far], source: .user)
        let dial = try #require(bench.dials(expecting: guest).first)
        bench.open(1, by: guest, dial: dial.id, from: far)
        bench.greet(1, by: guest)
        bench.open(2, by: FindingBench.led[1], from: try at("10.9.9.200"))
        #expect(bench.counter(.carriersOffLink) == 1)
    }

    private func at(_ text: String) throws -> Endpoint {
        Endpoint(address: try #require(IPAddress(text)), port: 7400)
    }
}
