package import Primitives

/// Opens the endpoint of an audio thread, each time the thread needs it.
///
/// A device is opened by the name that a person gives. A driven endpoint is passed in, and can be opened while the
/// program drives it.
package struct EndpointSource<Endpoint>: Sendable {
    /// The name that `status` shows, for example `alsa:default`.
    package let name: String
    /// Runs on the audio thread, and may take long. Throws if the endpoint cannot be opened now.
    package let open: @Sendable (EndpointRequest) throws(DeviceOpenError) -> Endpoint

    package init(
        name: String, open: @escaping @Sendable (EndpointRequest) throws(DeviceOpenError) -> Endpoint
    ) {
        self.name = name
        self.open = open
    }
}

/// The period and buffer that an audio thread asks an endpoint for. The endpoint may choose others (`EndpointTraits`).
package struct EndpointRequest: Hashable, Sendable {
    package var period: Interval
    package var buffer: Interval

    package init(period: Interval, buffer: Interval) {
        self.period = period
        self.buffer = buffer
    }

    /// The period in samples, at least one and at most `AudioLimits.periodSamplesMax`.
    package var periodSamples: Int { AudioLimits.periodSamples(period.nearestSamples) }
    /// The buffer in samples, with the same bounds.
    package var bufferSamples: Int { AudioLimits.periodSamples(buffer.nearestSamples) }
}
