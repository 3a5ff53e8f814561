import { mkdir, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { ToolError, type CommandSettings, type ToolSettings } from '@phaseline/contracts';
import { MAX_FILE_BYTES, normaliseFolder, type FileChange } from '@phaseline/workspace';
import {
  fillReferences,
  maskSecrets,
  defineRemoteTool,
  type RemoteToolContext,
  type ToolOutcome,
} from '@phaseline/tools';
import { collectChanges, type CollectedChanges } from './collect-changes.js';
import { findProgram, buildSearchPath, runProcess, type ProcessResult } from '@phaseline/sandbox';
import { WorkspaceCopy } from './workspace-copy.js';

/** Time for copying files in and collecting changes, in addition to the time limit of the command. */
const COPY_MS = 60_000;
/** Maximum files that the result lists by name. */
const MAX_LISTED_FILES = 30;

const input = z
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
          .refine((text) => !text.includes('\0'), 'must not have NUL in it'),
      )
      .max(1_000)
      .default([])
      .describe('Its arguments, one by one; no shell reads them.'),
    command: z
      .string()
      .min(1)
      .max(100_000)
      .refine((text) => !text.includes('\0'), 'must not have NUL in it')
      .optional()
      .describe('In place of program: a whole line for the shell, where the agent may use one.'),
    cwd: z.string().max(500).default('').describe('Folder of the workspace to run in; its root by default.'),
    stdin: z.string().max(1_000_000).optional().describe('What the program reads from its standard input.'),
    timeout_seconds: z.int().min(1).max(3_600).optional().describe('Less time than it may take at most.'),
  })
  .refine(
    ({ program, command }) => (program === undefined) !== (command === undefined),
    "expected 'program' or 'command'",
  );
type Input = z.infer<typeof input>;

/**
 * Tool that runs a program on a copy of the workspace and records the files that it changed. Disabled unless the agent's settings
 * allow programs or a shell.
 */
export const runCommand = defineRemoteTool<Input>({
  name: 'run_command',
  description:
    'Runs a program on the files of the workspace and returns its exit code and output; files that it changes there are kept, anything else is not. It ends with the call: start nothing that should go on in the background.',
  input,
  effect: 'once',
  timeoutMs: 120_000 + COPY_MS,
  adjust: ({ commands }) =>
    commands
      ? { effect: commands.effect, timeoutMs: commands.timeoutMs + COPY_MS, note: describeAllowed(commands) }
      : { note: 'Not allowed for this agent.' },
  async run(context, value) {
    const settings = requireSettings(context.settings);
    const folders = buildSearchPath(settings.path);
    const { file, args } = await resolveProgram(value, settings, folders);
    const { values: env, secrets } = fillReferences(settings.env);
    const copy = await WorkspaceCopy.create(context.workspace, settings.workspaceBytes, context.signal);
    try {
      const cwd = join(copy.folder, normaliseFolder(value.cwd));
      await mkdir(cwd, { recursive: true }).catch((cause: unknown) => {
        throw new ToolError('bad_folder', `${value.cwd} is not a folder of the workspace.`, { cause });
      });
      const end = await runProcess(
        {
          file,
          args,
          cwd,
          ownFolder: await realpath(dirname(copy.folder)),
          env: { ...buildEnvironment(copy, folders), ...env },
          stdin: value.stdin,
          timeoutMs: Math.min(settings.timeoutMs, (value.timeout_seconds ?? Infinity) * 1_000),
          maxMemoryBytes: settings.memoryBytes,
          maxProcesses: settings.processes,
          maxFileBytes: Math.max(settings.changedBytes, MAX_FILE_BYTES),
          maxOutputBytes: settings.outputBytes,
        },
        context.signal,
      );
      const changes = await collectChanges(copy, context.workspace.tree, context.kind ?? 'tactical', settings);
      return buildOutcome(context, end, changes, secrets);
    } finally {
      await copy.remove();
    }
  },
});

function requireSettings(settings: ToolSettings | undefined): CommandSettings {
  if (settings?.commands) return settings.commands;
  throw new ToolError(
    'commands_off',
    'This agent may not run commands. Do it another way; only the definition of the agent can allow programs (settings.commands).',
  );
}

function describeAllowed({ allow, shell }: CommandSettings): string {
  const programs = allow.length > 0 ? `Allowed programs: ${allow.join(', ')}.` : '';
  return [programs, shell ? 'A shell is allowed: give a whole line as command.' : ''].filter(Boolean).join(' ');
}

async function resolveProgram(
  { program, args, command }: Input,
  settings: CommandSettings,
  folders: readonly string[],
): Promise<{ file: string; args: readonly string[] }> {
  if (command === undefined) return { file: await findProgram(program!, settings.allow, folders), args };
  if (!settings.shell)
    throw new ToolError(
      'no_shell',
      `This agent may not use a shell. Give program and args. ${describeAllowed(settings)}`,
    );
  return { file: '/bin/sh', args: ['-c', command] };
}

/** Returns the base environment of a command. It contains nothing of the service's own environment. */
function buildEnvironment(copy: WorkspaceCopy, folders: readonly string[]): Record<string, string> {
  return {
    PATH: folders.join(':'),
    HOME: copy.home,
    TMPDIR: copy.temporary,
    LANG: 'C.UTF-8',
    TZ: 'UTC',
    TERM: 'dumb',
  };
}

function buildOutcome(
  context: RemoteToolContext,
  end: ProcessResult,
  { files, rejected }: CollectedChanges,
  secrets: Readonly<Record<string, string>>,
): ToolOutcome {
  const lines = [
    `${describeEnd(end)} after ${(end.durationMs / 1_000).toFixed(1)} s.`,
    ...(end.missingLimit === undefined ? [] : [end.missingLimit]),
    ...(files.length > 0 ? [`Changed: ${describeFiles(files, context)}.`] : []),
    ...(rejected.length > 0 ? ['Not kept:', ...rejected.slice(0, MAX_LISTED_FILES).map((line) => `- ${line}`)] : []),
    ...(rejected.length > MAX_LISTED_FILES ? [`- and ${rejected.length - MAX_LISTED_FILES} more`] : []),
    ...formatOutput('stdout', end.stdout.text()),
    ...formatOutput('stderr', end.stderr.text()),
  ];
  return { content: maskSecrets(lines.join('\n'), secrets), files };
}

function describeEnd({ exitCode, signal, stoppedBy }: ProcessResult): string {
  if (stoppedBy === 'timeout') return 'Stopped, because its time was over,';
  if (stoppedBy === 'memory') return 'Stopped, because it took more memory than it may,';
  if (stoppedBy === 'processes') return 'Stopped, because it started more processes than it may,';
  return signal ? `Ended by the signal ${signal}` : `Exit code ${exitCode}`;
}

function describeFiles(files: readonly FileChange[], { workspace }: RemoteToolContext): string {
  const words = files.slice(0, MAX_LISTED_FILES).map((change) => {
    if ('content' in change)
      return `${change.path} (${workspace.tree[change.path] ? '' : 'new, '}${change.content.byteLength} bytes)`;
    return `${change.path} (deleted)`;
  });
  return files.length > MAX_LISTED_FILES
    ? `${words.join(', ')}, and ${files.length - MAX_LISTED_FILES} more`
    : words.join(', ');
}

function formatOutput(name: string, text: string): readonly string[] {
  return text === '' ? [`${name}: empty`] : [`${name}:`, text.trimEnd()];
}
