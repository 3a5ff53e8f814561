import { estimateHandledEvents, readLatestTailPosition, readTailLag, type TailLag } from '@phaseline/event-store';
import { formatDuration, type CatchUpProgress } from '@phaseline/service';
import type { Pool } from 'pg';

export interface TailHealthParts {
  readonly pool: Pool;
  /** Name of the subscription. */
  readonly name: string;
  /** Id of this process. */
  readonly owner: string;
  /** Maximum time in milliseconds that an event may wait, and that a checkpoint with events after it may not move. */
  readonly limitMs: number;
  /** A monotonic clock in milliseconds; for specs. */
  readonly now?: () => number;
}

/** When the checkpoint of a partition was last observed to move. */
interface SeenCheckpoint {
  readonly checkpoint: string;
  readonly movedAt: number;
}

/**
 * Readiness check for a reader of the log whose events wait too long. The waiting time alone does not indicate a fault,
 * because the reader may have a long log to read: as long as its checkpoints move, or it handles events within a page,
 * it is catching up.
 */
export class TailHealth {
  private lastFailure: { readonly message: string; readonly at: number } | undefined;
  private seen = new Map<number, SeenCheckpoint>();
  private revision = 0;
  private movedAt = -Infinity;
  private readonly now: () => number;

  constructor(private readonly parts: TailHealthParts) {
    this.now = parts.now ?? (() => performance.now());
  }

  /** Call for every failure of the subscription. */
  recordFailure(error: Error): void {
    this.lastFailure = { message: error.message, at: this.now() };
  }

  /** Call for every piece of work, because a page of many jobs may take long until its checkpoint moves. */
  recordProgress(): void {
    this.revision += 1;
    this.movedAt = this.now();
  }

  async check(): Promise<string | CatchUpProgress | undefined> {
    const { pool, name, owner, limitMs } = this.parts;
    const held = await readTailLag(pool, { name, owner });
    this.look(held);
    const behind = held.filter(({ behindMs }) => (behindMs ?? 0) > limitMs);
    if (behind.length === 0) return undefined;
    const stalled = behind.filter(({ partition }) => this.stillMs(partition) > limitMs);
    const [worst] = (stalled.length > 0 ? stalled : behind).sort((a, b) => b.behindMs! - a.behindMs!);
    const waiting = `events have been waiting for ${formatDuration(worst!.behindMs!)} (partition ${worst!.partition})`;
    if (worst!.isHeldBack)
      return `${waiting}: a transaction that is still open holds them back; \`phaseline doctor\` names it`;
    const failure = this.failureSince(worst!.partition);
    if (failure !== undefined) return `${waiting}, and the last attempt failed: ${failure}`;
    return stalled.length > 0 ? `${waiting}, and no process handles them` : this.progress(held);
  }

  private look(held: readonly TailLag[]): void {
    const now = this.now();
    this.seen = new Map(
      held.map(({ partition, checkpoint: { transactionId, position } }) => {
        const checkpoint = `${transactionId}/${position}`;
        const before = this.seen.get(partition);
        return [partition, before?.checkpoint === checkpoint ? before : { checkpoint, movedAt: now }];
      }),
    );
  }

  private stillMs(partition: number): number {
    const seen = this.seen.get(partition);
    return seen === undefined ? 0 : this.now() - Math.max(seen.movedAt, this.movedAt);
  }

  /** Returns the message of a recent failure after which the checkpoint has not moved. */
  private failureSince(partition: number): string | undefined {
    const failure = this.lastFailure;
    if (!failure || this.now() - failure.at >= this.parts.limitMs) return undefined;
    const movedAt = this.seen.get(partition)?.movedAt ?? -Infinity;
    return failure.at >= movedAt ? failure.message : undefined;
  }

  private async progress(held: readonly TailLag[]): Promise<CatchUpProgress> {
    const { position: total } = await readLatestTailPosition(this.parts.pool);
    const done = estimateHandledEvents(held, total);
    return {
      reason: `catching up, ${counted(done)} of ${counted(total)} events`,
      done,
      total,
      revision: this.revision,
    };
  }
}

function counted(count: number): string {
  return count.toLocaleString('en-US');
}
