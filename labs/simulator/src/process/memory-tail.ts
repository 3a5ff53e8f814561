import type { JobId } from '@phaseline/contracts';
import type { Host } from './host.js';
import type { MemoryLog } from '@phaseline/harness';

interface Partition {
  checkpoint: number;
  owner: Host | undefined;
  leaseUntil: number;
  following: boolean;
}

const LEASE_MS = 5_000;
const PAGE_EVENTS = 50;

/**
 * Subscription of the orchestrators: replicas lease partitions of the log, each with a checkpoint. Delivery is at least once: a
 * checkpoint moves only after the events before it were handled, and only for the current owner of the partition.
 */
export class MemoryTail {
  private readonly partitions: Partition[];

  constructor(
    private readonly log: MemoryLog,
    private readonly now: () => number,
    count: number,
  ) {
    this.partitions = Array.from({ length: count }, () => ({
      checkpoint: 0,
      owner: undefined,
      leaseUntil: 0,
      following: false,
    }));
  }

  /** Handles the events since the last checkpoint, in the partitions that this process owns or can lease. */
  async follow(host: Host, handle: (jobIds: readonly JobId[]) => Promise<void>): Promise<void> {
    for (const [index, partition] of this.partitions.entries()) {
      const isOwner = await host.call('read', `lease of partition ${index}`, () => this.lease(partition, host), {
        needs: 'log',
      });
      if (!isOwner) continue;
      partition.following = true;
      try {
        await this.handlePages(host, partition, index, handle);
      } finally {
        if (partition.owner === host) partition.following = false;
      }
    }
  }

  private async handlePages(
    host: Host,
    partition: Partition,
    index: number,
    handle: (jobIds: readonly JobId[]) => Promise<void>,
  ): Promise<void> {
    for (;;) {
      const page = await host.call('read', `tail ${index}`, () => this.readPage(partition.checkpoint, index), {
        needs: 'log',
      });
      const last = page.at(-1);
      if (!last) return;
      await handle([...new Set(page.map(({ correlationId }) => correlationId))]);
      const moved = await host.call(
        'settle',
        `checkpoint ${index}`,
        () => this.moveCheckpoint(partition, host, last.position),
        {
          needs: 'log',
        },
      );
      if (!moved || page.length < PAGE_EVENTS) return;
    }
  }

  private lease(partition: Partition, host: Host): boolean {
    const now = this.now();
    if (partition.owner === host) {
      partition.leaseUntil = now + LEASE_MS;
      // One page at a time: a concurrent read would only handle the same events again.
      return !partition.following;
    }
    if (partition.owner && partition.leaseUntil > now) return false;
    Object.assign(partition, { owner: host, leaseUntil: now + LEASE_MS, following: false });
    return true;
  }

  private moveCheckpoint(partition: Partition, host: Host, checkpoint: number): boolean {
    if (partition.owner !== host) return false;
    partition.checkpoint = checkpoint;
    partition.leaseUntil = this.now() + LEASE_MS;
    return true;
  }

  private readPage(checkpoint: number, index: number): { position: number; correlationId: JobId }[] {
    const page: { position: number; correlationId: JobId }[] = [];
    for (let at = checkpoint; at < this.log.events.length && page.length < PAGE_EVENTS; at += 1) {
      const { recorded, wakes } = this.log.events[at]!;
      // The tail of the real log hands a request for a child job to the orchestrator too.
      const isHandled = wakes || recorded.type === 'ChildJobRequested';
      if (isHandled && this.partitionOf(recorded.correlationId) === index)
        page.push({ position: recorded.position, correlationId: recorded.correlationId });
    }
    return page;
  }

  private partitionOf(correlationId: JobId): number {
    let sum = 0;
    for (let at = 0; at < correlationId.length; at += 1) sum += correlationId.charCodeAt(at);
    return sum % this.partitions.length;
  }
}
