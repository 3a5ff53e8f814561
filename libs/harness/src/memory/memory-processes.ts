interface Beat {
  readonly at: number;
  readonly holds: ReadonlySet<string>;
  /** Start and end of the last long interruption of its heartbeats. */
  readonly awayFrom?: number;
  readonly backAt?: number;
}

// The rules of libs/cluster/src/processes for dead and returning processes; heartbeats are less frequent here.
const DEAD_AFTER_MS = 7_000;
const AWAY_AFTER_MS = 5_000;
const BACK_WITHIN_MS = 3_000;
const TOGETHER_MS = 3_000;

/** In-memory heartbeats with the rule of `ProcessRegistry.isHeld`. */
export class MemoryProcesses {
  private readonly beats = new Map<string, Beat>();

  constructor(
    private readonly now: () => number,
    private readonly updatedAt: (streamId: string) => number | undefined,
    private readonly hasOutageGrace: boolean,
  ) {}

  recordHeartbeat(processId: string, holds: Iterable<string>): void {
    const at = this.now();
    const before = this.beats.get(processId);
    const away = before && at - before.at > AWAY_AFTER_MS ? { awayFrom: before.at, backAt: at } : undefined;
    this.beats.set(processId, { ...before, at, holds: new Set(holds), ...away });
  }

  /** Deregisters a process that shuts down in order. */
  remove(processId: string): void {
    this.beats.delete(processId);
  }

  /**
   * Whether a process still owns a lease: it is alive, and its last heartbeat lists the lease or is older than the last event of
   * the stream, so that it could not list it yet.
   */
  isHeld(asker: string, processId: string, holding: string): boolean {
    const own = this.beats.get(asker);
    if (this.hasOutageGrace && own && this.now() - own.at > AWAY_AFTER_MS) return true;
    const beat = this.beats.get(processId);
    if (!beat || (this.now() - beat.at > DEAD_AFTER_MS && !this.mayComeBack(beat.at))) return false;
    const updatedAt = this.updatedAt(holding.split('/', 1)[0]!);
    return beat.holds.has(holding) || (updatedAt !== undefined && updatedAt > beat.at);
  }

  private mayComeBack(silentSince: number): boolean {
    if (!this.hasOutageGrace) return false;
    return [...this.beats.values()].some(
      ({ awayFrom, backAt }) =>
        awayFrom !== undefined &&
        backAt !== undefined &&
        this.now() - backAt < BACK_WITHIN_MS &&
        awayFrom <= silentSince + TOGETHER_MS,
    );
  }
}
