import { RELEASE } from '@phaseline/event-store';
import { startTelemetry, type Telemetry } from '@phaseline/telemetry';
import type { Logger } from 'pino';
import type { CommonConfig } from '../config/service-config.js';
import type { ServiceIdentity } from '../health/health-routes.js';
import { createSecretScrubber, findSecrets } from '../log/secrets.js';
import type { Metrics } from '../metrics/metrics.js';

/** Starts sending spans, if an endpoint is configured. */
export function openTelemetry(
  config: CommonConfig,
  { service, processId }: ServiceIdentity,
  metrics: Metrics,
  logger: Logger,
): Promise<Telemetry> {
  return startTelemetry({
    endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT,
    headers: config.OTEL_EXPORTER_OTLP_HEADERS,
    resource: {
      'service.namespace': 'phaseline',
      'service.name': service,
      'service.version': RELEASE,
      'service.instance.id': processId,
    },
    maxQueuedSpans: config.OTEL_BSP_MAX_QUEUE_SIZE,
    scheduleDelayMs: config.OTEL_BSP_SCHEDULE_DELAY,
    hasContent: config.PHASELINE_TELEMETRY_CONTENT,
    sendsTraceparent: config.PHASELINE_TELEMETRY_MODEL_TRACEPARENT,
    scrub: createSecretScrubber(findSecrets(process.env)),
    onDropped: (spans) => metrics.spansDropped.inc(spans),
    logProblem: (problem) => logger.warn(problem, 'telemetry could not be sent; jobs are not affected'),
  });
}
