import { randomUUID } from 'node:crypto';
import { context, createContextKey } from '@opentelemetry/api';
import {
  formatTraceparent,
  parseTraceparent,
  toPhaseSpanId,
  toRootSpanId,
  toTraceId,
  type Place,
  type SpanIds,
} from './job-ids.js';
import { getTracing, writeSpan, type SpanAttributes, type SpanKindName } from './tracing.js';

/** Describes a span of work that is about to begin. */
export interface WorkSpec {
  readonly name: string;
  readonly kind?: SpanKindName;
  /** The job or phase of the work. Absent: those of the work around it, or of the first job that the work touches. */
  readonly place?: Place | undefined;
  readonly attributes?: SpanAttributes;
  /** W3C `traceparent` of another span that led to this work. */
  readonly cause?: string | undefined;
  /**
   * Whether spans of the work within become children of this one. They are then written together with it, so that a process that is killed
   * leaves no child without its parent. Not for long work: what it contains would be lost.
   */
  readonly hasChildren?: boolean;
  /** Whether contents must never be written, even if they are asked for: those of an encrypted job could not be erased. */
  readonly isConfidential?: boolean;
}

/** The span of running work. While telemetry is off, its methods do nothing. */
export interface WorkSpan {
  /** Whether telemetry is on. Spares the computation of attributes. */
  readonly isRecording: boolean;
  set(attributes: SpanAttributes): void;
  /** Sets a text of a conversation or a call, if contents are to be written. `getText` is called only then. */
  setContent(name: string, getText: () => string): void;
  /** Marks the work as failed. `type` is a code. The message counts as content, because it may quote one. */
  fail(type: string, message?: string): void;
  /** W3C `traceparent` that names this span; undefined if it has none. */
  readonly traceparent: string | undefined;
  /** Ends the span. Later calls do nothing. */
  end(): void;
  /** Runs a function whose spans and log lines belong to this span. */
  run<T>(work: () => T): T;
}

const OFF: WorkSpan = {
  isRecording: false,
  set: () => {},
  setContent: () => {},
  fail: () => {},
  traceparent: undefined,
  end: () => {},
  run: (work) => work(),
};

const ACTIVE = createContextKey('phaseline: active work');

/** The work that runs in the current context. */
interface ActiveWork {
  readonly span: OpenSpan;
  /** The innermost span around that has children. */
  readonly scope: OpenSpan | undefined;
}

function getActive(): ActiveWork | undefined {
  return context.active().getValue(ACTIVE) as ActiveWork | undefined;
}

/** Ids of the active span, for log lines; `undefined` if no span is active or its job is not known yet. */
export function getActiveIds(): SpanIds | undefined {
  return getTracing() && getActive()?.span.ids;
}

/** Returns 16 random hex digits. Of the functions of Node, this one asks the system least often. */
function createSpanId(): string {
  const uuid = randomUUID();
  return uuid.slice(19, 23) + uuid.slice(24);
}

class OpenSpan implements WorkSpan {
  readonly isRecording = true;
  readonly spanId = createSpanId();
  private readonly startMs = Date.now();
  private readonly startedAt = performance.now();
  private readonly children: (() => void)[] = [];
  private place: Place | undefined;
  private readonly attributes: Record<string, SpanAttributes[string]>;
  private error: { readonly type: string; readonly message?: string | undefined } | undefined;
  private hasEnded = false;

  constructor(
    private readonly spec: WorkSpec,
    private readonly around: ActiveWork | undefined,
  ) {
    this.attributes = { ...spec.attributes };
    this.place = spec.place ?? around?.span.place;
  }

  get ids(): SpanIds | undefined {
    return this.place && { traceId: toTraceId(this.place.jobId), spanId: this.spanId };
  }

  get traceparent(): string | undefined {
    return this.ids && formatTraceparent(this.ids);
  }

  set(attributes: SpanAttributes): void {
    Object.assign(this.attributes, attributes);
  }

  setContent(name: string, getText: () => string): void {
    const tracing = getTracing();
    if (tracing?.hasContent && this.spec.isConfidential !== true) this.set({ [name]: tracing.scrub(getText()) });
  }

  fail(type: string, message?: string): void {
    this.error = { type, message: this.spec.isConfidential === true ? undefined : message };
  }

  run<T>(work: () => T): T {
    const scope = this.spec.hasChildren === true ? this : this.around?.scope;
    return context.with(context.active().setValue(ACTIVE, { span: this, scope } satisfies ActiveWork), work);
  }

  end(): void {
    if (this.hasEnded) return;
    const scope = this.around?.scope;
    const endMs = this.startMs + performance.now() - this.startedAt;
    // Decided first: the scope may belong to another job.
    const isChild = this.place !== undefined && scope?.adopt(this.place) === true;
    this.hasEnded = true;
    if (isChild && scope) scope.children.push(() => this.write(endMs, scope.spanId));
    else this.write(endMs, undefined);
  }

  /** Takes the spans of a job as children. Work whose job was not known belongs to the first job that it touches. */
  private adopt(place: Place): boolean {
    if (this.hasEnded) return false;
    this.place ??= { jobId: place.jobId };
    return this.place.jobId === place.jobId;
  }

  private write(endMs: number, parentSpanId: string | undefined): void {
    const { name, kind = 'internal', cause } = this.spec;
    const caller = parseTraceparent(cause);
    const span = { name, kind, startMs: this.startMs, endMs, attributes: this.attributes, error: this.error };
    const { place, ids } = this;
    if (place && ids) {
      const links = caller ? [caller] : [];
      writeSpan({ ...span, ids, parentSpanId: parentSpanId ?? toParentSpanId(place), links });
    } else if (caller) {
      // No job is concerned, so the span belongs to the trace of its caller.
      writeSpan({ ...span, ids: { traceId: caller.traceId, spanId: this.spanId }, parentSpanId: caller.spanId });
    }
    for (const writeChild of this.children) writeChild();
  }
}

/** Parent of a span that no running work contains: the span of its phase, or that of its job. Both are written when they end. */
function toParentSpanId({ jobId, phase }: Place): string {
  return phase === undefined ? toRootSpanId(jobId) : toPhaseSpanId(jobId, phase);
}

/** Begins a span. The caller ends it. */
export function startWork(spec: WorkSpec): WorkSpan {
  return getTracing() ? new OpenSpan(spec, getActive()) : OFF;
}

/** Runs work in a span, which fails if the work throws. */
export async function traceWork<T>(spec: WorkSpec, work: (span: WorkSpan) => Promise<T>): Promise<T> {
  if (!getTracing()) return work(OFF);
  const span = new OpenSpan(spec, getActive());
  try {
    return await span.run(() => work(span));
  } catch (error) {
    span.fail(describeType(error), error instanceof Error ? error.message : undefined);
    throw error;
  } finally {
    span.end();
  }
}

/** Code of an error, or the name of its class. */
export function describeType(error: unknown): string {
  if (typeof error !== 'object' || error === null) return typeof error;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error instanceof Error ? error.name : 'error';
}
