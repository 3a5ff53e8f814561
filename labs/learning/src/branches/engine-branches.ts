import type { JobId, JobStatus, Sender } from '@phaseline/contracts';
import {
  readAnswers,
  type Branch,
  type BranchRequest,
  type BranchRunner,
  type RecordedAnswer,
} from '@phaseline/branches';
import { assertReadable } from '@phaseline/domain';
import { createPool, EventStore } from '@phaseline/event-store';
import { Engine, toChatAnswer, type Policy, type Reply } from '@phaseline/harness';
import { ModelError } from '@phaseline/model';
import { Forks, TimeTravel } from '@phaseline/time-travel';

/** Texts for tactical phases by agent: an agent of this lab is nothing else. */
export type Prompts = Readonly<Record<string, string>>;

const LAB = { actor: { id: 'learning-lab', kind: 'process' } } as const;

export interface PlayedJob {
  readonly jobId: JobId;
  readonly status: JobStatus;
  readonly answers: readonly RecordedAnswer[];
}

/** A log for the jobs of this lab. */
export interface Lab {
  readonly store: EventStore;
  readonly travel: TimeTravel;
  close(): Promise<void>;
}

/** Opens a log on a database with all migrations. */
export function openLab(databaseUrl: string): Lab {
  const pool = createPool(databaseUrl, { max: 4, applicationName: 'learning-lab' });
  const store = new EventStore(pool, { checkEvent: assertReadable });
  return { store, travel: new TimeTravel(store, pool, { snapshots: false }), close: () => pool.end() };
}

/** Plays jobs in this process on a real log, and runs branches of them. */
export class EngineBranches implements BranchRunner {
  /** Branches that were run to their end. */
  followed = 0;

  /** `createPolicy` returns the model of one branch. The first of `prompts` is that of the jobs. */
  constructor(
    private readonly lab: Lab,
    private readonly createPolicy: () => Policy,
    private readonly prompts: Prompts,
  ) {}

  /** Plays a job to its end. */
  async play(policy: Policy): Promise<PlayedJob> {
    const engine = this.createEngine(policy);
    const jobId = await engine.submitAndRun();
    const { status } = await engine.loadJob(jobId);
    return { jobId, status, answers: readAnswers(await this.lab.store.readCorrelation(jobId)) };
  }

  async run({ jobId: parent, position, candidate, isProbe, key }: BranchRequest): Promise<Branch> {
    if (!isProbe) this.followed += 1;
    const first: { reply?: Reply } = {};
    const policy = this.createPolicy();
    const engine = this.createEngine(async (request, signal) => {
      if (isProbe && first.reply) throw endBranch();
      const reply = await policy(request, signal);
      first.reply ??= reply;
      if (isProbe) throw endBranch();
      return reply;
    });
    const { travel } = this.lab;
    const spent = (await travel.at(parent, position))!.spending.costMicroUsd;
    const jobId = await this.fork(engine, parent, { position, agent: candidate.agent, key });
    await engine.run(jobId);
    const job = await engine.loadJob(jobId);
    const answers = readAnswers(await this.lab.store.readCorrelation(jobId));
    return {
      jobId,
      status: job.status,
      costMicroUsd: job.spending.costMicroUsd - spent,
      steps: answers.length,
      ...(first.reply ? { firstCalls: toCalls(first.reply) } : {}),
    };
  }

  private async fork(
    engine: Engine,
    parent: JobId,
    { position, agent, key }: { readonly position: number; readonly agent: string | undefined; readonly key: string },
  ): Promise<JobId> {
    const { store, travel } = this.lab;
    const sender: Sender = {
      // The engine delivers messages in order, and needs no ids.
      send: async (queue, payload) => void engine.messages.push({ queue, payload, id: '' } as never),
    };
    const forks = new Forks({
      store,
      repository: engine.repository,
      travel,
      sender,
      clock: { now: () => new Date() },
    });
    const { definition } = await engine.loadJob(parent);
    const changed =
      agent === undefined
        ? {}
        : {
            definition: {
              ...definition,
              agent: { ...definition.agent, promptTexts: { tactical: this.prompts[agent]! } },
            },
          };
    return (await forks.fork(parent, { position, idempotencyKey: key, ...changed }, LAB))!.jobId;
  }

  private createEngine(policy: Policy): Engine {
    return new Engine({
      store: this.lab.store,
      policy,
      agent: { stuck: { enabled: false }, promptTexts: { tactical: Object.values(this.prompts)[0]! } },
    });
  }
}

/** Ends a branch: the model is not asked again. */
export function endBranch(): ModelError {
  return new ModelError('bad_request', 'the branch ends here', { retryable: false, mayBeCharged: false, attempts: 1 });
}

function toCalls(reply: Reply) {
  const { calls } = toChatAnswer(reply);
  return calls.map(({ name, arguments: args }) => ({ name, arguments: args.kind === 'parsed' ? args.value : {} }));
}
