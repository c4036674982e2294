import Discovery
import Mesh
import NodeRuntime
import Primitives
import Testing

@Suite("Which own addresses are advertised")
struct AdvertisedAddressesTests {
    private func interface(
        _ name: String, _ address: IPAddress, _ medium: NetworkInterface.Medium = .wired, isVirtual: Bool = false
    ) -> NetworkInterface {
        NetworkInterface(
            index: 2, name: name, medium: medium, isVirtual: isVirtual, canMulticast: true,
            addresses: [NetworkInterface.Address(address: address, prefixLength: 24)])
    }

    /// A network card without an address: off, without its cable, or a port of a bridge.
    private func card(_ name: String, isRunning: Bool) -> NetworkInterface {
        NetworkInterface(
            index: 2, name: name, medium: .wired, isVirtual: false, canMulticast: true, isRunning: isRunning,
            addresses: [])
    }

    private let wire = IPAddress(v4: 192, 0, 2, 7)
    private let bridge = IPAddress(v4: 172, 17, 0, 1)
    private let loopback = IPAddress(v4: 127, 0, 0, 1)

    @Test("a container bridge beside a real interface is used but not advertised")
    func bridgeBesideWire() {
        let own = [interface("eth0", wire), interface("docker0", bridge, isVirtual: true)].advertised(listen: nil)
        #expect(own.map(\.isAdvertised) == [true, false])
    }

    @Test("inside a container the only interface is advertised")
    func onlyVirtual() {
        let own = [interface("eth0", bridge, isVirtual: true)].advertised(listen: nil)
        #expect(own.map(\.isAdvertised) == [true])
    }

    @Test("a bridge that has the address of the host is advertised while a card of the host is running")
    func bridgeWithAddress() {
        let (port, off) = (card("eth0", isRunning: true), card("wlan0", isRunning: false))
        let own = [port, off, interface("br0", wire, isVirtual: true)].advertised(listen: nil)
        #expect(own.map(\.prefix.address) == [wire])
        #expect(own.map(\.isAdvertised) == [true])
    }

    @Test("while every network card is off or without its cable, nothing of bridges and tunnels is advertised")
    func cutOff() {
        let cards = [card("eth0", isRunning: false), card("wlan0", isRunning: false)]
        let left = [
            interface("docker0", bridge, isVirtual: true),
            interface("wg0", IPAddress(v4: 10, 8, 0, 2), .other, isVirtual: true),
        ]
        let own = (cards + left).advertised(listen: nil)
        #expect(own.map(\.isAdvertised) == [false, false])
        #expect((cards + left).advertised(listen: bridge).map(\.isAdvertised) == [true], "it is named")
        #expect(left.advertised(listen: nil).map(\.isAdvertised) == [true, true], "a container has no card")
    }

    @Test("a node that listens on one address advertises only that one, even of a virtual interface")
    func named() {
        let all = [interface("eth0", wire), interface("br0", bridge, isVirtual: true)]
        let own = all.advertised(listen: bridge)
        #expect(own.map(\.prefix.address) == [bridge])
        #expect(own.map(\.isAdvertised) == [true])
    }

    @Test("loopback is used but not advertised, not even where it is alone, unless this node listens only on it")
    func onLoopback() {
        let lo = interface("lo", loopback, .loopback)
        #expect([lo].advertised(listen: nil).map(\.isAdvertised) == [false])
        #expect([lo, interface("eth0", wire)].advertised(listen: nil).map(\.isAdvertised) == [false, true])
        let container = [lo, interface("eth0", bridge, isVirtual: true)]
        #expect(container.advertised(listen: nil).map(\.isAdvertised) == [false, true])
        #expect([lo, interface("eth0", wire)].advertised(listen: loopback).map(\.isAdvertised) == [true])
    }

    @Test("a machine lacks a network where no interface leads to others; a node on loopback wants none")
    func lack() {
        let lo = interface("lo", loopback, .loopback)
        let off = [lo, card("eth0", isRunning: false), interface("docker0", bridge, isVirtual: true)]
        for interfaces in [[], [lo], off] {
            #expect(interfaces.networkLack(listen: nil)?.hasPrefix("this machine has no network") == true)
            #expect(interfaces.networkLack(listen: loopback) == nil)
        }
        let ways = [
            interface("eth0", wire), interface("eth0", IPAddress(v4: 169, 254, 3, 4)),
            interface("eth0", bridge, isVirtual: true),
        ]
        for way in ways { #expect([lo, way].networkLack(listen: nil) == nil) }
    }

    @Test("an address to listen on that no network has is named, until one has it")
    func lackOfAddress() {
        let lo = interface("lo", loopback, .loopback)
        let elsewhere = [lo, interface("eth0", bridge)]
        let sentence = elsewhere.networkLack(listen: wire) ?? ""
        #expect(sentence.hasPrefix("no network of this machine has the address 192.0.2.7"))
        #expect((elsewhere + [interface("wg0", wire, .other, isVirtual: true)]).networkLack(listen: wire) == nil)
        #expect(elsewhere.networkLack(listen: IPAddress(v4: 127, 0, 0, 2)) == nil)
    }
}
