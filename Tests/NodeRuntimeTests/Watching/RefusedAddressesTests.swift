import NodeRuntime
import Primitives
import Testing

@Suite("Addresses from which connections were refused")
struct RefusedAddressesTests {
    @Test("each is kept once, the latest at the end, and one more takes the place of the oldest")
    func bounded() {
        func address(_ number: Int) -> IPAddress { IPAddress(v4: 10, 88, 0, UInt8(number)) }
        var refused = RefusedAddresses()
        for number in [1, 2, 1] { refused.note(address(number)) }
        #expect(refused.addresses == [address(2), address(1)])
        for number in 3..<3 + RefusedAddresses.countMax - 1 { refused.note(address(number)) }
        #expect(refused.addresses.count == RefusedAddresses.countMax)
        #expect(refused.addresses.first == address(1) && !refused.addresses.contains(address(2)))
    }
}
