import { createHash } from 'node:crypto';
import type { CheckedSource } from './check-source.js';
import { OUTPUT_REF } from './collect-output.js';
import { RepositoryProblem } from './repository-problem.js';
import type { Git } from './run-git.js';

/** Name of the branch of an output for which none was requested. */
export function defaultBranch(
  jobId: string,
  head: string,
  { unverified }: { readonly unverified?: true } = {},
): string {
  return `phaseline/${unverified ? 'unverified-' : ''}${jobId.slice(0, 8)}-${createHash('sha256').update(`${jobId}/${head}`).digest('hex').slice(0, 8)}`;
}

/**
 * Writes the output to a branch of the target. A branch that has other commits is not overwritten; repeating the same push does nothing,
 * so this is safe after a crash. Throws RepositoryProblem `push_refused`.
 */
export async function pushBranch(git: Git, repository: string, target: CheckedSource, branch: string): Promise<void> {
  const settings = target.settings.flatMap((setting) => ['-c', setting]);
  // On this machine, the hooks of the target would run as the service.
  const receive = 'git -c core.hooksPath=/dev/null -c core.fsmonitor=false -c receive.autogc=false receive-pack';
  try {
    await git.run(repository, {
      args: [
        ...settings,
        ...['push', '--quiet', '--no-verify', '--no-signed', '--no-follow-tags', '--recurse-submodules=no'],
        `--receive-pack=${receive}`,
        '--',
        target.address,
        `${OUTPUT_REF}:refs/heads/${branch}`,
      ],
      env: target.env,
    });
  } catch (cause) {
    if (!(cause instanceof RepositoryProblem) || cause.code !== 'git_failed') throw cause;
    throw new RepositoryProblem('push_refused', `the branch ${branch} could not be written: ${cause.message}`, {
      cause,
    });
  }
}
