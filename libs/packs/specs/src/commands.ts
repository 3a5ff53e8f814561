import type { CommandSettings } from '@phaseline/contracts';
import { z } from 'zod';
import { declareDomainPack } from './declare-pack.js';

/** Time for copying files in and collecting changes, in addition to the time limit of the command. */
const COPY_MS = 60_000;

/** Maximum characters of each output in the structured result. */
export const MAX_RESULT_OUTPUT = 8_000;

const NO_NUL = [(text: string) => !text.includes('\0'), 'must not contain NUL characters'] as const;

/** Tool that runs installed programs on the files of the job, for agents whose settings allow it. */
export const commandsSpec = declareDomainPack('commands', {
  run_command: {
    lane: 'remote',
    description:
      'Runs a program on the files of the workspace and returns its exit code and output. Changed files in the workspace are stored; nothing else is kept. All its processes end with the call, so do not start background processes.',
    input: z
      .strictObject({
        program: z
          .string()
          .min(1)
          .max(500)
          .optional()
          .describe('The program, as named in the list of allowed programs.'),
        args: z
          .array(
            z
              .string()
              .max(100_000)
              .refine(...NO_NUL),
          )
          .max(1_000)
          .default([])
          .describe('Its arguments as a list. They are not interpreted by a shell.'),
        command: z
          .string()
          .min(1)
          .max(100_000)
          .refine(...NO_NUL)
          .optional()
          .describe("A shell command line, instead of 'program'. Only if the agent may use a shell."),
        cwd: z
          .string()
          .max(500)
          .default('')
          .describe('Working directory in the workspace. Default: the root of the workspace.'),
        stdin: z.string().max(1_000_000).optional().describe('Standard input of the program.'),
        timeout_seconds: z
          .int()
          .min(1)
          .max(3_600)
          .optional()
          .describe('A shorter time limit than the configured maximum.'),
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

/** Returns sentences for the model that name what `run_command` may run, and what runs beside it. */
export function describeAllowedCommands({ allow, shell, services = [] }: CommandSettings): string {
  const programs = allow.length > 0 ? `Allowed programs: ${allow.join(', ')}.` : '';
  const lines = services.map(({ argv }) => argv.join(' ')).join('; ');
  return [
    programs,
    shell ? "A shell is allowed: pass a command line as 'command'." : '',
    lines === '' ? '' : `Started beside each command, and ended with it: ${lines}.`,
  ]
    .filter(Boolean)
    .join(' ');
}
