import { createInterface } from 'node:readline/promises';
import type { PlanWait } from '@phaseline/client';
import type { CommandContext } from '../command/command-context.js';
import type { PlanPerson } from './converse.js';

/** A person at the terminal. Questions go to standard error, so that standard output has only the result. */
export function createTerminalPerson({ out, input, signal }: CommandContext): PlanPerson {
  return {
    async reply(wait) {
      out.writeMessage('');
      out.writeMessage(wait.question);
      const lines = createInterface({ input, output: process.stderr });
      try {
        for (;;) {
          const given = (await lines.question('> ', { signal })).trim();
          const problem = findProblem(wait, given);
          if (problem === undefined) return given;
          out.writeMessage(problem);
        }
      } finally {
        lines.close();
      }
    },
  };
}

function findProblem(wait: PlanWait, given: string): string | undefined {
  if (given === '') return 'Please type a reply, or press Ctrl-C to answer later.';
  // A request for approval accepts any wish; its options are only the usual replies.
  if (wait.kind === 'question' && wait.options && !wait.options.includes(given))
    return `Please type one of: ${wait.options.join(', ')}`;
  return undefined;
}

/** Nobody is there: the plan waits. */
export const absentPerson: PlanPerson = { reply: async () => undefined };
