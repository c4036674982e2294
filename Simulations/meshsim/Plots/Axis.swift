import Foundation

/// One axis of a chart: values of the data to places on the paper.
struct Axis {
    private let from: Double
    private let to: Double
    private let place: (low: Double, high: Double)
    private let isLogarithmic: Bool

    /// - Parameter place: where `from` and `to` lie on the paper.
    init(_ from: Double, _ to: Double, at place: (Double, Double), isLogarithmic: Bool = false) {
        self.from = from
        self.to = from < to ? to : from + 1
        self.place = (low: place.0, high: place.1)
        self.isLogarithmic = isLogarithmic
    }

    func callAsFunction(_ value: Double) -> Double {
        let share =
            isLogarithmic
            ? log(min(max(value, from), to) / from) / log(to / from) : (value - from) / (to - from)
        return place.low + share * (place.high - place.low)
    }

    /// Values that are worth a mark, with their texts: about `count` of them on a linear axis, the
    /// powers of ten on a logarithmic one.
    func ticks(about count: Int) -> [(value: Double, text: String)] {
        if isLogarithmic {
            let exponents = Int(ceil(log10(from) - 1e-9))...Int(floor(log10(to) + 1e-9))
            return exponents.map { (pow(10, Double($0)), Self.seconds(pow(10, Double($0)))) }
        }
        let rough = (to - from) / Double(count)
        let magnitude = pow(10, floor(log10(rough)))
        let step = [1, 2, 5, 10].map { $0 * magnitude }.first { rough <= $0 + 1e-12 } ?? rough
        let first = Int(ceil(from / step - 1e-9))
        let last = Int(floor(to / step + 1e-9))
        return (first...max(first, last)).map { (Double($0) * step, Self.plain(Double($0) * step)) }
    }

    /// Lines between the powers of ten.
    var minorTicks: [Double] {
        guard isLogarithmic else { return [] }
        return ticks(about: 0).flatMap { tick in (2...9).map { Double($0) * tick.value } }.filter { $0 < to }
    }

    private static func plain(_ number: Double) -> String {
        number == number.rounded() ? String(Int(number)) : String((number * 1_000).rounded() / 1_000)
    }

    private static func seconds(_ number: Double) -> String {
        number < 0.000_999
            ? "\(plain(number * 1_000_000)) µs" : number < 0.999 ? "\(plain(number * 1_000)) ms" : "\(plain(number)) s"
    }
}
