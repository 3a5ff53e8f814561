import type { Command } from 'commander';
import type { RegisterAction } from './command-action.js';

const JOB = 'job id, or a unique prefix of it';
const DRAFT = 'make it although no accepted claim covers the changes, and mark it as unverified';

/** Adds the commands about the repositories of jobs. */
export function addRepositoryCommands(program: Command, action: RegisterAction): void {
  const repository = program.command('repository').description('the repository of a job, and its changes');
  const show = repository
    .command('show')
    .description('show the imported commit and the outputs')
    .argument('<job>', JOB);
  action(show, async () => (await import('../repository/repository.js')).showRepository);

  const patch = repository
    .command('patch')
    .description('make a patch of the changes, for "git am" on the imported commit')
    .argument('<job>', JOB)
    .option('--out <file>', 'write it to a file; default: standard output')
    .option('--draft', DRAFT);
  action(patch, async () => (await import('../repository/repository.js')).writePatch);

  const branch = repository
    .command('branch')
    .description('push the changes as a branch')
    .argument('<job>', JOB)
    .option('--branch <name>', 'name of the branch; default: phaseline/…')
    .option('--draft', DRAFT);
  action(branch, async () => (await import('../repository/repository.js')).publishBranch);

  const pull = repository
    .command('pull-request')
    .description('push the changes as a branch and open a pull request')
    .argument('<job>', JOB)
    .option('--branch <name>', 'name of the branch; default: phaseline/…')
    .option('--base <name>', 'branch to merge into; default: the imported one')
    .option('--title <text>', 'title; default: the name of the branch')
    .option('--body <text>', 'description')
    .option('--draft', DRAFT);
  action(pull, async () => (await import('../repository/repository.js')).openPullRequest);
}
