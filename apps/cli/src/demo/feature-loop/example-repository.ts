import { cp, mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { buildProgramEnvironment, runProgram } from '@phaseline/basics/processes';
import { isUsableGit, MIN_GIT_VERSION, parseGitVersion } from '@phaseline/contracts';
import { BadEnvironment } from '../../command/command-errors.js';
import { projectRoot } from '../../stack/project-files.js';

/** The example of the workflow `feature-loop`: a task, and the files of the repository that it concerns. */
const EXAMPLE = join(projectRoot, 'agents', 'feature-lead', 'example');

/** A repository made from the example, and the task. */
export interface ExampleRepository {
  /** Folder below which jobs may name repositories. */
  readonly root: string;
  readonly path: string;
  readonly task: string;
}

/** The same author and time in each demo, so that the commit is the same as well. */
const COMMIT = {
  GIT_AUTHOR_NAME: 'Phaseline demo',
  GIT_AUTHOR_EMAIL: 'demo@example.org',
  GIT_AUTHOR_DATE: '2026-01-01T00:00:00Z',
  GIT_COMMITTER_NAME: 'Phaseline demo',
  GIT_COMMITTER_EMAIL: 'demo@example.org',
  GIT_COMMITTER_DATE: '2026-01-01T00:00:00Z',
};

/** Makes a repository with one commit from the example, in place of that of an earlier demo. Throws BadEnvironment without git. */
export async function makeExampleRepository(homeDirectory: string, signal: AbortSignal): Promise<ExampleRepository> {
  const root = join(homeDirectory, 'demo');
  const path = join(root, 'todos');
  const env = buildProgramEnvironment({ GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null', ...COMMIT });
  await requireGit(env);
  await rm(path, { recursive: true, force: true });
  await mkdir(root, { recursive: true });
  await cp(join(EXAMPLE, 'repository'), path, { recursive: true });
  for (const args of [
    ['init', '--quiet', '--initial-branch=main'],
    ['add', '--all'],
    ['commit', '--quiet', '--message=Begin'],
  ])
    await runProgram('git', args, { cwd: path, env, signal });
  return { root, path, task: await readFile(join(EXAMPLE, 'task.md'), 'utf8') };
}

async function requireGit(env: Readonly<Record<string, string>>): Promise<void> {
  const { stdout } = await runProgram('git', ['--version'], { env }).catch(() => ({ stdout: '' }));
  if (isUsableGit(parseGitVersion(stdout) ?? '')) return;
  throw new BadEnvironment(
    `The demo of the workflow feature-loop works on a repository, and needs git ${MIN_GIT_VERSION} or newer.`,
  );
}
