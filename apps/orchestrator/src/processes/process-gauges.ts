import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ProcessRegistry } from '@phaseline/cluster';
import { queueNames } from '@phaseline/contracts';
import { Metrics, shareReads } from '@phaseline/service';
import { countProcesses, countQueueWorkers, findHeartbeatAges, type ProcessSummary } from './summarise-processes.js';

/** Gauges of the processes of the whole system, from their heartbeats. Their label is `process`, because every series has the `service` that reports it. */
@Injectable()
export class ProcessGauges implements OnModuleInit {
  constructor(
    private readonly metrics: Metrics,
    private readonly processes: ProcessRegistry,
  ) {}

  onModuleInit(): void {
    const read = shareReads((): Promise<readonly ProcessSummary[]> => this.processes.listReports());
    this.metrics.addGauge(
      'phaseline_processes',
      'Processes by the service that they run and state: alive, or dead (lost without a shutdown within the last day).',
      ['process', 'state'],
      async () => countProcesses(await read()),
    );
    this.metrics.addGauge(
      'phaseline_heartbeat_age_seconds',
      'Age of the newest heartbeat of a service whose processes were not all shut down.',
      ['process'],
      async () => findHeartbeatAges(await read()),
    );
    this.metrics.addGauge(
      'phaseline_queue_workers',
      'Live processes that handle the messages of a queue.',
      ['queue'],
      async () => countQueueWorkers(await read(), queueNames),
    );
  }
}
