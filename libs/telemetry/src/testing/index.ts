export type { ReceivedSpan } from './read-spans.js';
export { SpanReceiver } from './span-receiver.js';
export { startTelemetryForSpecs } from './start-telemetry-for-specs.js';
