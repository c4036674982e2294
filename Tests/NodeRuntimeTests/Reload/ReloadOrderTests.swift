import NodeRuntime
import Testing

@Suite("The order of reloads")
struct ReloadOrderTests {
    @Test("a reload that ends after a later one is not applied")
    func order() {
        var order = ReloadOrder()
        let numbers = [order.begin(), order.begin()].compactMap { $0 }
        let isApplied = numbers.reversed().map { order.end($0) }
        #expect(numbers.count == 2 && isApplied == [true, false])
        let next = order.begin().map { order.end($0) }
        #expect(next == true)
    }

    @Test("while the disk does not answer, two reloads wait for it and no more")
    func bound() {
        var order = ReloadOrder()
        let numbers = (0..<3).map { _ in order.begin() }
        #expect(numbers.map { $0 == nil } == [false, false, true])
        if let first = numbers[0] { _ = order.end(first) }
        let next = order.begin()
        #expect(next != nil)
    }
}
