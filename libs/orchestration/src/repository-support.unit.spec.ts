import { isUsableGit, parseGitVersion } from '@phaseline/contracts';
import { expect, it } from 'vitest';
import { describeMissingGit } from './repository-support.js';

it.each([
  ['git version 2.39.5', '2.39.5', true],
  ['git version 2.37.0.windows.1', '2.37.0', true],
  ['git version 2.36.9 (Apple Git-137)', '2.36.9', false],
  ['git version 3.0', '3.0', true],
  ['git version 1.99.0', '1.99.0', false],
  ['sh: git: not found', undefined, false],
])('reads the version from "%s"', (printed, version, isUsable) => {
  expect(parseGitVersion(printed)).toBe(version);
  expect(isUsableGit(version ?? '')).toBe(isUsable);
});

it('a repository is refused only if every running tool-runner says that it has no usable git', () => {
  const runner = (git: string | undefined) => ({ host: 'a', git });
  expect(describeMissingGit([])).toBeUndefined();
  expect(describeMissingGit([runner(undefined), runner('')])).toBeUndefined();
  expect(describeMissingGit([runner('2.39.5'), runner('')])).toBeUndefined();
  expect(describeMissingGit([runner(''), { host: 'b', git: '2.20.1' }])).toBe(
    'no tool-runner can work with repositories: it needs git 2.37 or newer (found none on a, git 2.20.1 on b). ' +
      'Have an operator install it on the machine of a tool-runner and restart that, then submit the job again',
  );
});
