import { Counter, Histogram, type Registry } from 'prom-client';

/** Histogram buckets in seconds, from a cached read to a model call of several minutes. */
const BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** Adds a counter to a registry. */
export function createCounter<Label extends string = never>(
  registry: Registry,
  name: string,
  help: string,
  labelNames: Label[] = [],
): Counter<Label> {
  return new Counter({ name, help, labelNames, registers: [registry] });
}

/** Adds a histogram of durations in seconds to a registry. */
export function createHistogram<Label extends string>(
  registry: Registry,
  name: string,
  help: string,
  labelNames: Label[],
): Histogram<Label> {
  return new Histogram({ name, help, labelNames, buckets: BUCKETS_SECONDS, registers: [registry] });
}
