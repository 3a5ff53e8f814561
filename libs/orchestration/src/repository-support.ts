import { isUsableGit, MIN_GIT_VERSION } from '@phaseline/contracts';

/** What a running tool-runner reports about its machine. */
export interface ReportedToolRunner {
  readonly host: string;
  /** Version of git; empty if it is not installed, and `undefined` if the process does not say. */
  readonly git: string | undefined;
}

/**
 * Returns why no running tool-runner can work with repositories; `undefined` if one can, or may be able to. None may be running at the
 * moment, so that a job waits for one.
 */
export function describeMissingGit(toolRunners: readonly ReportedToolRunner[]): string | undefined {
  const unable = toolRunners.filter(({ git }) => git !== undefined && !isUsableGit(git));
  if (toolRunners.length === 0 || unable.length < toolRunners.length) return undefined;
  const found = unable.map(({ host, git }) => (git === '' ? `none on ${host}` : `git ${git} on ${host}`));
  return (
    `no tool-runner can work with repositories: it needs git ${MIN_GIT_VERSION} or newer (found ${[...new Set(found)].join(', ')}). ` +
    'Have an operator install it on the machine of a tool-runner and restart that, then submit the job again'
  );
}
