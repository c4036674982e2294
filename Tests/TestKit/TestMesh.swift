package import Primitives
import Trust

/// The open mesh of the nodes that tests make.
package enum TestMesh {
    package static let name = "test"
    package static let id = MeshID(ofOpenMesh: name, sealing: TransparentSealing(seed: 1))
}
