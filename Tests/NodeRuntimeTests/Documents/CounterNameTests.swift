import NodeRuntime
import Testing

@Suite("names of counters")
struct CounterNameTests {
    @Test(
        "a capital after a small letter or a digit begins a word",
        arguments: [
            ("keyIDsExhausted", "key_ids_exhausted"), ("receiveErrors", "receive_errors"), ("dropped", "dropped"),
            ("ipv6Sent", "ipv6_sent"), ("sentV4", "sent_v4"), ("UDP", "udp"), ("", ""), ("a", "a"), ("A", "a"),
            ("already_snake", "already_snake"), ("xY", "x_y"),
        ])
    func names(name: String, key: String) { #expect(StatusDocument.Mesh.key(ofCounter: name) == key) }
}
