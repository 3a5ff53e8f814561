import type { ProcessId, StreamId } from '@phaseline/contracts';

interface Beat {
  readonly at: number;
  readonly leases: ReadonlySet<string>;
  /** Start and end of the last long interruption of its heartbeats. */
  readonly unreachableFrom?: number;
  readonly recoveredAt?: number;
}

// The rules of libs/cluster/src/processes for dead and recovering processes; heartbeats are less frequent here.
const DEAD_AFTER_MS = 7_000;
const UNREACHABLE_AFTER_MS = 5_000;
const RECOVERY_MS = 3_000;
const OUTAGE_TOLERANCE_MS = 3_000;

/** In-memory heartbeats with the rule of `ProcessRegistry.isLeaseHeld`. */
export class MemoryProcesses {
  private readonly beats = new Map<ProcessId, Beat>();

  constructor(
    private readonly now: () => number,
    private readonly updatedAt: (streamId: StreamId) => number | undefined,
    private readonly hasOutageGrace: boolean,
  ) {}

  recordHeartbeat(processId: ProcessId, leases: Iterable<string>): void {
    const at = this.now();
    const before = this.beats.get(processId);
    const outage =
      before && at - before.at > UNREACHABLE_AFTER_MS ? { unreachableFrom: before.at, recoveredAt: at } : undefined;
    this.beats.set(processId, { ...before, at, leases: new Set(leases), ...outage });
  }

  /** Deregisters a process that shuts down in order. */
  remove(processId: ProcessId): void {
    this.beats.delete(processId);
  }

  /**
   * Whether a process still owns a lease: it is alive, and its last heartbeat lists the lease or is older than the last event of
   * the stream, so that it could not list it yet.
   */
  isLeaseHeld(callerId: ProcessId, processId: ProcessId, lease: string): boolean {
    const own = this.beats.get(callerId);
    if (this.hasOutageGrace && own && this.now() - own.at > UNREACHABLE_AFTER_MS) return true;
    const beat = this.beats.get(processId);
    if (!beat || (this.now() - beat.at > DEAD_AFTER_MS && !this.canRecover(beat.at))) return false;
    const updatedAt = this.updatedAt(lease.split('/', 1)[0]!);
    return beat.leases.has(lease) || (updatedAt !== undefined && updatedAt > beat.at);
  }

  /** Whether any living process listed a lease in its last heartbeat. */
  isCallHeld(callerId: ProcessId, lease: string): boolean {
    return [...this.beats].some(
      ([processId, { leases }]) => leases.has(lease) && this.isLeaseHeld(callerId, processId, lease),
    );
  }

  private canRecover(silentSince: number): boolean {
    if (!this.hasOutageGrace) return false;
    return [...this.beats.values()].some(
      ({ unreachableFrom, recoveredAt }) =>
        unreachableFrom !== undefined &&
        recoveredAt !== undefined &&
        this.now() - recoveredAt < RECOVERY_MS &&
        unreachableFrom <= silentSince + OUTAGE_TOLERANCE_MS,
    );
  }
}
