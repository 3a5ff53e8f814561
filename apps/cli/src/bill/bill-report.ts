import type { BilledCalls, BillMessage, JobBill } from '@phaseline/contracts';

/** Jobs without a bill that the report names. All are counted. */
const MAX_EXAMPLES = 5;

/** What jobs cost together, and what they would have cost. */
export interface BillSummary {
  readonly jobs: number;
  readonly recorded: BilledCalls;
  readonly changed: BilledCalls;
  /** Bounds in micro-USD; absent without other prices. */
  readonly band?: readonly [low: number, high: number];
  /** Jobs without a bill by reason. */
  readonly unbilled: Readonly<Record<string, number>>;
  readonly examples: readonly string[];
}

const none = (): BilledCalls => ({ calls: 0, inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, costMicroUsd: 0 });

/** Adds up bills job by job. */
export class BillReport {
  expectedJobs = 0;
  /** Jobs that were read, with or without a bill. */
  read = 0;
  private jobs = 0;
  private recorded = none();
  private changed = none();
  private band: [number, number] | undefined;
  private readonly unbilled: Record<string, number> = {};
  private readonly examples: string[] = [];

  add(message: BillMessage): void {
    if (message.kind === 'started') {
      this.expectedJobs = message.jobs;
      return;
    }
    this.read += 1;
    if (message.kind === 'billed') {
      this.addBill(message.bill);
      return;
    }
    this.unbilled[message.reason] = (this.unbilled[message.reason] ?? 0) + 1;
    if (this.examples.length < MAX_EXAMPLES) this.examples.push(message.jobId);
  }

  private addBill({ recorded, changed, band }: JobBill): void {
    this.jobs += 1;
    this.recorded = addCalls(this.recorded, recorded);
    this.changed = addCalls(this.changed, changed);
    if (!band) return;
    const [low, high] = this.band ?? [0, 0];
    this.band = [low + band[0], high + band[1]];
  }

  summarise(): BillSummary {
    const { jobs, recorded, changed, band, unbilled, examples } = this;
    return { jobs, recorded, changed, ...(band ? { band } : {}), unbilled, examples };
  }
}

function addCalls(one: BilledCalls, other: BilledCalls): BilledCalls {
  return {
    calls: one.calls + other.calls,
    inputTokens: one.inputTokens + other.inputTokens,
    cachedInputTokens: one.cachedInputTokens + other.cachedInputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    costMicroUsd: one.costMicroUsd + other.costMicroUsd,
  };
}
