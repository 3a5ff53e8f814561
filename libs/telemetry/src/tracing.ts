import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Attributes,
  type Context,
  type Tracer,
} from '@opentelemetry/api';
import { semantic } from './attributes.js';
import type { SpanIds } from './job-ids.js';

type AttributeValue = string | number | boolean | readonly string[];
/** Attributes by name. Undefined values are left out. */
export type SpanAttributes = Readonly<Record<string, AttributeValue | undefined>>;
export type SpanKindName = 'internal' | 'server' | 'client' | 'producer' | 'consumer';

/** A span that has ended. */
export interface EndedSpan {
  readonly ids: SpanIds;
  /** Id of the parent in the same trace; absent for a root span. */
  readonly parentSpanId?: string | undefined;
  readonly name: string;
  readonly kind: SpanKindName;
  /** Milliseconds since 1970. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: SpanAttributes;
  readonly links?: readonly SpanIds[];
  /** Set if the span failed: a code, and a text for people, which is written only with contents. */
  readonly error?: { readonly type: string; readonly message?: string | undefined } | undefined;
}

/** The started SDK, and how spans are written. */
export interface Tracing {
  readonly tracer: Tracer;
  /** Sets the ids of the next span that starts. */
  readonly setNextIds: (ids: SpanIds) => void;
  /** Whether spans contain the texts of messages, and the arguments and results of calls. */
  readonly hasContent: boolean;
  /** Whether requests to model servers contain `traceparent`. */
  readonly sendsTraceparent: boolean;
  /** Removes secrets from a text. */
  readonly scrub: (text: string) => string;
  /** Sends what has been written. Resolves when it is sent, or cannot be. */
  readonly flush: () => Promise<void>;
}

let current: Tracing | undefined;

/** Returns the SDK that this process started; `undefined` while telemetry is off. */
export function getTracing(): Tracing | undefined {
  return current;
}

/** Switches telemetry on, or off with `undefined`. */
export function setTracing(tracing: Tracing | undefined): void {
  current = tracing;
}

const kinds: Readonly<Record<SpanKindName, SpanKind>> = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
};

/** Writes a span that has ended. Does nothing while telemetry is off. */
export function writeSpan(ended: EndedSpan): void {
  if (!current) return;
  const { tracer, setNextIds, hasContent, scrub } = current;
  const { ids, error, attributes } = ended;
  setNextIds(ids);
  const span = tracer.startSpan(
    ended.name,
    {
      kind: kinds[ended.kind],
      startTime: ended.startMs,
      attributes: toAttributes(error ? { ...attributes, [semantic.errorType]: error.type } : attributes),
      links: (ended.links ?? []).map((link) => ({ context: toSpanContext(link) })),
    },
    ended.parentSpanId === undefined ? ROOT_CONTEXT : toContext({ ...ids, spanId: ended.parentSpanId }),
  );
  if (error)
    span.setStatus({
      code: SpanStatusCode.ERROR,
      ...(hasContent && error.message !== undefined ? { message: scrub(error.message) } : {}),
    });
  span.end(ended.endMs);
}

function toContext(ids: SpanIds): Context {
  return trace.setSpanContext(ROOT_CONTEXT, toSpanContext(ids));
}

function toSpanContext({ traceId, spanId }: SpanIds) {
  return { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true };
}

function toAttributes(attributes: SpanAttributes): Attributes {
  const defined: Attributes = {};
  for (const name in attributes) {
    const value = attributes[name];
    if (value !== undefined) defined[name] = typeof value === 'object' ? [...value] : value;
  }
  return defined;
}
