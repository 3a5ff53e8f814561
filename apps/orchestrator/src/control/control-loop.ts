import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { isFromNewerRelease } from '@phaseline/domain';
import { ControlListener, DatabaseClock } from '@phaseline/cluster';
import { EventStore, Subscription } from '@phaseline/event-store';
import { JobDriver } from '@phaseline/orchestration';
import {
  InjectConfig,
  InjectIdentity,
  InjectLogger,
  InjectPool,
  InjectShutdownSignal,
  Metrics,
  Readiness,
  type ServiceIdentity,
} from '@phaseline/service';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { TailHealth } from '../health/tail-health.js';
import type { OrchestratorConfig } from '../orchestrator-config.js';
import { Delegation, DELEGATION_TYPES } from '../delegation/delegation.js';
import { FOLLOW_ON_TYPES, FollowOns } from '../follow-on/follow-ons.js';
import { createAdvanceHandler, CONTROL_TYPES } from './advance-jobs.js';

const decidesJob: ReadonlySet<string> = new Set(CONTROL_TYPES);
const concernsChild: ReadonlySet<string> = new Set(DELEGATION_TYPES);
const startsAgent: ReadonlySet<string> = new Set(FOLLOW_ON_TYPES);

/** Follows the log and decides what each job does next. Replicas share the jobs. */
@Injectable()
export class ControlLoop implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly subscription: Subscription;
  private closing: Promise<void> | undefined;

  constructor(
    @InjectConfig() config: OrchestratorConfig,
    @InjectIdentity() identity: ServiceIdentity,
    @InjectLogger() logger: Logger,
    @InjectPool() pool: Pool,
    @InjectShutdownSignal() shutdown: AbortSignal,
    listener: ControlListener,
    driver: JobDriver,
    clock: DatabaseClock,
    metrics: Metrics,
    readiness: Readiness,
    followOns: FollowOns,
    delegation: Delegation,
    store: EventStore,
  ) {
    // Checkpoints are stored under this name.
    const name = 'orchestrator';
    const limitMs = config.PHASELINE_STALL_LIMIT_MS;
    const health = new TailHealth({ pool, name, owner: identity.processId, limitMs });
    readiness.register('control', () => health.check());
    const advance = createAdvanceHandler({
      driver,
      concurrency: config.PHASELINE_CONCURRENT_DECISIONS,
      onChecked: () => health.recordProgress(),
      onProblem: (jobId, error) => {
        if (!isFromNewerRelease(error)) {
          logger.error({ error, jobId }, 'a job could not be decided; the reconciler will retry');
          return;
        }
        // The reconcilers of the newer release check every open job, so skipping this one loses nothing.
        metrics.leftToNewer.inc();
        logger.warn({ error, jobId }, 'left a job to orchestrators of a newer release');
      },
    });
    this.subscription = new Subscription(pool, {
      name,
      cold: store.cold,
      replicaId: identity.processId,
      types: [...new Set([...CONTROL_TYPES, ...FOLLOW_ON_TYPES, ...DELEGATION_TYPES])],
      listener,
      // A process with a wrong clock takes no work and leaves its jobs to other replicas.
      isPaused: () => clock.describeProblem() !== undefined,
      handle: async (events) => {
        await advance(events.filter(({ type }) => decidesJob.has(type)));
        await delegation.handle(events.filter(({ type }) => concernsChild.has(type)));
        await followOns.handle(events.filter(({ type }) => startsAgent.has(type)));
      },
      onError: (error, partition) => {
        health.recordFailure(error);
        logger.warn({ error, partition }, 'reading the log failed; will retry');
      },
    });
    // Stop when the signal arrives instead of in the shutdown hook: by then the queues, which a decision needs, are closed.
    shutdown.addEventListener('abort', () => void this.close());
  }

  onApplicationBootstrap(): Promise<void> {
    return this.subscription.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.close();
  }

  private close(): Promise<void> {
    this.closing ??= this.subscription.close();
    return this.closing;
  }
}
