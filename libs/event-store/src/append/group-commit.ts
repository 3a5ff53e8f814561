import type { EventId } from '@phaseline/contracts';
import { EventStoreClosed } from './append-errors.js';
import type { AppendResult } from './append-types.js';
import type { UnitOutcome } from './append-outcomes.js';
import type { EncodedUnit } from './encode-batch.js';

export interface GroupCommitOptions {
  /** Maximum number of concurrent commits. */
  readonly lanes: number;
  /** Units that share a commit if they wait, before free lanes divide them. */
  readonly minUnits: number;
  readonly maxUnits: number;
  /** Maximum size of a commit: JSON characters plus blob bytes. A larger unit is committed alone. */
  readonly maxBytes: number;
}

interface WaitingUnit extends EncodedUnit {
  readonly bytes: number;
  readonly eventIds: readonly EventId[];
  resolve(results: AppendResult[]): void;
  reject(error: Error): void;
}

/**
 * Combines concurrent appends of one process into shared commits. Units submitted while all lanes are busy wait and share the next
 * commits: free lanes divide them, so that the database works on both while this process waits, and continues with the first while the
 * other commit runs. With one commit for all, the process and the database would wait for each other in turn. After a shared commit, its
 * callers submit their next units one after the other, so the next commit starts when all of them had a turn; otherwise the first unit
 * would have a commit of its own. A single caller is not delayed: no timer is involved.
 */
export class GroupCommit {
  private waiting: WaitingUnit[] = [];
  private runningCommits = 0;
  private isScheduled = false;
  /** Whether the last commit contained more than one unit: then more callers are about to submit. */
  private wasShared = false;
  private isClosed = false;
  private onIdle: (() => void)[] = [];

  constructor(
    private readonly commit: (units: readonly EncodedUnit[]) => Promise<UnitOutcome[]>,
    private readonly options: GroupCommitOptions,
  ) {}

  submit({ unit, texts }: EncodedUnit): Promise<AppendResult[]> {
    if (this.isClosed) return Promise.reject(new EventStoreClosed());
    return new Promise((resolve, reject) => {
      const bytes =
        texts.reduce((sum, text) => sum + text.length, 0) +
        unit.blobs.reduce((sum, blob) => sum + blob.content.byteLength, 0);
      const eventIds = unit.appends.flatMap((append) => append.events.map((event) => event.eventId.toLowerCase()));
      this.waiting.push({ unit, texts, bytes, eventIds, resolve, reject });
      this.schedule();
    });
  }

  /** Rejects new units and resolves when all submitted units have an outcome. */
  async close(): Promise<void> {
    this.isClosed = true;
    if (this.waiting.length === 0 && this.runningCommits === 0) return;
    await new Promise<void>((resolve) => this.onIdle.push(resolve));
  }

  /** Starts commits at the end of the tick, so that calls of the same tick share one; after a shared commit, when the event loop is free. */
  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    const start = (): void => {
      this.isScheduled = false;
      this.start();
    };
    if (this.wasShared) setImmediate(start);
    else queueMicrotask(start);
  }

  private start(): void {
    while (this.waiting.length > 0 && this.runningCommits < this.options.lanes) {
      const batch = this.takeBatch();
      this.wasShared = batch.length > 1;
      this.runningCommits += 1;
      void this.run(batch).finally(() => {
        this.runningCommits -= 1;
        if (this.waiting.length > 0) this.schedule();
        else if (this.runningCommits === 0) for (const resolve of this.onIdle.splice(0)) resolve();
      });
    }
  }

  /** Takes units in order of submission, up to one that repeats an event id of the batch: only the next commit can see that event. */
  private takeBatch(): WaitingUnit[] {
    const ids = new Set<EventId>();
    const { lanes, minUnits, maxUnits, maxBytes } = this.options;
    const share = Math.ceil(this.waiting.length / (lanes - this.runningCommits));
    const limit = Math.min(maxUnits, Math.max(minUnits, share));
    let bytes = 0;
    let count = 0;
    for (const unit of this.waiting) {
      bytes += unit.bytes;
      if (count === limit || (count > 0 && bytes > maxBytes) || unit.eventIds.some((id) => ids.has(id))) break;
      for (const id of unit.eventIds) ids.add(id);
      count += 1;
    }
    const batch = this.waiting.slice(0, count);
    this.waiting = this.waiting.slice(count);
    return batch;
  }

  private async run(batch: readonly WaitingUnit[]): Promise<void> {
    try {
      const outcomes = await this.commit(batch);
      for (const [index, unit] of batch.entries()) {
        const outcome = outcomes[index];
        if (outcome === undefined || outcome instanceof Error)
          unit.reject(outcome ?? new Error('the commit returned no outcome for an append'));
        else unit.resolve([...outcome]);
      }
    } catch (error) {
      for (const unit of batch) unit.reject(error as Error);
    }
  }
}
