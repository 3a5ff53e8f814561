import { createInterface } from 'node:readline/promises';
import type { CommandContext } from '../command/command-context.js';
import type { PlanPerson, PlanWait } from './converse.js';

/** A person at the terminal. Questions go to standard error, so that standard output has only the result. */
export function createTerminalPerson({ out, input, signal }: CommandContext): PlanPerson {
  return {
    async reply(wait) {
      out.writeMessage('');
      out.writeMessage(wait.text);
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

function findProblem({ options }: PlanWait, given: string): string | undefined {
  if (given === '') return 'Please type a reply, or press Ctrl-C to answer later.';
  if (options && !options.includes(given)) return `Please type one of: ${options.join(', ')}`;
  return undefined;
}

/** Nobody is there: the plan waits. */
export const absentPerson: PlanPerson = { reply: async () => undefined };
