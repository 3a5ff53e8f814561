import type { QueueMetrics } from '@phaseline/queue';
import { collectDefaultMetrics, Gauge, Registry, type Counter, type Histogram } from 'prom-client';
import { createCounter, createHistogram } from './create-metric.js';
import { LogCounters } from './log-counters.js';

/**
 * Prometheus metrics of one process. Label values are names from the code, never ids: each label value is a series that lives as long
 * as the process. Parts of an app add their own metrics to `registry`.
 */
export class Metrics {
  readonly registry = new Registry();
  readonly httpSeconds = this.histogram('phaseline_http_request_seconds', 'Duration of HTTP requests.', [
    'method',
    'route',
    'status',
  ]);
  readonly appendSeconds = this.histogram(
    'phaseline_append_seconds',
    'Duration of appends, from the call until it is committed or refused.',
    ['outcome'],
  );
  readonly appendedEvents = this.counter(
    'phaseline_events_appended_total',
    'Events appended to the log by this process.',
    [],
  );
  /** Counts what the appends of this process recorded. */
  readonly logCounters = new LogCounters(this.registry);
  /** Values of `tool` are names from the code; the names of all other tools are replaced by "(other)". */
  readonly toolCalls = this.counter(
    'phaseline_tool_calls_total',
    'Tool calls that ended, by tool and outcome: completed, failed or denied. Tools that are not in the code are "(other)".',
    ['tool', 'outcome'],
  );
  readonly eventLoopBlocks = this.counter(
    'phaseline_event_loop_blocked_total',
    'Number of times that the event loop was blocked for longer than the limit.',
    [],
  );
  readonly leftToNewer = this.counter(
    'phaseline_left_to_newer_release_total',
    'Number of times that work was left to a newer release because its job has events unknown to this one.',
    [],
  );
  readonly spansDropped = this.counter(
    'phaseline_telemetry_spans_dropped_total',
    'Spans that were not sent to the collector, because the queue was full or the collector did not accept them.',
    [],
  );
  private readonly sent = this.counter('phaseline_queue_messages_sent_total', 'Messages sent.', ['queue']);
  private readonly settled = this.counter('phaseline_queue_deliveries_total', 'Deliveries that ended, by outcome.', [
    'queue',
    'outcome',
  ]);
  private readonly stalled = this.counter(
    'phaseline_queue_messages_recovered_total',
    'Messages recovered from workers that died.',
    ['queue'],
  );
  private readonly wait = this.histogram(
    'phaseline_queue_wait_seconds',
    'Time from when a message was due until its first delivery.',
    ['queue'],
  );
  private readonly run = this.histogram('phaseline_queue_run_seconds', 'Duration of handler runs.', [
    'queue',
    'outcome',
  ]);

  /** Metrics hooks for `createQueues`. */
  readonly queueMetrics: QueueMetrics = {
    recordSent: (queue, count) => this.sent.inc({ queue }, count),
    recordStalled: (queue) => this.stalled.inc({ queue }),
    recordDelivery: ({ queue, outcome, waitMs, runMs }) => {
      this.settled.inc({ queue, outcome });
      this.run.observe({ queue, outcome }, runMs / 1000);
      if (waitMs !== undefined) this.wait.observe({ queue }, waitMs / 1000);
    },
  };

  constructor(service: string) {
    this.registry.setDefaultLabels({ service });
    collectDefaultMetrics({ register: this.registry });
    // Gauges with names of counters. nodejs_active_resources, _handles and _requests report the same numbers by type.
    for (const kind of ['resources', 'handles', 'requests'])
      this.registry.removeSingleMetric(`nodejs_active_${kind}_total`);
  }

  /** Adds a gauge that is read at each scrape. If reading fails, it reports no value, because an old one would look current. */
  addGauge(
    name: string,
    help: string,
    labelNames: readonly string[],
    read: () => Promise<readonly GaugeValue[]>,
  ): void {
    new Gauge({
      name,
      help,
      labelNames: [...labelNames],
      registers: [this.registry],
      async collect() {
        const values = await read().catch((): GaugeValue[] => []);
        this.reset();
        for (const { labels, value } of values) this.set(labels, value);
      },
    });
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  /** Renders all metrics in Prometheus text format. */
  render(): Promise<string> {
    return this.registry.metrics();
  }

  private counter<Label extends string>(name: string, help: string, labelNames: Label[]): Counter<Label> {
    return createCounter(this.registry, name, help, labelNames);
  }

  private histogram<Label extends string>(name: string, help: string, labelNames: Label[]): Histogram<Label> {
    return createHistogram(this.registry, name, help, labelNames);
  }
}

export interface GaugeValue {
  readonly labels: Record<string, string>;
  readonly value: number;
}
