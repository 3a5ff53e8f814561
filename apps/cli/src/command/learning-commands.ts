import type { Command } from 'commander';
import type { RegisterAction } from './command-action.js';
import { parsePast } from './option-values.js';

/** Adds the commands about what can be learned from ended work. */
export function addLearningCommands(program: Command, action: RegisterAction): void {
  const learning = program.command('learning').description('what can be learned from ended work');
  const calibration = learning
    .command('calibration')
    .description('show the confidence of drafts of plans against what became of them, by agent and model')
    .option('--agent <agent>', 'only drafts of this agent')
    .option('--model <model>', 'only drafts of this model')
    .option('--since <time>', 'only drafts since: a duration such as 2h or 7d, or a date', parsePast);
  action(calibration, async () => (await import('../learning/calibration.js')).showCalibration);
}
