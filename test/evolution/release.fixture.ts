import {
  agentDefinitionSchema,
  isFromNewerRelease,
  currentCatalogues,
  type EventCatalogues,
  type UndecodableEvent,
} from '@phaseline/domain';
import { Subscription, type EventLog, type EventStore } from '@phaseline/event-store';
import { JobRepository, runOrLeaveToNewerRelease } from '@phaseline/repository';
import { modelProfileSchema, type ChatModel } from '@phaseline/model';
import { JobDriver, Reconciler } from '@phaseline/orchestration';
import { PhaseRunner, ToolRunner } from '@phaseline/execution';
import type { Postponement, Queues } from '@phaseline/queue';
import { todosPack, workspacePack } from '@phaseline/inline-packs';
import { ToolRegistry, type ToolPack } from '@phaseline/tools';
import type { Pool } from 'pg';
import { createAdvanceHandler, CONTROL_TYPES } from '../../apps/orchestrator/src/control/advance-jobs.js';

export interface ReleaseOptions {
  readonly name: string;
  readonly pool: Pool;
  readonly store: EventStore;
  readonly queues: Queues;
  readonly model: ChatModel;
  readonly packs?: readonly ToolPack[];
  /** Definitions to read events with; default today's. */
  readonly reading?: EventCatalogues;
  /** Changes the events that the release writes. */
  readonly write?: (log: EventLog) => EventLog;
}

/** Delay before a retry in milliseconds; short, because specs wait for it. */
const RETRY_DELAY_MS = 30;

/** Maps outcomes as the services do: work held elsewhere is checked again, interrupted work goes to another process. */
function postpone(outcome: string): Postponement | undefined {
  if (outcome === 'owned-elsewhere') return { retryAt: Date.now() + RETRY_DELAY_MS };
  return outcome === 'interrupted' ? { retryAt: Date.now() } : undefined;
}

/** The services of one release in one process: orchestrator, workers and tool-runner, on a real log and real queues. */
export class Release {
  /** Events of a newer release that the orchestrator read and did not process. */
  readonly leftToNewer: string[] = [];
  /** Events because of which messages were put back on their queue. */
  readonly postponed: string[] = [];
  /** All other errors. */
  readonly problems: unknown[] = [];
  readonly driver: JobDriver;
  readonly repository: JobRepository;
  private readonly reconciler: Reconciler;
  private readonly subscription: Subscription;
  private reconciling: NodeJS.Timeout | undefined;

  constructor(private readonly options: ReleaseOptions) {
    const { name, pool, store, queues, model, packs = [], reading = currentCatalogues, write } = options;
    const log = write ? write(store) : store;
    const leases = { isLeaseHeld: async () => false, isCallHeld: async () => false };
    const clock = { now: () => new Date() };
    this.repository = new JobRepository(log, { reading });
    const { repository } = this;
    this.driver = new JobDriver({ processId: name, store: log, repository, sender: queues, leases, clock });
    this.reconciler = new Reconciler(
      { store: log, repository, driver: this.driver, sender: queues, leases },
      { idleForMs: 50 },
    );
    this.subscription = new Subscription(pool, {
      name: 'orchestrator',
      replicaId: name,
      partitions: 2,
      types: CONTROL_TYPES,
      pollMs: 20,
      handle: createAdvanceHandler({
        driver: this.driver,
        concurrency: 4,
        onProblem: (_jobId, error) => this.onProblem(error),
      }),
      onError: (error) => this.problems.push(error),
    });
    const tools = new ToolRegistry([workspacePack, todosPack, ...packs]);
    const heldLeases = { addLease: () => undefined, removeLease: () => undefined };
    const parts = { processId: name, repository, blobs: store.blobs, tools, sender: queues, leases, heldLeases, clock };
    const prices = { inputUsdPerMillion: 1, cachedInputUsdPerMillion: 1, outputUsdPerMillion: 1 };
    const profile = modelProfileSchema.parse({ name: 'default', model: 'scripted', contextTokens: 100_000, prices });
    const phases = new PhaseRunner({ ...parts, models: { find: () => ({ profile, model, contextTokens: 100_000 }) } });
    const calls = new ToolRunner({ ...parts, limits: { attempts: 2, backoffMs: 1 } });
    this.work = async () => {
      for (const queue of ['strategic', 'tactical'] as const) {
        await queues.work(queue, async (payload, { signal }) => {
          return this.orLeave(async () => postpone(await phases.run(payload, signal)));
        });
      }
      await queues.work('tools', async (payload, { signal }) => {
        return this.orLeave(async () => postpone(await calls.run(payload, signal)));
      });
    };
  }

  private readonly work: () => Promise<void>;

  async start(): Promise<void> {
    await this.work();
    await this.subscription.start();
    this.reconciling = setInterval(() => {
      this.reconciler
        .runPass((_stream, error) => this.onProblem(error))
        .catch((error: unknown) => this.problems.push(error));
    }, 100);
  }

  async stop(): Promise<void> {
    clearInterval(this.reconciling);
    await this.subscription.close();
    await this.options.queues.close(5_000);
  }

  private orLeave<Result>(work: () => Promise<Result>): Promise<Result | { readonly retryAt: number }> {
    const putBack = ({ event }: UndecodableEvent): void => {
      this.postponed.push(`${event.streamId} ${event.type}`);
    };
    return runOrLeaveToNewerRelease(work, putBack, RETRY_DELAY_MS);
  }

  private onProblem(error: unknown): void {
    if (isFromNewerRelease(error)) this.leftToNewer.push(`${error.event.streamId} ${error.event.type}`);
    else this.problems.push(error);
  }
}

export const agent = agentDefinitionSchema.parse({
  name: 'tester',
  displayName: 'Tester',
  tools: {
    workspace: ['write_file'],
    strategic: ['todo_write', 'todo_complete', 'job_complete'],
    tactical: ['todo_complete'],
    domain: ['fetch'],
  },
  todos: { min: 1, max: 20 },
});
