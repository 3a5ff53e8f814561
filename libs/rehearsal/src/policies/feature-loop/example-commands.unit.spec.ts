import { expect, it } from 'vitest';
import type { PastCall } from '../past-call.js';
import { hasSucceeded, listEndedCommands } from './example-commands.js';

const command = (result: string): PastCall => ({ name: 'run_command', arguments: {}, result, shown: 'whole' });

it('a command whose process died counts as not made, so that the model runs it again', () => {
  const died = 'The process that ran run_command died. The outcome is unknown: check whether it took effect.';
  const ended = listEndedCommands([
    command(died),
    command('Exit code 1 after 0.1 s.'),
    command('Exit code 0 after 0.1 s.'),
  ]);
  expect(ended.map(hasSucceeded)).toEqual([false, true]);
});
