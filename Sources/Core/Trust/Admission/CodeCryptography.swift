/// The cryptography of codes: a slow hash, and a group of prime order.
///
/// It is apart from `Sealing` and has no state, since its work is slow: a shell may run it on another thread than the
/// node's. There are two conformers. `SodiumCode` (module TrustCrypto) uses libsodium. `TransparentCode` is for large
/// simulations.
package protocol CodeCryptography: Sendable {
    /// Returns Argon2id (RFC 9106) of a folded code: 3 passes, 64 MiB, one lane, 32 bytes. Nil without that much
    /// memory. It takes a tenth of a second.
    /// - Precondition: the salt has 16 bytes.
    func codeKey(of code: FoldedCode, salt: [UInt8]) -> [UInt8]?
    /// Returns the SHA-512 of a message: 64 bytes.
    func hash512(_ message: [UInt8]) -> [UInt8]
    /// Returns the encoding of the group element to which 64 uniform bytes lead, 32 bytes (RFC 9496 §4.3.4).
    func element(ofUniform bytes: [UInt8]) -> [UInt8]
    /// Returns the scalar to which 64 uniform bytes lead, 32 bytes.
    func scalar(ofUniform bytes: [UInt8]) -> [UInt8]
    /// Returns the encoding of the product. Nil if `element` is no encoding of an element, or the product is the
    /// neutral element.
    func product(of scalar: [UInt8], _ element: [UInt8]) -> [UInt8]?
}

/// Sizes of the values of `CodeCryptography`, in bytes.
package enum CodeSizes {
    package static let codeKeyBytes = 32
    package static let saltBytes = 16
    package static let elementBytes = 32
    package static let scalarBytes = 32
    package static let uniformBytes = 64
    package static let tagBytes = 64
}
