import { expect } from 'vitest';
import { startTelemetry, type Telemetry, type TelemetryOptions } from '../start-telemetry.js';
import type { SpanReceiver } from './span-receiver.js';

/** Starts telemetry that sends to the receiver. A span that is dropped, and any problem, fails the spec unless `options` handle it. */
export function startTelemetryForSpecs(
  receiver: SpanReceiver,
  options: Partial<TelemetryOptions> = {},
): Promise<Telemetry> {
  return startTelemetry({
    endpoint: receiver.endpoint,
    resource: { 'service.name': 'spec' },
    maxQueuedSpans: 10_000,
    hasContent: false,
    sendsTraceparent: false,
    scrub: (text) => text.replaceAll('secret-value', '***'),
    onDropped: () => expect.unreachable('spans were dropped'),
    logProblem: ({ reason }) => expect.unreachable(reason),
    ...options,
  });
}
