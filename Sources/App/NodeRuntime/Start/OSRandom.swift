/// The operating system's generator (getrandom(2)): the source of every key, nonce and seed.
enum OSRandom {
    static func bytes(count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    static func number() -> UInt64 {
        var generator = SystemRandomNumberGenerator()
        return generator.next()
    }
}
