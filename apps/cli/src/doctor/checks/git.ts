import { isUsableGit, MIN_GIT_VERSION } from '@phaseline/contracts';
import { ok, warn, type Check } from '../check.js';

/** Reports tool-runners that cannot work with repositories. */
export const git: Check = {
  name: 'git',
  needs: ['schema'],
  run: async ({ processes }) => {
    const alive = (await processes.listReports()).filter(({ service, isDead }) => service === 'tool-runner' && !isDead);
    const known = alive.flatMap(({ processId, host, abilities }) =>
      abilities['git'] === undefined ? [] : [{ processId, host, version: abilities['git'] }],
    );
    const unable = known.filter(({ version }) => !isUsableGit(version));
    if (unable.length > 0)
      return unable.map(({ processId, host, version }) =>
        warn(
          `${processId} cannot work with repositories: ${version === '' ? `git is not installed on ${host}` : `git ${version} on ${host} is older than ${MIN_GIT_VERSION}`}`,
          `install git ${MIN_GIT_VERSION} or newer on ${host} and restart the tool-runner, if jobs with a repository are to run there`,
        ),
      );
    const versions = [...new Set(known.map(({ version }) => version))];
    return ok(versions.length === 0 ? 'no tool-runner reports a version of git' : `git ${versions.join(', ')}`);
  },
};
