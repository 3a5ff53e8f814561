import type { CallId, JobId } from '@phaseline/contracts';
import { repositorySpec } from '@phaseline/pack-specs';
import { implementPack, type ToolPack } from '@phaseline/tools';

/** The pull request that a call of an agent asks for. */
export interface PullRequestCall {
  readonly jobId: JobId;
  readonly phase: number;
  readonly callId: CallId;
  readonly title: string;
  readonly body: string;
  readonly base?: string | undefined;
}

export interface OpenedPullRequest {
  readonly url: string;
  readonly branch: string;
  readonly commits: number;
  /** False if an earlier call of the job opened it. */
  readonly created: boolean;
}

/** What makes pull requests of jobs. */
export interface RepositoryHost {
  /** Opens the pull request of a job, or returns the one that an earlier call opened. Throws ToolError. */
  openPullRequest(call: PullRequestCall, signal: AbortSignal): Promise<OpenedPullRequest>;
}

/** Creates the pack of the tool that opens a pull request with the changes of a job. */
export function createRepositoryPack(host: RepositoryHost): ToolPack {
  return implementPack(repositorySpec, {
    async open_pull_request({ jobId, callId, phase = 1, signal }, input) {
      const { created, ...result } = await host.openPullRequest({ jobId, phase, callId, ...input }, signal);
      const content = created
        ? `Opened ${result.url} from the branch ${result.branch}.`
        : `This job already opened ${result.url} from the branch ${result.branch}. Changes made since are not part of it.`;
      return { content, result };
    },
  });
}
