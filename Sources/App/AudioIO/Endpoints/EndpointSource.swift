package import Primitives

/// Where an audio thread gets its endpoint from, as often as it needs one.
///
/// What a person names is opened by its name. What a program drives is handed in, and is there while it is driven.
package struct EndpointSource<Endpoint>: Sendable {
    /// As `status` shows it: `alsa:default`.
    package let name: String
    /// Takes as long as it takes, on the audio thread; throws where no endpoint is to be had now.
    package let open: @Sendable (EndpointRequest) throws(DeviceOpenError) -> Endpoint

    package init(
        name: String, open: @escaping @Sendable (EndpointRequest) throws(DeviceOpenError) -> Endpoint
    ) {
        self.name = name
        self.open = open
    }
}

/// What an audio thread asks of an endpoint; it may agree to something else (`EndpointTraits`).
package struct EndpointRequest: Hashable, Sendable {
    package var period: Interval
    package var buffer: Interval

    package init(period: Interval, buffer: Interval) {
        self.period = period
        self.buffer = buffer
    }

    /// At least one sample, at most what a block may hold.
    package var periodSamples: Int { Self.samples(in: period) }
    package var bufferSamples: Int { Self.samples(in: buffer) }

    private static func samples(in interval: Interval) -> Int {
        min(max(1, interval.nearestSamples), AudioLimits.periodSamplesMax)
    }
}
