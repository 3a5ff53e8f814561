import {
  EventStore,
  type AppendOptions,
  type AppendResult,
  type EventStoreOptions,
  type StreamAppend,
} from '@phaseline/event-store';
import type { Pool } from 'pg';
import type { Metrics } from '../metrics/metrics.js';
import { traceAppend } from '../telemetry/trace-append.js';

/** An event store that measures, counts and traces its appends. */
export class MeteredEventStore extends EventStore {
  constructor(
    pool: Pool,
    private readonly metrics: Metrics,
    /** Called after every successful append. */
    private readonly onAppended: () => void = () => {},
    options: EventStoreOptions = {},
  ) {
    super(pool, options);
  }

  override append(appends: StreamAppend | readonly StreamAppend[], options?: AppendOptions): Promise<AppendResult[]> {
    const list = [appends].flat();
    return traceAppend(list, () => this.measureAppend(list, options));
  }

  private async measureAppend(appends: readonly StreamAppend[], options?: AppendOptions): Promise<AppendResult[]> {
    const startedAt = performance.now();
    let outcome = 'failed';
    try {
      const results = await super.append(appends, options);
      outcome = 'appended';
      this.onAppended();
      for (const { events } of appends.filter((_append, index) => !results[index]?.alreadyDone)) {
        this.metrics.appendedEvents.inc(events.length);
        this.metrics.logCounters.count(events);
      }
      return results;
    } catch (error) {
      if ((error as { code?: unknown }).code === 'wrong_expected_version') outcome = 'refused';
      throw error;
    } finally {
      this.metrics.appendSeconds.observe({ outcome }, (performance.now() - startedAt) / 1000);
    }
  }
}
