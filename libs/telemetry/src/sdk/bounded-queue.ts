import type { ReadableSpan, SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace';

/** Called with the number of spans that are lost, and why. */
export type ReportDropped = (spans: number, reason: string) => void;

/**
 * Counts the spans that the SDK would drop silently: those that find the queue of the batch processor full, and those that cannot be
 * sent.
 */
export class BoundedQueue {
  private queued = 0;
  private inFlight = 0;
  private isAbandoned = false;

  constructor(
    private readonly maxSpans: number,
    private readonly reportDropped: ReportDropped,
  ) {}

  /** Reports all spans that have not been sent as dropped, and nothing after that. */
  abandon(): void {
    const left = this.queued + this.inFlight;
    if (left > 0 && !this.isAbandoned) this.reportDropped(left, 'the process ended');
    this.isAbandoned = true;
  }

  /** Wraps the batch processor. */
  wrapProcessor(processor: SpanProcessor): SpanProcessor {
    return {
      onStart: (span, parent) => processor.onStart(span, parent),
      onEnd: (span) => {
        if (this.queued >= this.maxSpans) return this.reportDropped(1, 'the queue is full');
        this.queued += 1;
        processor.onEnd(span);
      },
      forceFlush: () => processor.forceFlush(),
      shutdown: () => processor.shutdown(),
    };
  }

  /** Wraps the exporter of the batch processor. */
  wrapExporter(exporter: SpanExporter): SpanExporter {
    return {
      export: (spans: ReadableSpan[], onResult) => {
        this.queued -= spans.length;
        this.inFlight += spans.length;
        exporter.export(spans, (result) => {
          this.inFlight -= spans.length;
          // 0 is ExportResultCode.SUCCESS.
          if (result.code !== 0 && !this.isAbandoned)
            this.reportDropped(spans.length, result.error?.message ?? 'the export failed');
          onResult(result);
        });
      },
      forceFlush: async () => exporter.forceFlush?.(),
      shutdown: () => exporter.shutdown(),
    };
  }
}
