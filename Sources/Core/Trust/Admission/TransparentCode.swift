/// `CodeCryptography` without cryptography, for large simulations. It protects nothing.
///
/// Sizes and refusals are those of `SodiumCode`. The group are the powers modulo the prime 2^61 − 1: an element is its
/// number and a check of 24 bytes.
package struct TransparentCode: CodeCryptography {
    private static let prime: UInt64 = 1 << 61 - 1
    private static let neutral: UInt64 = 1

    package init() {}

    package func codeKey(of code: FoldedCode, salt: [UInt8]) -> [UInt8]? {
        precondition(salt.count == CodeSizes.saltBytes, "a salt of \(salt.count) bytes")
        let words = TransparentMix.digest(code.bytes, label: .code) + TransparentMix.digest(salt, label: .code)
        return TransparentMix.expanded(words, label: .code, byteCount: CodeSizes.codeKeyBytes)
    }

    package func hash512(_ message: [UInt8]) -> [UInt8] {
        TransparentMix.expanded(TransparentMix.digest(message, label: .hash), label: .code, byteCount: 64)
    }

    package func element(ofUniform bytes: [UInt8]) -> [UInt8] {
        TransparentCode.encoded(2 + TransparentCode.word(bytes) % (TransparentCode.prime - 3))
    }

    package func scalar(ofUniform bytes: [UInt8]) -> [UInt8] {
        TransparentMix.expanded([TransparentCode.word(bytes)], label: .code, byteCount: CodeSizes.scalarBytes)
    }

    package func product(of scalar: [UInt8], _ element: [UInt8]) -> [UInt8]? {
        precondition(scalar.count == CodeSizes.scalarBytes, "a scalar of \(scalar.count) bytes")
        guard element.count == CodeSizes.elementBytes else { return nil }
        let number = TransparentMix.word(element[..<8])
        guard TransparentCode.neutral < number, number < TransparentCode.prime - 1,
            element == TransparentCode.encoded(number)
        else { return nil }
        let power = TransparentCode.power(number, TransparentMix.word(scalar[..<8]))
        return power == TransparentCode.neutral ? nil : TransparentCode.encoded(power)
    }

    private static func power(_ base: UInt64, _ exponent: UInt64) -> UInt64 {
        var (result, square, rest) = (neutral, base, exponent)
        while rest != 0 {
            if rest & 1 == 1 { result = product(result, square) }
            square = product(square, square)
            rest >>= 1
        }
        return result
    }

    private static func product(_ a: UInt64, _ b: UInt64) -> UInt64 {
        prime.dividingFullWidth(a.multipliedFullWidth(by: b)).remainder
    }

    private static func encoded(_ number: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        TransparentMix.append(number, to: &bytes)
        return bytes
            + TransparentMix.expanded([number], label: .code, byteCount: CodeSizes.elementBytes - bytes.count)
    }

    private static func word(_ uniform: [UInt8]) -> UInt64 {
        precondition(uniform.count == CodeSizes.uniformBytes, "\(uniform.count) uniform bytes")
        return TransparentMix.digest(uniform, label: .code)[0]
    }
}
