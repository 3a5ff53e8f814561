import { EventStoreClosed } from './append-errors.js';
import type { AppendResult } from './append-types.js';
import type { UnitOutcome } from './append-outcomes.js';
import type { EncodableUnit } from './encode-batch.js';

export interface GroupCommitOptions {
  /** Commits under way at once. */
  readonly lanes: number;
  readonly maxUnits: number;
  /** Of JSON and blobs. A single larger unit still goes, alone. */
  readonly maxBytes: number;
}

interface Waiting extends EncodableUnit {
  readonly bytes: number;
  readonly eventIds: readonly string[];
  resolve(results: AppendResult[]): void;
  reject(error: Error): void;
}

/**
 * Gathers appends of one process into shared commits. What is asked for while a commit is under way waits and goes
 * together; a caller that is alone goes at once, without a timer.
 */
export class GroupCommit {
  private waiting: Waiting[] = [];
  private underWay = 0;
  private scheduled = false;
  private closed = false;
  private onIdle: (() => void)[] = [];

  constructor(
    private readonly commit: (units: readonly EncodableUnit[]) => Promise<UnitOutcome[]>,
    private readonly options: GroupCommitOptions,
  ) {}

  submit({ unit, texts }: EncodableUnit): Promise<AppendResult[]> {
    if (this.closed) return Promise.reject(new EventStoreClosed());
    return new Promise((resolve, reject) => {
      const bytes =
        texts.reduce((sum, text) => sum + text.length, 0) +
        unit.blobs.reduce((sum, blob) => sum + blob.content.byteLength, 0);
      const eventIds = unit.appends.flatMap((append) => append.events.map((event) => event.eventId.toLowerCase()));
      this.waiting.push({ unit, texts, bytes, eventIds, resolve, reject });
      if (this.scheduled) return;
      // At the end of the tick, so that calls made together travel together.
      this.scheduled = true;
      queueMicrotask(() => {
        this.scheduled = false;
        this.start();
      });
    });
  }

  /** Takes nothing new and resolves when all that was taken is answered. */
  async close(): Promise<void> {
    this.closed = true;
    if (this.waiting.length === 0 && this.underWay === 0) return;
    await new Promise<void>((resolve) => this.onIdle.push(resolve));
  }

  private start(): void {
    while (this.waiting.length > 0 && this.underWay < this.options.lanes) {
      const batch = this.takeBatch();
      this.underWay += 1;
      void this.run(batch).finally(() => {
        this.underWay -= 1;
        this.start();
        if (this.underWay === 0) for (const resolve of this.onIdle.splice(0)) resolve();
      });
    }
  }

  /** In order of arrival. Stops at a unit that repeats an event id of the batch: only the next commit can see the first one. */
  private takeBatch(): Waiting[] {
    const ids = new Set<string>();
    let bytes = 0;
    let count = 0;
    for (const unit of this.waiting) {
      bytes += unit.bytes;
      if (
        count === this.options.maxUnits ||
        (count > 0 && bytes > this.options.maxBytes) ||
        unit.eventIds.some((id) => ids.has(id))
      )
        break;
      for (const id of unit.eventIds) ids.add(id);
      count += 1;
    }
    const batch = this.waiting.slice(0, count);
    this.waiting = this.waiting.slice(count);
    return batch;
  }

  private async run(batch: readonly Waiting[]): Promise<void> {
    try {
      const outcomes = await this.commit(batch);
      for (const [index, unit] of batch.entries()) {
        const outcome = outcomes[index];
        if (outcome === undefined || outcome instanceof Error)
          unit.reject(outcome ?? new Error('an append was left without an outcome'));
        else unit.resolve([...outcome]);
      }
    } catch (error) {
      for (const unit of batch) unit.reject(error as Error);
    }
  }
}
