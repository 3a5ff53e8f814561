import type { Registry } from 'prom-client';
import type { LogEvent } from './log-event.js';
import { ModelCounters } from './model-counters.js';
import { WorkCounters } from './work-counters.js';

/**
 * Counts what this process recorded in the log. Each event is counted once in the whole system, by the process that committed it, so the
 * sum over all processes is what the log gained since they started.
 */
export class LogCounters {
  private readonly parts: readonly (ModelCounters | WorkCounters)[];

  constructor(registry: Registry) {
    this.parts = [new ModelCounters(registry), new WorkCounters(registry)];
  }

  /** Counts the events of one commit in one stream. Types that no counter concerns are ignored. */
  count(events: readonly { readonly type: string; readonly data: object }[]): void {
    // The store has checked every event that a counter reads against its schema.
    for (const part of this.parts) part.count(events as readonly LogEvent[]);
  }
}
