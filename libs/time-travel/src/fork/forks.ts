import { getActorName } from '@phaseline/contracts';
import { createHash } from 'node:crypto';
import {
  addTask,
  findDecidingPhase,
  findUnrecordedProblem,
  forkJob,
  INSTRUCTIONS_FILE,
  isEncryptedJob,
  jobStream,
  buildPhaseMessage,
  phaseStream,
  readTask,
  type Budgets,
  type EditedResponse,
  type FindToolSpec,
  type ForkPoint,
  type JobDefinition,
  type JobState,
  type LimitChanges,
  type ModelChanges,
} from '@phaseline/domain';
import type { ForkMode, Sender, JobId, Unrecorded } from '@phaseline/contracts';
import { StreamClosed, WrongExpectedVersion, type EventLog, type StreamAppend } from '@phaseline/event-store';
import { toCanonicalJson } from '@phaseline/basics';
import {
  encodeText,
  getContentHash,
  MAX_FILE_BYTES,
  readTextByHash,
  StagedWorkspace,
  type BlobWrite,
  type Tree,
} from '@phaseline/workspace';
import {
  createForkJobId,
  buildJobAppend,
  buildPhaseAppend,
  type EventOrigin,
  type JobRepository,
} from '@phaseline/repository';
import type { TimeTravel } from '../view/time-travel.js';
import { ForkConflict, ForkInvalid, ForkRefused } from './fork-errors.js';

/** Options of a fork. Values that are absent are those of the parent. */
export interface ForkOptions {
  /** Position in the log. The fork continues from the last complete commit at or before it. */
  readonly position: number;
  readonly mode?: ForkMode | undefined;
  /** What follows where the recording has no result of a call, by tool; an error of the call if absent. */
  readonly unrecorded?: Unrecorded | undefined;
  /** Another definition for the fork; its name is recorded with the request. */
  readonly definition?: JobDefinition | undefined;
  /** Texts of the instructions of its agents by path, without the task of a job. What the job was asked to do is added. */
  readonly instructions?: Readonly<Record<string, string>> | undefined;
  readonly models?: ModelChanges | undefined;
  readonly limits?: LimitChanges | undefined;
  readonly budgets?: Budgets | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** Used instead of the next answer of the phase that runs at the position. */
  readonly response?: EditedResponse | undefined;
  /** Repeated requests with the same key, actor and content return the same fork. */
  readonly idempotencyKey?: string | undefined;
  /** Opaque id of the requesting actor; part of the idempotency key. Default `local`. */
  readonly actorId?: string | undefined;
}

export interface Forked {
  readonly jobId: JobId;
  readonly parentId: JobId;
  /** Position of the last event that both share. */
  readonly position: number;
  readonly mode: ForkMode;
  /** False when the fork already existed. */
  readonly created: boolean;
}

export interface ForksParts {
  readonly store: EventLog;
  readonly repository: JobRepository;
  readonly travel: TimeTravel;
  readonly sender: Sender;
  readonly clock: { now(): Date };
  /** Finds tools with the settings of an agent. Without it, no fork can name one. */
  readonly findTool?: FindToolSpec;
}

/** Creates jobs that continue from a position of other jobs. */
export class Forks {
  constructor(private readonly parts: ForksParts) {}

  /**
   * Forks a job in one append. The parent is not changed and nothing of it is copied. Returns
   * `undefined` when there was no such job at that position. Throws ForkRefused, ForkInvalid and ForkConflict.
   */
  async fork(parentId: JobId, options: ForkOptions, origin: EventOrigin): Promise<Forked | undefined> {
    if (isEncryptedJob(parentId))
      throw new ForkRefused('an encrypted job cannot be forked: erasing its key would not erase what the fork wrote.');
    const point = await this.findForkPoint(parentId, options.position);
    if (!point) return undefined;
    const removed = (await this.parts.repository.loadJob(parentId))?.filesRemoved;
    if (removed)
      throw new ForkRefused(
        `the files of the job were removed by retention on ${removed.removedAt}, so nothing can continue from it.`,
      );
    const now = this.parts.clock.now();
    const { mode = 'live', definition, models, limits, budgets, labels, response, idempotencyKey, actorId } = options;
    const { unrecorded, instructions = {} } = options;
    // A recorded fork repeats what the model wrote with the instructions of its job.
    const changed = await this.stageInstructions(point.job, mode === 'recorded' ? {} : instructions, now);
    if (unrecorded)
      this.checkUnrecorded(unrecorded, mode, definition ?? point.job.nextDefinition ?? point.job.definition);
    const jobId = createForkJobId(parentId, { key: idempotencyKey, actorId });
    const requestHash = hashOf({
      parentId,
      ...options,
      actorId: undefined,
      definition: definition && [
        definition.agentHash,
        definition.workflowHash,
        ...Object.values(definition.agents ?? {}).map(({ hash }) => hash),
      ],
    });
    const decision = forkJob(
      point,
      {
        jobId,
        actor: getActorName(origin.actor),
        requestHash,
        mode,
        ...(unrecorded ? { unrecorded } : {}),
        ...(definition ? { definition } : {}),
        ...(changed.blobs.length > 0 ? { instructions: changed.files } : {}),
        ...(models ? { models } : {}),
        ...(limits ? { limits } : {}),
        ...(budgets ? { budgets } : {}),
        ...(labels ? { labels } : {}),
        ...(response ? { response } : {}),
      },
      now,
    );
    if (decision.kind === 'refused') throw new ForkRefused(`${decision.reason}.`);
    const forked = { jobId, parentId, position: point.position, mode };
    const appends: StreamAppend[] = [buildJobAppend(jobId, 0, decision.job, origin)];
    if (point.phase) {
      const append = buildPhaseAppend(jobId, point.phase.state.start.identity.phase, 0, decision.phase, { origin });
      // A phase that had ended in the parent accepts no events in the fork either.
      appends.push(point.phase.state.end ? { ...append, closesStream: true } : append);
    }
    try {
      await this.parts.store.append(appends, { blobs: changed.blobs });
    } catch (error) {
      if (!(error instanceof WrongExpectedVersion || error instanceof StreamClosed)) throw error;
      const existing = await this.parts.repository.loadJob(jobId);
      if (existing?.submitted.requestHash !== requestHash) throw new ForkConflict(jobId);
      return { ...forked, created: false };
    }
    if (point.phase && !point.phase.state.end) await this.wake(jobId, point.phase.state.start.identity.phase);
    return { ...forked, created: true };
  }

  /** The instructions that differ from those with which the job began, with its task. */
  private async stageInstructions(
    { submitted: { tree } }: JobState,
    instructions: Readonly<Record<string, string>>,
    now: Date,
  ): Promise<{ readonly files: Tree; readonly blobs: readonly BlobWrite[] }> {
    const began = Object.keys(instructions).length > 0 ? tree[INSTRUCTIONS_FILE] : undefined;
    const text = began && (await readTextByHash(this.parts.store.blobs, began.hash, MAX_FILE_BYTES));
    // Without the text, the task of the job is not known.
    if (text === undefined) return { files: {}, blobs: [] };
    const staged = new StagedWorkspace({}, { get: async () => undefined });
    const task = readTask(text) ?? '';
    const changes = Object.entries(instructions).map(([path, own]) => ({
      path,
      content: encodeText(addTask(own, task)),
    }));
    const { blobs } = staged.stage(
      changes.filter(({ path, content }) => getContentHash(content) !== tree[path]?.hash),
      now,
    );
    return { files: { ...staged.tree }, blobs };
  }

  private checkUnrecorded(unrecorded: Unrecorded, mode: ForkMode, definition: JobDefinition): void {
    const { findTool = () => undefined } = this.parts;
    const problem = findUnrecordedProblem(unrecorded, mode, definition, findTool);
    if (problem !== undefined) throw new ForkInvalid(`unrecorded: ${problem}.`);
  }

  /** Returns a job as of the end of a commit, with the hashes that prove it. */
  private async findForkPoint(jobId: JobId, position: number): Promise<ForkPoint | undefined> {
    const { travel, store } = this.parts;
    const moment = await travel.moments.findCommit(jobId, position);
    const outline = moment && (await travel.folds.foldJob(jobId, moment.jobVersion));
    if (!moment || !outline) return undefined;
    const head = await store.readAt(jobStream(jobId), moment.jobVersion);
    const { job } = outline;
    const number = findDecidingPhase(job);
    const base = { position: moment.position, job, parent: { jobId, version: moment.jobVersion, hash: head!.hash } };
    if (number === undefined) return base;
    const streamId = phaseStream(jobId, number);
    const version = moment.phase?.streamId === streamId ? moment.phase.version : undefined;
    const state = version === undefined ? undefined : await travel.folds.foldPhase(streamId, version);
    if (version === undefined || !state)
      throw new Error(`phase ${number} of job ${jobId} has no events at ${position}`);
    const last = await store.readAt(streamId, version);
    return { ...base, phase: { state, parent: { streamId, version, hash: last!.hash } } };
  }

  /** Sends the phase to its worker at once. If the message is lost, the reconciler finds the phase. */
  private async wake(jobId: JobId, phase: number): Promise<void> {
    const state = await this.parts.repository.loadPhase(jobId, phase);
    if (!state) return;
    const { queue, payload, options } = buildPhaseMessage(state);
    await this.parts.sender.send(queue, payload, options);
  }
}

function hashOf(request: object): string {
  return createHash('sha256').update(toCanonicalJson(request)).digest('hex');
}
