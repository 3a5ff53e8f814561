import { LRUCache } from 'lru-cache';
import type { PhaseEvent, PhaseState } from '@phaseline/domain';

const MAX_CACHED_PHASES = 256;
/** Memory of a value of a JSON document without the characters of a text. */
const BYTES_PER_VALUE = 32;
/** The state of a phase of 100,000 events takes 50 MB, so the number of phases alone would not limit the memory. */
const MAX_CACHED_BYTES = 128 * 1024 * 1024;

/** Keeps the states of the phases that were used last, up to a total size. A phase that is larger is kept, but alone. */
export class PhaseCache {
  private readonly phases: LRUCache<string, PhaseState>;
  /** Estimated memory of each state, in bytes. */
  private readonly sizes = new WeakMap<PhaseState, number>();

  constructor(maxBytes = MAX_CACHED_BYTES) {
    this.phases = new LRUCache({
      max: MAX_CACHED_PHASES,
      maxSize: maxBytes,
      // Without the maximum, the cache would drop a larger phase, and every step of it would read all of its events.
      sizeCalculation: (state) => Math.min(Math.max(1, this.sizes.get(state) ?? 1), maxBytes),
    });
  }

  get(streamId: string): PhaseState | undefined {
    return this.phases.get(streamId);
  }

  set(streamId: string, state: PhaseState): void {
    this.phases.set(streamId, state);
  }

  delete(streamId: string): void {
    this.phases.delete(streamId);
  }

  /** Notes that a state contains these events in addition to those of the state `from`. */
  noteSize(state: PhaseState, from: PhaseState | undefined, events: readonly PhaseEvent[]): void {
    const before = (from && this.sizes.get(from)) ?? 0;
    const added = events.reduce((sum, { data }) => sum + estimateBytes(data), 0);
    this.sizes.set(state, before + added);
  }
}

/** Estimates the memory of a JSON value in bytes. Cheap, because it runs with every append: the length of a text is known. */
function estimateBytes(value: unknown): number {
  if (typeof value === 'string') return BYTES_PER_VALUE + value.length;
  if (typeof value !== 'object' || value === null) return BYTES_PER_VALUE;
  let bytes = BYTES_PER_VALUE;
  // Five times as fast as for … in, which was a tenth of the processor time of a step.
  for (const member of Object.values(value)) bytes += estimateBytes(member);
  return bytes;
}
