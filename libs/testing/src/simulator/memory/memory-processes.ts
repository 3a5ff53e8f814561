interface Beat {
  readonly at: number;
  readonly holds: ReadonlySet<string>;
  /** The last time that heartbeats could not be written for long. */
  readonly awayFrom?: number;
  readonly backAt?: number;
}

// As in libs/event-store/src/processes: what is taken for dead, and what may come back. Heartbeats are rarer here.
const DEAD_AFTER_MS = 7_000;
const AWAY_AFTER_MS = 5_000;
const BACK_WITHIN_MS = 3_000;
const TOGETHER_MS = 3_000;

/** Heartbeats in memory, with the rule of `ProcessRegistry.isHeld`. */
export class MemoryProcesses {
  private readonly beats = new Map<string, Beat>();

  constructor(
    private readonly now: () => number,
    private readonly updatedAt: (streamId: string) => number | undefined,
    private readonly grace: boolean,
  ) {}

  beat(processId: string, holds: Iterable<string>): void {
    const at = this.now();
    const before = this.beats.get(processId);
    const away = before && at - before.at > AWAY_AFTER_MS ? { awayFrom: before.at, backAt: at } : undefined;
    this.beats.set(processId, { ...before, at, holds: new Set(holds), ...away });
  }

  /** A process that stops in order takes its name out. */
  remove(processId: string): void {
    this.beats.delete(processId);
  }

  /**
   * Whether a process still works on something: it lives, and its last heartbeat named it, or is older than the last
   * event of the stream and could not name it yet.
   */
  isHeld(asker: string, processId: string, holding: string): boolean {
    const own = this.beats.get(asker);
    if (this.grace && own && this.now() - own.at > AWAY_AFTER_MS) return true;
    const beat = this.beats.get(processId);
    if (!beat || (this.now() - beat.at > DEAD_AFTER_MS && !this.mayComeBack(beat.at))) return false;
    const updatedAt = this.updatedAt(holding.split('/', 1)[0]!);
    return beat.holds.has(holding) || (updatedAt !== undefined && updatedAt > beat.at);
  }

  private mayComeBack(silentSince: number): boolean {
    if (!this.grace) return false;
    return [...this.beats.values()].some(
      ({ awayFrom, backAt }) =>
        awayFrom !== undefined &&
        backAt !== undefined &&
        this.now() - backAt < BACK_WITHIN_MS &&
        awayFrom <= silentSince + TOGETHER_MS,
    );
  }
}
