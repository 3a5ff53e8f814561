import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import type { JobId } from '@phaseline/contracts';
import { jobEndTypes, type PhaseEventData } from '@phaseline/domain';
import { isUnreachable, type RecordedEvent } from '@phaseline/event-store';
import { FollowOnBatches, type CacheWriter, type FollowOnAgent } from '@phaseline/orchestration';
import { InjectLogger, InjectShutdownSignal } from '@phaseline/service';
import type { Logger } from 'pino';
import { AGENTS, type Agents } from '../agents/load-agents.js';
import { Submissions } from '../jobs/submissions.js';

/** Event types after which an agent with `startWhen` may have a batch. */
export const FOLLOW_ON_TYPES: readonly string[] = ['RequirementsCached', ...jobEndTypes];

/** Interval in milliseconds between checks whether the agents that start by themselves changed, and between attempts after a failure. */
const CHECK_INTERVAL_MS = 2_000;
/** Time in milliseconds after which a job that could not be submitted is tried again without an event. */
const RETRY_AFTER_MS = 60_000;

/**
 * Submits jobs of agents with `startWhen` after the events that fill the cache, and after ends of jobs. All tenants are checked at the start
 * and when such an agent was added or changed; nothing polls the cache.
 */
@Injectable()
export class FollowOns implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private running: Promise<void> | undefined;
  /** The agents for which all tenants were checked. */
  private checked = '[]';
  private retryAt: number | undefined;

  constructor(
    @Inject(AGENTS) private readonly agents: Agents,
    @InjectLogger() private readonly logger: Logger,
    @InjectShutdownSignal() private readonly shutdown: AbortSignal,
    private readonly batches: FollowOnBatches,
    private readonly submissions: Submissions,
  ) {}

  onApplicationBootstrap(): void {
    this.running = this.watchAgents();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.running;
  }

  /**
   * Submits the jobs that became due by events of the log. Throws only when the database cannot be reached, so that the events are
   * delivered again.
   */
  async handle(events: readonly RecordedEvent[]): Promise<void> {
    const writers = events.filter(({ type }) => type === 'RequirementsCached').map(toWriter);
    await this.batches.addWriters(writers);
    const ended = events.filter(({ type }) => isJobEnd.has(type)).map(({ correlationId }) => correlationId as JobId);
    if (this.listAgents().length === 0) return;
    const tenants = ended.length > 0 ? await this.batches.listTenantsOf(ended) : [];
    for (const tenant of new Set([...writers.map((writer) => writer.tenant), ...tenants])) await this.start(tenant);
  }

  private async start(tenant: string): Promise<void> {
    for (const agent of this.listAgents()) {
      try {
        for (const { jobId, batch, requirements } of await this.submissions.submitFollowOns(
          this.batches,
          agent,
          tenant,
        ))
          this.logger.info({ jobId, agent: agent.name, tenant, batch, requirements }, 'submitted a follow-on job');
      } catch (error) {
        if (isUnreachable(error)) throw error;
        this.retryAt = performance.now() + RETRY_AFTER_MS;
        this.logger.error({ error, agent: agent.name, tenant }, 'a follow-on job could not be submitted; will retry');
      }
    }
  }

  private async watchAgents(): Promise<void> {
    while (!this.shutdown.aborted) {
      const agents = JSON.stringify(this.listAgents());
      const isRetryDue = this.retryAt !== undefined && performance.now() >= this.retryAt;
      if (agents !== this.checked || isRetryDue) {
        this.retryAt = undefined;
        try {
          for (const tenant of await this.batches.listTenants()) await this.start(tenant);
          this.checked = agents;
        } catch (error) {
          if (!this.shutdown.aborted)
            this.logger.warn({ error }, 'checking for follow-on jobs was interrupted; will retry');
        }
      }
      await sleep(CHECK_INTERVAL_MS, undefined, { signal: this.shutdown }).catch(() => undefined);
    }
  }

  private listAgents(): readonly FollowOnAgent[] {
    return this.agents.list().items.flatMap(({ name, startWhen }) => (startWhen ? [{ name, startWhen }] : []));
  }
}

const isJobEnd: ReadonlySet<string> = new Set(jobEndTypes);

function toWriter({ data, correlationId }: RecordedEvent): CacheWriter {
  // The log contains only events of this shape under this type.
  const { tenant, collection } = data as unknown as PhaseEventData<'RequirementsCached'>;
  return { jobId: correlationId, tenant, collection };
}
