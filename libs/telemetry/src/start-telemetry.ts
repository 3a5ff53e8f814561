import { context, diag, DiagLogLevel, trace } from '@opentelemetry/api';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseOtlpHeaders } from './otlp-headers.js';
import { BoundedQueue } from './sdk/bounded-queue.js';
import { FixedIds } from './sdk/fixed-ids.js';
import { ProblemLog, type LogProblem } from './sdk/problem-log.js';
import { getTracing, setTracing, type SpanAttributes, type Tracing } from './tracing.js';

export interface TelemetryOptions {
  /** URL of the collector, such as http://collector:4318. Telemetry is off without it. */
  readonly endpoint: string | undefined;
  /** Headers of the requests to the collector, as in OTEL_EXPORTER_OTLP_HEADERS. */
  readonly headers?: string | undefined;
  /** Attributes of the process. Those of OTEL_RESOURCE_ATTRIBUTES are added. */
  readonly resource: SpanAttributes;
  /** Number of spans to keep until they are sent. More are dropped. */
  readonly maxQueuedSpans: number;
  /** Time from the first span of a batch until it is sent, in milliseconds. Default 5,000. */
  readonly scheduleDelayMs?: number;
  readonly hasContent: boolean;
  readonly sendsTraceparent: boolean;
  readonly scrub: (text: string) => string;
  /** Called whenever spans are dropped. */
  readonly onDropped: (spans: number) => void;
  /** Called at most once per minute. */
  readonly logProblem: LogProblem;
}

export interface Telemetry {
  /** Sends the spans that are left, within the time. Never throws. */
  close(remainingMs: number): Promise<void>;
}

/** Fraction of the remaining time of a shutdown that sending may take, and its maximum. */
const CLOSING_FRACTION = 0.8;
const MAX_CLOSING_MS = 3_000;
/** How long `flush` waits for a collector that does not respond. */
const MAX_FLUSH_MS = 5_000;
/** Longer attributes, such as a whole conversation, are cut. */
const MAX_ATTRIBUTE_CHARACTERS = 64_000;

/**
 * Starts sending spans over OTLP/HTTP, if there is an endpoint. Without one, none of the packages of the SDK is loaded. Failures of the
 * collector are counted and logged, and never reach the work that the spans describe.
 */
export async function startTelemetry(options: TelemetryOptions): Promise<Telemetry> {
  if (options.endpoint === undefined) return { close: async () => {} };
  const [
    sdk,
    { resourceFromAttributes, detectResources, envDetector },
    { AsyncLocalStorageContextManager },
    exporters,
  ] = await Promise.all([
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/context-async-hooks'),
    import('@opentelemetry/exporter-trace-otlp-proto'),
  ]);
  const problems = new ProblemLog(options.logProblem);
  const ids = new FixedIds();
  const queue = new BoundedQueue(options.maxQueuedSpans, (spans, reason) => {
    options.onDropped(spans);
    problems.report(spans, reason);
  });
  const exporter = new exporters.OTLPTraceExporter({
    url: `${options.endpoint.replace(/\/+$/, '')}/v1/traces`,
    headers: parseOtlpHeaders(options.headers ?? ''),
  });
  const processor = new sdk.BatchSpanProcessor({
    exporter: queue.wrapExporter(exporter),
    maxQueueSize: options.maxQueuedSpans,
    maxExportBatchSize: Math.min(512, options.maxQueuedSpans),
    ...(options.scheduleDelayMs === undefined ? {} : { scheduledDelayMillis: options.scheduleDelayMs }),
  });
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({ ...options.resource }).merge(detectResources({ detectors: [envDetector] })),
    idGenerator: ids,
    spanLimits: { attributeValueLengthLimit: MAX_ATTRIBUTE_CHARACTERS },
    spanProcessors: [queue.wrapProcessor(processor)],
  });
  setDiagnostics(problems);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(provider);
  const tracing: Tracing = {
    tracer: provider.getTracer('phaseline'),
    setNextIds: (next) => ids.setNext(next),
    hasContent: options.hasContent,
    sendsTraceparent: options.sendsTraceparent,
    scrub: options.scrub,
    flush: () => completeWithin(MAX_FLUSH_MS, processor.forceFlush()),
  };
  setTracing(tracing);
  return { close: (remainingMs) => close(tracing, () => processor.shutdown(), queue, remainingMs) };
}

async function close(
  tracing: Tracing,
  shutDown: () => Promise<void>,
  queue: BoundedQueue,
  remainingMs: number,
): Promise<void> {
  if (getTracing() === tracing) {
    setTracing(undefined);
    trace.disable();
    context.disable();
    diag.disable();
  }
  await completeWithin(Math.min(remainingMs * CLOSING_FRACTION, MAX_CLOSING_MS), shutDown());
  queue.abandon();
}

/** Waits for work whose failure does not matter here, at most `timeoutMs`. */
async function completeWithin(timeoutMs: number, work: Promise<void>): Promise<void> {
  await Promise.race([work.catch(() => undefined), sleep(timeoutMs, undefined, { ref: false })]);
}

/** Reports what the SDK notices by itself, such as spans that the collector refused. */
function setDiagnostics(problems: ProblemLog): void {
  const ignore = (): void => {};
  const report = (message: string): void => problems.report(0, message.slice(0, 500));
  diag.setLogger(
    { error: report, warn: report, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}
