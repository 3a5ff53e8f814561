import type { CallId, ProcessId } from '@phaseline/contracts';
import type { JobEvent, PhaseState } from '@phaseline/domain';
import { WrongExpectedVersion, type EventStore } from '@phaseline/event-store';
import { buildJobAppend, type JobRepository } from '@phaseline/repository';
import { createJobMask, type ReadJobSecret } from './job-mask.js';
import { HEAD_FILE, listMadeCommits, readHead } from './read-head.js';

export interface HeadRecorderParts {
  readonly processId: ProcessId;
  readonly store: EventStore;
  readonly repository: JobRepository;
  readonly readSecret: ReadJobSecret;
}

/** Number of jobs whose recorded head is remembered. */
const MAX_REMEMBERED_JOBS = 1_000;

/**
 * Records in the log of a job that the head of its repository moved: the agent made commits, or chose another one. The head is read from
 * the recorded files, so repeating this after a crash records it once, and a head that was missed is recorded after the next call. A job
 * that ended meanwhile accepts it too, because the commits are in its files.
 */
export class HeadRecorder {
  private readonly recorded = new Map<string, string>();

  constructor(private readonly parts: HeadRecorderParts) {}

  /** Whether the job works on a repository. */
  concerns({ tree }: PhaseState): boolean {
    return Object.hasOwn(tree, HEAD_FILE);
  }

  /** Compares the head after a call with the recorded one. `state` contains the end of the call. */
  async record(state: PhaseState, callId: CallId): Promise<void> {
    const { jobId, phase } = state.start.identity;
    const { store, repository, processId, readSecret } = this.parts;
    const blobs = store.blobs.forJob(jobId);
    const head = await readHead(state.tree, blobs);
    if (head === undefined || this.recorded.get(jobId) === head) return;
    for (;;) {
      const job = await repository.loadJob(jobId);
      const previous = job?.repository?.head;
      if (!job || job.erased || previous === undefined) return;
      if (previous !== head) {
        const mask = await createJobMask(job, readSecret);
        const commits = await listMadeCommits(state.tree, blobs, mask, { head, previous });
        const event: JobEvent = {
          type: 'RepositoryChanged',
          data: { phase, callId, head, commits: commits.map((commit) => ({ ...commit })) },
        };
        const origin = { actor: { id: processId, kind: 'process' }, causationId: callId } as const;
        try {
          await store.append(buildJobAppend(jobId, job.version, [event], origin));
        } catch (error) {
          if (error instanceof WrongExpectedVersion) continue;
          throw error;
        }
      }
      if (this.recorded.size >= MAX_REMEMBERED_JOBS) this.recorded.clear();
      this.recorded.set(jobId, head);
      return;
    }
  }
}
