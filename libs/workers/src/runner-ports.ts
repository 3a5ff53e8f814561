import { Injectable } from '@nestjs/common';
import { type DatabaseClock, ProcessRegistry } from '@phaseline/cluster';
import type { ProcessId } from '@phaseline/contracts';
import { EventStore } from '@phaseline/event-store';
import { Queues } from '@phaseline/queue';
import { JobRepository } from '@phaseline/repository';
import { InjectIdentity, Metrics, type ServiceIdentity } from '@phaseline/service';
import { ToolRegistry } from '@phaseline/tools';
import { CachedBlobs } from '@phaseline/workspace';
import { listEndedCalls } from './list-ended-calls.js';

/** The ports of this process that both runners use: its log, queues, tools, and the leases that its heartbeats report. */
@Injectable()
export class RunnerPorts {
  readonly processId: ProcessId;
  readonly repository: JobRepository;
  readonly blobs: CachedBlobs;
  readonly sender: Queues;
  readonly leases: ProcessRegistry;
  readonly heldLeases: ProcessRegistry;
  readonly clock: DatabaseClock;

  constructor(
    @InjectIdentity() { processId }: ServiceIdentity,
    queues: Queues,
    store: EventStore,
    processes: ProcessRegistry,
    readonly tools: ToolRegistry,
    { toolCalls }: Metrics,
  ) {
    this.processId = processId;
    this.repository = new JobRepository(store, {
      onAppended: (state, events) => {
        for (const labels of listEndedCalls(state, events, tools)) toolCalls.inc(labels);
      },
    });
    this.blobs = new CachedBlobs(store.blobs);
    this.sender = queues;
    this.leases = processes;
    this.heldLeases = processes;
    this.clock = processes.clock;
  }
}
