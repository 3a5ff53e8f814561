interface Entry {
  readonly at: number;
  readonly order: number;
  run: (() => void) | undefined;
}

/** Cancels what was scheduled; does nothing when it has run. */
export type Cancel = () => void;

/** Virtual time begins here, so that dates in the log look like dates. */
const EPOCH_MS = Date.UTC(2030, 0, 1);

/**
 * One thread, virtual time. What is due first runs first; what is due at once runs in the order in which it was asked
 * for. Before the next entry runs, every promise that the last one settled has been followed to its end, so a run is a
 * sequence of entries and nothing else.
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

  /** Runs until `done` says so, nothing is left, or a limit is reached: of virtual time since the beginning, or of entries. */
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
        // A tick that was asked for by a microtask comes when no microtask is left: every promise has been followed.
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
      if (!before(heap[at]!, heap[parent]!)) break;
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
      if (left < heap.length && before(heap[left]!, heap[least]!)) least = left;
      if (right < heap.length && before(heap[right]!, heap[least]!)) least = right;
      if (least === at) return first;
      [heap[at], heap[least]] = [heap[least]!, heap[at]!];
      at = least;
    }
  }
}

function before(left: Entry, right: Entry): boolean {
  return left.at < right.at || (left.at === right.at && left.order < right.order);
}
