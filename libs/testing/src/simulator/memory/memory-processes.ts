interface Beat {
  readonly at: number;
  readonly holds: ReadonlySet<string>;
}

/** As in libs/event-store/src/processes: a process without a heartbeat for this long is taken for dead. */
const DEAD_AFTER_MS = 7_000;

/** Heartbeats in memory, with the rule of `ProcessRegistry.isHeld`. */
export class MemoryProcesses {
  private readonly beats = new Map<string, Beat>();

  constructor(
    private readonly now: () => number,
    private readonly updatedAt: (streamId: string) => number | undefined,
  ) {}

  beat(processId: string, holds: Iterable<string>): void {
    this.beats.set(processId, { at: this.now(), holds: new Set(holds) });
  }

  /** A process that stops in order takes its name out. */
  remove(processId: string): void {
    this.beats.delete(processId);
  }

  /**
   * Whether a process still works on something: it lives, and its last heartbeat named it, or is older than the last
   * event of the stream and could not name it yet.
   */
  isHeld(processId: string, holding: string): boolean {
    const beat = this.beats.get(processId);
    if (!beat || this.now() - beat.at > DEAD_AFTER_MS) return false;
    const updatedAt = this.updatedAt(holding.split('/', 1)[0]!);
    return beat.holds.has(holding) || (updatedAt !== undefined && updatedAt > beat.at);
  }
}
