import type { StreamId } from '@phaseline/contracts';

/** Events of one stream from version `from` to version `to`, at most `limit`. */
export interface StreamRange {
  readonly streamId: StreamId;
  readonly from: number;
  readonly to: number;
  readonly limit: number;
}

interface WaitingRange<Result> extends StreamRange {
  resolve(result: Result): void;
  reject(error: unknown): void;
}

export interface GroupReadsOptions {
  /** Maximum number of concurrent queries. */
  readonly lanes: number;
  /** Maximum number of ranges in one query. */
  readonly maxRanges: number;
}

/**
 * Combines concurrent reads of one process into shared queries, as GroupCommit does with appends. A read joins only a query that has not
 * been sent, so it sees everything that was committed before it was requested. A single reader is not delayed: no timer is involved.
 */
export class GroupReads<Result> {
  private waiting: WaitingRange<Result>[] = [];
  private running = 0;
  private isScheduled = false;

  constructor(
    /** Returns a result per range. */
    private readonly readRanges: (ranges: readonly StreamRange[]) => Promise<readonly Result[]>,
    private readonly options: GroupReadsOptions,
  ) {}

  read(range: StreamRange): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ ...range, resolve, reject });
      if (this.isScheduled) return;
      this.isScheduled = true;
      queueMicrotask(() => {
        this.isScheduled = false;
        this.start();
      });
    });
  }

  private start(): void {
    while (this.waiting.length > 0 && this.running < this.options.lanes) {
      const ranges = this.waiting.splice(0, this.options.maxRanges);
      this.running += 1;
      void this.run(ranges).finally(() => {
        this.running -= 1;
        this.start();
      });
    }
  }

  private async run(ranges: readonly WaitingRange<Result>[]): Promise<void> {
    try {
      const results = await this.readRanges(ranges);
      for (const [index, range] of ranges.entries()) range.resolve(results[index]!);
    } catch (error) {
      for (const range of ranges) range.reject(error);
    }
  }
}
