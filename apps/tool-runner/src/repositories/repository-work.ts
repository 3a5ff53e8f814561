import { maskStream, type SecretMask } from '@phaseline/basics/secrets';
import { parseSshAddress, ToolError, type JobId, type ProcessId } from '@phaseline/contracts';
import {
  awaitsImport,
  decodePhaseEvent,
  findUnacceptedWork,
  foldPhase,
  hasJobEnded,
  isEncryptedJob,
  jobStream,
  listOpenOutputs,
  type JobEvent,
  type JobEventData,
  type JobState,
  type PhaseEvent,
  type PhaseState,
  type RepositoryOutput,
} from '@phaseline/domain';
import { faultPoint } from '@phaseline/fault-points';
import { StreamClosed, WrongExpectedVersion, type EventStore } from '@phaseline/event-store';
import { buildJobAppend, Lineage, type JobRepository } from '@phaseline/repository';
import { parseNetworks } from '@phaseline/sandbox';
import type { Tree } from '@phaseline/workspace';
import { join } from 'node:path';
import { mkdir } from 'node:fs/promises';
import { identifyAgent } from './agent-identity.js';
import { assertIsDraft, assertMayLeave } from './assert-may-leave.js';
import { checkPath, checkUrl, type CheckedSource, type SourceRules } from './check-source.js';
import { collectOutput, streamPatch } from './collect-output.js';
import { importRepository } from './import-repository.js';
import { createJobMask, type ReadJobSecret } from './job-mask.js';
import type { RepositoryFolders } from './mirrors.js';
import { openPullRequest, type PullRequestBranches } from './open-pull-request.js';
import { defaultBranch, pushBranch } from './push-branch.js';
import { readCredential } from './read-credential.js';
import { RepositoryProblem } from './repository-problem.js';
import type { RepositoryConfig } from './repository-config.js';
import { Git } from './run-git.js';

export interface RepositoryWorkParts {
  readonly processId: ProcessId;
  readonly store: EventStore;
  readonly repository: JobRepository;
  readonly folders: RepositoryFolders;
  readonly config: RepositoryConfig & { readonly PHASELINE_ALLOWED_PRIVATE_NETWORKS: readonly string[] };
  readonly now: () => Date;
  readonly readSecret: ReadJobSecret;
}

/** Memory that a git command may use. */
const GIT_MEMORY_BYTES = 1024 * 1024 * 1024;

/**
 * Imports the repositories of jobs and makes outputs of them. Each work is repeated after a crash: nothing of it is in the log until it
 * has succeeded or failed, and an output that was already pushed is found again.
 */
export class RepositoryWork {
  constructor(private readonly parts: RepositoryWorkParts) {}

  /** Does the work of one message, unless the log says that it is done. */
  async run(jobId: JobId, work: string, signal: AbortSignal): Promise<void> {
    const job = await this.parts.repository.loadJob(jobId);
    if (!job) return;
    if (work === 'import') await this.runImport(job, signal);
    else await this.makeOutput(job, work, signal);
  }

  private async runImport(job: JobState, signal: AbortSignal): Promise<void> {
    const isDue = (state: JobState): boolean =>
      awaitsImport(state) && !state.repository?.failure && !state.cancelRequested && !hasJobEnded(state);
    if (!isDue(job)) return;
    const event = await this.import(job, signal).then(
      (data): JobEvent => ({ type: 'RepositoryImported', data }),
      async (error: unknown): Promise<JobEvent> => {
        if (!(error instanceof RepositoryProblem)) throw error;
        const message = await this.maskCredential(job, error.message);
        return { type: 'RepositoryImportFailed', data: { code: error.code, message } };
      },
    );
    await this.record(job, event, isDue);
  }

  private async import(job: JobState, signal: AbortSignal): Promise<JobEventData<'RepositoryImported'>> {
    const { folders, config, store, now } = this.parts;
    const { jobId, tenant, repository: request } = job.submitted;
    if (!request) throw new Error(`job ${jobId} has no repository`);
    return folders.withScratch(async (scratch) => {
      const source = await this.checkSource(job, this.rules(), scratch);
      const git = await this.openGit(scratch, signal);
      const create = async (folder: string): Promise<void> => {
        await git.run(folder, { args: ['init', '--quiet', '--bare', '--template='] });
      };
      const limits = { files: config.PHASELINE_REPOSITORY_MAX_FILES, bytes: config.PHASELINE_REPOSITORY_MAX_BYTES };
      const blobs = store.blobs.forJob(jobId);
      const importFrom = (mirror: string): Promise<JobEventData<'RepositoryImported'>> =>
        importRepository(job, request, { git, blobs, source, mirror, scratch, limits, now: now() });
      return isEncryptedJob(jobId)
        ? importFrom(await createPrivateMirror(scratch, create))
        : folders.useMirror({ tenant, source: source.address }, create, importFrom);
    });
  }

  private async makeOutput(job: JobState, id: string, signal: AbortSignal): Promise<void> {
    const isDue = (state: JobState): boolean => listOpenOutputs(state).some(({ request }) => request.output === id);
    const output = job.repository?.outputs[id];
    if (!output || !isDue(job)) return;
    const event = await this.make(job, output, signal).then(
      (data): JobEvent => ({ type: 'RepositoryOutputMade', data }),
      async (error: unknown): Promise<JobEvent> => {
        // A request to the server of a pull request can be refused by the rules for addresses.
        const isFinal = error instanceof RepositoryProblem || (error instanceof ToolError && !error.retryable);
        if (!isFinal) throw error;
        const message = await this.maskCredential(job, error.message);
        return { type: 'RepositoryOutputFailed', data: { output: id, code: error.code, message } };
      },
    );
    await this.record(job, event, isDue);
  }

  private async make(
    job: JobState,
    output: RepositoryOutput,
    signal: AbortSignal,
  ): Promise<JobEventData<'RepositoryOutputMade'>> {
    const { folders, store } = this.parts;
    const { request } = output;
    const { jobId } = job.submitted;
    assertMayLeave(job, output);
    const { commit, branch: base } = job.repository!.imported!;
    const { tree, unaccepted } = await this.loadWork(job, output);
    if (unaccepted !== undefined) assertIsDraft(output, unaccepted);
    const marks = unaccepted === undefined ? {} : { unverified: true as const };
    return folders.withScratch(async (scratch) => {
      const git = await this.openGit(scratch, signal);
      const blobs = store.blobs.forJob(jobId);
      const parts = { git, blobs, identity: identifyAgent(job), scratch, changedAt: findLastChange(tree) };
      const { repository, ...made } = await collectOutput(jobId, commit, tree, parts);
      faultPoint('repository.during-output', jobId);
      const { head, commits, includesUncommitted } = made;
      const result = { output: request.output, head, commits, includesUncommitted, ...marks };
      const mask = await createJobMask(job, this.parts.readSecret);
      const patch = (onFound?: () => void) => maskStream(streamPatch(git, repository, commit, marks), mask, onFound);
      if (request.kind === 'patch') return { ...result, patch: await blobs.putStream(patch()) };
      await assertNoSecret(patch, mask);
      if (commits === 0) throw new RepositoryProblem('nothing_changed', 'the job changed nothing in its repository');
      const branch = request.branch ?? defaultBranch(jobId, head, marks);
      const target = await this.checkSource(job, { ...this.rules(), roots: this.pushRoots() }, scratch);
      await pushBranch(git, repository, target, branch);
      faultPoint('repository.after-push', jobId);
      if (request.kind === 'branch') return { ...result, branch };
      const pull = { branch, base: request.base ?? base, ...marks };
      return { ...result, branch, url: await this.requestPull(job, output, pull, signal) };
    });
  }

  private async requestPull(
    job: JobState,
    output: RepositoryOutput,
    pull: PullRequestBranches,
    signal: AbortSignal,
  ): Promise<string> {
    const { url } = job.submitted.repository!;
    const token = await readCredential(job, this.parts.readSecret);
    if (url === undefined || token === undefined || parseSshAddress(url))
      throw new RepositoryProblem(
        'pull_request_refused',
        'a pull request needs a repository with an HTTPS URL, and a secret with an access token (`repository.secret`)',
      );
    const { PHASELINE_PULL_REQUEST_API: api, PHASELINE_PULL_REQUEST_KIND: kind } = this.parts.config;
    const rule = { allowed: this.rules().networks };
    return openPullRequest(output, pull, { kind, api, url, token, rule, signal });
  }

  /**
   * Loads the files of the job when the output was requested, and why they are not accepted; `unaccepted` is undefined if they are. A job may
   * go on meanwhile; with its files of now, a repetition after a crash would make other commits, and so a second branch.
   */
  private async loadWork(
    job: JobState,
    output: RepositoryOutput,
  ): Promise<{ readonly tree: Tree; readonly unaccepted?: string }> {
    let tree: Tree | undefined;
    for await (const state of this.loadPhases(job, output)) {
      tree ??= state.tree;
      const work = findUnacceptedWork(state);
      if (work.kind === 'untouched') continue;
      return work.kind === 'accepted' ? { tree } : { tree, unaccepted: work.reason };
    }
    // No phase changed a file: what would leave is what was imported.
    return { tree: tree ?? job.repository!.imported!.tree };
  }

  /** The phases of a job when an output was requested, newest first. */
  private async *loadPhases(job: JobState, { version }: RepositoryOutput): AsyncGenerator<PhaseState> {
    const { store } = this.parts;
    const { jobId } = job.submitted;
    const requested = (await store.readAt(jobStream(jobId), version))!;
    const lineage = new Lineage(store);
    for (let phase = job.phases; phase > 0; phase -= 1) {
      const events: PhaseEvent[] = [];
      for await (const event of lineage.iteratePhaseEvents(jobId, phase, requested.position))
        events.push(decodePhaseEvent(event));
      const state = foldPhase(events);
      if (state) yield state;
    }
  }

  private async checkSource(job: JobState, rules: SourceRules, scratch: string): Promise<CheckedSource> {
    const { url, path } = job.submitted.repository!;
    if (url === undefined) return checkPath(path!, rules);
    return checkUrl(url, rules, await readCredential(job, this.parts.readSecret), scratch);
  }

  /** Replaces the credential in a message. A server can repeat what it was sent. */
  private async maskCredential(job: JobState, message: string): Promise<string> {
    return (await createJobMask(job, this.parts.readSecret)).maskText(message);
  }

  private rules(): SourceRules {
    const { config } = this.parts;
    return {
      roots: config.PHASELINE_REPOSITORY_ROOTS,
      protocols: config.PHASELINE_REPOSITORY_PROTOCOLS,
      networks: parseNetworks(config.PHASELINE_ALLOWED_PRIVATE_NETWORKS),
      ssh: { program: config.PHASELINE_REPOSITORY_SSH, knownHosts: config.PHASELINE_REPOSITORY_KNOWN_HOSTS },
    };
  }

  private pushRoots(): readonly string[] {
    return this.parts.config.PHASELINE_REPOSITORY_PUSH_ROOTS;
  }

  private openGit(scratch: string, signal: AbortSignal): Promise<Git> {
    const { config } = this.parts;
    const limits = {
      timeoutMs: config.PHASELINE_REPOSITORY_TIMEOUT_MS,
      maxFileBytes: config.PHASELINE_REPOSITORY_MAX_BYTES,
      maxMemoryBytes: GIT_MEMORY_BYTES,
    };
    return Git.open(scratch, limits, signal);
  }

  /** Records the end of a work while it is due. The job may change meanwhile, for example because a person pauses it. */
  private async record(from: JobState, event: JobEvent, isDue: (job: JobState) => boolean): Promise<void> {
    const { store, repository, processId } = this.parts;
    const { jobId } = from.submitted;
    let job: JobState | undefined = from;
    while (job && isDue(job)) {
      faultPoint('repository.before-append', jobId);
      try {
        await store.append(buildJobAppend(jobId, job.version, [event], { actor: { id: processId, kind: 'process' } }));
        faultPoint('repository.after-append', jobId);
        return;
      } catch (error) {
        if (!(error instanceof WrongExpectedVersion || error instanceof StreamClosed)) throw error;
        job = await repository.loadJob(jobId);
        // A job that has ended accepts no import, and none is due. Work that is still due must not be lost.
        if (error instanceof StreamClosed && job && isDue(job)) throw error;
      }
    }
  }
}

/** Time of the last write to a file of the workspace. */
function findLastChange(tree: Tree): Date {
  let last = 0;
  for (const { writtenAt } of Object.values(tree)) last = Math.max(last, Date.parse(writtenAt));
  return new Date(last);
}

/** Refuses to send commits that contain the value of a secret to a server. Masking would change the commits. */
async function assertNoSecret(
  patch: (onFound: () => void) => AsyncIterable<Uint8Array>,
  mask: SecretMask,
): Promise<void> {
  if (mask.isEmpty) return;
  let isFound = false;
  for await (const _ of patch(() => (isFound = true))) continue;
  if (isFound)
    throw new RepositoryProblem(
      'secret_in_change',
      'the commits contain the value of a secret; remove it from all of them, for example with a rebase, and request the output again',
    );
}

/** An encrypted job has no mirror, because none of its content may stay on a disk unencrypted. */
async function createPrivateMirror(scratch: string, create: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(scratch, 'mirror.git');
  await mkdir(folder);
  await create(folder);
  return folder;
}
