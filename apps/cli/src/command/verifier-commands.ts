import type { Command } from 'commander';
import type { RegisterAction } from './command-action.js';

/** Adds the commands about verifiers. None of them needs a server. */
export function addVerifierCommands(program: Command, action: RegisterAction): void {
  const verifiers = program.command('verifiers').description('commands that check the work of agents');
  const list = verifiers
    .command('list')
    .description('list the verifiers of an agent')
    .argument('<agent>', 'name of the agent');
  action(list, async () => (await import('../verifier/list-verifiers.js')).listVerifiers);
  const run = verifiers
    .command('run')
    .description('run a verifier on a folder, in the sandbox of this machine; exit code 1 unless it passes')
    .argument('<agent>', 'name of the agent')
    .argument('<verifier>', 'name of the verifier')
    .option('--dir <folder>', 'folder that is verified, in the place of the workspace of a job', '.')
    .option('--begin <folder>', 'folder with the files as they were when the work began; default: the same folder')
    .option('--output', 'print the output of the command too');
  action(run, async () => (await import('../verifier/run-verifier.js')).runVerifierOnFolder);
}
