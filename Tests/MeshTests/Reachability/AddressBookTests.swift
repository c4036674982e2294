import Mesh
import Primitives
import Testing

@Suite("Address book")
struct AddressBookTests {
    private func at(_ host: UInt8) -> Endpoint { FindingBench.at(host) }

    private func hosts(_ book: AddressBook) -> [Endpoint] { book.entries.map(\.endpoint) }

    @Test("an address that is named twice is one entry with the better source")
    func twice() {
        var book = AddressBook()
        for source: PeerHint.Source in [.beacon, .avahi, .gossip] { book.add(at(1), source: source) }
        #expect(hosts(book) == [at(1)])
        #expect(book.entries[0].source == .avahi)
    }

    @Test("a full book removes the oldest address without a record, a user or an answer behind it")
    func full() {
        var book = AddressBook()
        book.markGood(at(1), source: .avahi, now: .zero)
        book.add(at(2), source: .user)
        book.replaceGossiped(with: [at(3)])
        for host: UInt8 in 4...16 { book.add(at(host), source: .remembered) }
        #expect(hosts(book) == (1...16).map(at))
        book.add(at(17), source: .avahi)
        #expect(hosts(book) == ([1, 2, 3] + (5...17)).map(at))
        for host: UInt8 in 18...40 { book.add(at(host), source: .avahi) }
        #expect(hosts(book) == ([1, 2, 3] + (28...40)).map(at))
    }

    @Test("a book full of addresses that answered drops the one with a scope that answered least recently")
    func fullOfScopes() {
        func local(_ scope: UInt32) -> Endpoint {
            Endpoint(address: IPAddress(high: 0xFE80 << 48, low: 9), port: 7_400, scope: scope)
        }
        var book = AddressBook()
        book.markGood(at(1), source: .avahi, now: .zero)
        book.add(local(1), source: .user)
        for scope: UInt32 in 2...15 {
            book.markGood(local(scope), source: .beacon, now: .zero + .seconds(scope == 5 ? 1 : 2))
        }
        #expect(book.entries.count == MeshLimits.addressesPerPeerMax)
        book.add(at(2), source: .beacon)
        let kept = [1, 2, 3, 4] + Array(6...15 as ClosedRange<UInt32>)
        #expect(hosts(book) == [at(1)] + kept.map(local) + [at(2)])
        // The next one takes the place of the address that never answered.
        book.markGood(at(3), source: .avahi, now: .zero + .seconds(3))
        #expect(hosts(book) == [at(1)] + kept.map(local) + [at(3)])
    }

    @Test("a book full of addresses from the user takes no other address")
    func fullOfGiven() {
        var book = AddressBook()
        for host: UInt8 in 1...16 { book.add(at(host), source: .user) }
        book.markGood(at(17), source: .avahi, now: .zero)
        #expect(hosts(book) == (1...16).map(at))
    }

    @Test("an answer marks an address as good, and adds it if it was unknown")
    func good() {
        var book = AddressBook()
        book.add(at(1), source: .avahi)
        book.markWrong(at(1), now: .zero)
        book.markDialled(at(1), now: .zero + .seconds(5))
        #expect(book.entries[0].dialledAt == .zero + .seconds(5))
        #expect(book.entries[0].isWrong(now: .zero + .seconds(60) - Interval(nanoseconds: 1)))
        #expect(!book.entries[0].isWrong(now: .zero + .seconds(60)))
        let now = Instant.zero + .seconds(6)
        book.markGood(at(1), source: .avahi, now: now)
        #expect(book.entries[0].lastGoodAt == now)
        #expect(!book.entries[0].isWrong(now: now))
        book.markGood(at(2), source: .remembered, now: now)
        #expect(hosts(book) == [at(1), at(2)])
        #expect(book.entries[1].lastGoodAt == now && book.entries[1].source == .remembered)
    }

    @Test(
        "a new record withdraws addresses of the last record, but keeps those from the user and from other sources",
        arguments: [
            (.user, true, true), (.remembered, true, false), (.avahi, true, false), (.beacon, true, false),
            (.gossip, false, false),
        ] as [(PeerHint.Source, Bool, Bool)])
    func replaced(source: PeerHint.Source, staysUnnamed: Bool, staysWithdrawn: Bool) {
        var unnamed = AddressBook()
        unnamed.add(at(1), source: source)
        unnamed.replaceGossiped(with: [at(2)])
        #expect(hosts(unnamed) == (staysUnnamed ? [1, 2] : [2]).map(at))
        var withdrawn = AddressBook()
        withdrawn.add(at(1), source: source)
        withdrawn.replaceGossiped(with: [at(1), at(2)])
        #expect(hosts(withdrawn) == [at(1), at(2)])
        withdrawn.replaceGossiped(with: [at(2), at(3)])
        #expect(hosts(withdrawn) == (staysWithdrawn ? [1, 2, 3] : [2, 3]).map(at))
        #expect(withdrawn.newestFirst.map(\.endpoint) == (staysWithdrawn ? [2, 3, 1] : [2, 3]).map(at))
    }

    @Test("a new record makes addresses at which another node answered worth another try")
    func wrongNoMore() {
        var book = AddressBook()
        for host: UInt8 in 1...2 { book.add(at(host), source: .avahi) }
        for host: UInt8 in 1...2 { book.markWrong(at(host), now: .zero) }
        book.replaceGossiped(with: [at(2)])
        #expect(book.entries.allSatisfy { !$0.isWrong(now: .zero) })
    }
}
