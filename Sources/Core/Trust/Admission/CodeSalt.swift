/// Salts of code keys.
package enum CodeSalt {
    /// The salt of the code of any mesh: a newcomer does not know the id of the mesh yet.
    package static func ofMesh(with sealing: any Sealing) -> [UInt8] {
        Array(sealing.hash(Array("partyline/1 code".utf8)).prefix(CodeSizes.saltBytes))
    }
}
