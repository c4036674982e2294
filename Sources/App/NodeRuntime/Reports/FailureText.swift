import Mesh
import Wire

/// What `last_failure` of a peer says where `doctor` knows a remedy.
package enum FailureText {
    /// The peer takes connections from its own networks only.
    package static let offLink = LinkFailure.refused(.offLink).description
}
