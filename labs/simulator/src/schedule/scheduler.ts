interface Entry {
  readonly at: number;
  readonly order: number;
  run: (() => void) | undefined;
}

/** Cancels a scheduled entry; does nothing if it has run. */
export type Cancel = () => void;

/** Start of virtual time, chosen so that dates in the log look plausible. */
const EPOCH_MS = Date.UTC(2030, 0, 1);

/**
 * Runs entries in virtual time on one thread, ordered by due time and then by the order of scheduling. Before the next entry runs,
 * all microtasks caused by the last one have completed, so a run is a deterministic sequence of entries.
 */
export class Scheduler {
  private readonly heap: Entry[] = [];
  private order = 0;
  private time = EPOCH_MS;
  /** Entries run so far. */
  steps = 0;

  now(): number {
    return this.time;
  }

  /** Milliseconds since the run began. */
  elapsed(): number {
    return this.time - EPOCH_MS;
  }

  after(ms: number, run: () => void): Cancel {
    const entry: Entry = { at: this.time + Math.max(0, ms), order: (this.order += 1), run };
    this.push(entry);
    return () => {
      entry.run = undefined;
    };
  }

  /** Runs until `done` returns true, no entry is left, or the limit of virtual time since the start or of entries is reached. */
  run(done: () => boolean, limitMs: number, limitSteps: number): Promise<'done' | 'idle' | 'limit'> {
    return new Promise((resolve, reject) => {
      const step = (): void => {
        try {
          if (done()) {
            resolve('done');
            return;
          }
          let entry = this.pop();
          while (entry && !entry.run) entry = this.pop();
          if (!entry) {
            resolve('idle');
            return;
          }
          if (entry.at - EPOCH_MS > limitMs || this.steps >= limitSteps) {
            this.push(entry);
            resolve('limit');
            return;
          }
          this.time = Math.max(this.time, entry.at);
          this.steps += 1;
          entry.run!();
          entry.run = undefined;
        } catch (error) {
          reject(error as Error);
          return;
        }
        // A tick requested by a microtask runs when no microtask is left, that is, after all promises have settled.
        queueMicrotask(() => process.nextTick(step));
      };
      step();
    });
  }

  private push(entry: Entry): void {
    const { heap } = this;
    let at = heap.push(entry) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(heap[at]!, heap[parent]!)) break;
      [heap[at], heap[parent]] = [heap[parent]!, heap[at]!];
      at = parent;
    }
  }

  private pop(): Entry | undefined {
    const { heap } = this;
    const first = heap[0];
    const last = heap.pop();
    if (!first || !last || heap.length === 0) return first;
    heap[0] = last;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      const right = left + 1;
      let least = at;
      if (left < heap.length && isBefore(heap[left]!, heap[least]!)) least = left;
      if (right < heap.length && isBefore(heap[right]!, heap[least]!)) least = right;
      if (least === at) return first;
      [heap[at], heap[least]] = [heap[least]!, heap[at]!];
      at = least;
    }
  }
}

function isBefore(left: Entry, right: Entry): boolean {
  return left.at < right.at || (left.at === right.at && left.order < right.order);
}
