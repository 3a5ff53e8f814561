import type { CommandSettings } from '@phaseline/contracts';
import { z } from 'zod';
import { declarePack } from './declare-pack.js';

/** Time for copying files in and collecting changes, in addition to the time limit of the command. */
const COPY_MS = 60_000;

/** Maximum characters of each output in the structured result. */
export const MAX_RESULT_OUTPUT = 8_000;

const NO_NUL = [(text: string) => !text.includes('\0'), 'must not have NUL in it'] as const;

/** Tool that runs installed programs on the files of the job, for agents whose settings allow it. */
export const commandsSpec = declarePack('commands', {
  run_command: {
    lane: 'remote',
    description:
      'Runs a program on the files of the workspace and returns its exit code and output; files that it changes there are kept, anything else is not. It ends with the call: start nothing that should go on in the background.',
    input: z
      .strictObject({
        program: z
          .string()
          .min(1)
          .max(500)
          .optional()
          .describe('The program, as it is named in the list of those allowed.'),
        args: z
          .array(
            z
              .string()
              .max(100_000)
              .refine(...NO_NUL),
          )
          .max(1_000)
          .default([])
          .describe('Its arguments, one by one; no shell reads them.'),
        command: z
          .string()
          .min(1)
          .max(100_000)
          .refine(...NO_NUL)
          .optional()
          .describe('In place of program: a whole line for the shell, where the agent may use one.'),
        cwd: z.string().max(500).default('').describe('Folder of the workspace to run in; its root by default.'),
        stdin: z.string().max(1_000_000).optional().describe('What the program reads from its standard input.'),
        timeout_seconds: z.int().min(1).max(3_600).optional().describe('Less time than it may take at most.'),
      })
      .refine(
        ({ program, command }) => (program === undefined) !== (command === undefined),
        "expected 'program' or 'command'",
      ),
    result: z.strictObject({
      /** Null when the program was stopped or ended by a signal. */
      exitCode: z.int().nullable(),
      /** Output, at most MAX_RESULT_OUTPUT characters each; the beginning and the end of a longer one. */
      stdout: z.string().max(MAX_RESULT_OUTPUT),
      stderr: z.string().max(MAX_RESULT_OUTPUT),
      timedOut: z.boolean(),
    }),
    effect: 'once',
    timeoutMs: 120_000 + COPY_MS,
    adjust: ({ commands }) =>
      commands
        ? {
            effect: commands.effect,
            timeoutMs: commands.timeoutMs + COPY_MS,
            note: describeAllowedCommands(commands),
          }
        : { note: 'Not allowed for this agent.' },
  },
});

/** Returns sentences for the model that name what `run_command` may run. */
export function describeAllowedCommands({ allow, shell }: CommandSettings): string {
  const programs = allow.length > 0 ? `Allowed programs: ${allow.join(', ')}.` : '';
  return [programs, shell ? 'A shell is allowed: give a whole line as command.' : ''].filter(Boolean).join(' ');
}
