import { hash } from 'node:crypto';
import type { JobId } from '@phaseline/contracts';

/** Where a span belongs: to a job, or to a phase of it. */
export interface Place {
  readonly jobId: JobId;
  readonly phase?: number | undefined;
}

/** A span as other spans name it: 32 and 16 hex digits. */
export interface SpanIds {
  readonly traceId: string;
  readonly spanId: string;
}

/** Returns the trace id of a job: its UUID without dashes. Every process can build it, before and after a crash. */
export function toTraceId(jobId: JobId): string {
  return jobId.replaceAll('-', '');
}

/** Returns the id of the root span of a job. */
export function toRootSpanId(jobId: JobId): string {
  return toTraceId(jobId).slice(0, 16);
}

/** Derives the id of the span of a phase, so that other processes can name it as a parent before it is written. */
export function toPhaseSpanId(jobId: JobId, phase: number): string {
  return hash('sha256', `phase-${jobId}-${phase}`).slice(0, 16);
}

/** Derives the id of the span of a run of a job that was retried; `run` counts from 2. */
export function toRunSpanId(jobId: JobId, run: number): string {
  return hash('sha256', `job-${jobId}/run-${run}`).slice(0, 16);
}

/** Formats ids as a W3C `traceparent` of a sampled span. */
export function formatTraceparent({ traceId, spanId }: SpanIds): string {
  return `00-${traceId}-${spanId}-01`;
}

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/;

/** Parses a W3C `traceparent`; `undefined` if it is invalid or its ids are zero. */
export function parseTraceparent(text: string | undefined): SpanIds | undefined {
  const [, traceId = '', spanId = ''] = TRACEPARENT.exec(text ?? '') ?? [];
  return /[1-9a-f]/.test(traceId) && /[1-9a-f]/.test(spanId) ? { traceId, spanId } : undefined;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function isJobId(value: unknown): value is JobId {
  return typeof value === 'string' && UUID.test(value);
}
