import type { IdGenerator } from '@opentelemetry/sdk-trace';
import type { SpanIds } from '../job-ids.js';

/** Gives the next span ids that follow from its job, instead of random ones. Starting a span is synchronous, so no other span comes between. */
export class FixedIds implements IdGenerator {
  private next: SpanIds = { traceId: '', spanId: '' };

  setNext(ids: SpanIds): void {
    this.next = ids;
  }

  generateTraceId(): string {
    return this.next.traceId;
  }

  generateSpanId(): string {
    return this.next.spanId;
  }
}
