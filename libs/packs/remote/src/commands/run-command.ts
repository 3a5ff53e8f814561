import { commandsSpec, describeAllowedCommands, MAX_RESULT_OUTPUT } from '@phaseline/pack-specs';
import {
  type ToolInput,
  type ToolRun,
  CallSecrets,
  clipResult,
  type RemoteToolContext,
  type ToolOutcome,
} from '@phaseline/tools';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ToolError, type CommandSettings, type ToolSettings } from '@phaseline/contracts';
import { MAX_FILE_BYTES, normaliseFolder, type FileChange } from '@phaseline/workspace';
import { findProgram, buildSearchPath, runProcess, type ProcessResult } from '@phaseline/sandbox';
import { DEFAULT_WORKSPACE_SETTINGS } from '@phaseline/domain';
import type { KeptFolders, OpenFolder, PhaseFolder, TakenIn } from './folder/kept-folder.js';

/** Maximum files that the result lists by name. */
const MAX_LISTED_FILES = 30;

type Input = ToolInput<typeof commandsSpec, 'run_command'>;

/**
 * Creates the tool that runs a program in the working folder of the phase and records the files that it changed. Disabled unless the
 * agent's settings allow programs or a shell.
 */
export function createRunCommand(folders: KeptFolders): ToolRun<typeof commandsSpec, 'run_command'> {
  return async (context, value) => {
    const settings = requireSettings(context.settings);
    const searchPath = buildSearchPath(settings.path);
    const program = await resolveProgram(value, settings, searchPath);
    const secrets = context.secrets ?? new CallSecrets();
    const env = await secrets.fill(settings.env, settings.secrets);
    const request = {
      jobId: context.jobId,
      phase: context.phase ?? 1,
      kind: context.kind ?? 'tactical',
      workspace: context.workspace,
      settings: context.workspaceSettings ?? DEFAULT_WORKSPACE_SETTINGS,
      limits: settings,
      signal: context.signal,
    };
    return folders.use(request, (folder) =>
      runInFolder(context, value, settings, { ...program, searchPath, env, secrets }, folder),
    );
  };
}

interface Program {
  readonly file: string;
  readonly args: readonly string[];
  readonly searchPath: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly secrets: CallSecrets;
}

async function runInFolder(
  context: RemoteToolContext,
  value: Input,
  settings: CommandSettings,
  { file, args, searchPath, env, secrets }: Program,
  folder: OpenFolder,
): Promise<ToolOutcome> {
  const cwd = join(folder.folder, normaliseFolder(value.cwd));
  await mkdir(cwd, { recursive: true }).catch((cause: unknown) => {
    throw new ToolError('bad_folder', `${value.cwd} is not a folder of the workspace.`, { cause });
  });
  const end = await runProcess(
    {
      file,
      args,
      cwd,
      ownFolder: dirname(folder.folder),
      env: { ...buildEnvironment(folder, searchPath), ...env },
      stdin: value.stdin,
      timeoutMs: Math.min(settings.timeoutMs, (value.timeout_seconds ?? Infinity) * 1_000),
      maxMemoryBytes: settings.maxMemoryBytes,
      maxProcesses: settings.maxProcesses,
      maxFileBytes: Math.max(settings.maxChangedBytes, MAX_FILE_BYTES),
      maxOutputBytes: settings.maxOutputBytes,
      mask: secrets.mask,
    },
    context.signal,
  );
  const taken = await folder.takeIn();
  return buildOutcome(context, end, taken, folder);
}

function requireSettings(settings: ToolSettings | undefined): CommandSettings {
  if (settings?.commands) return settings.commands;
  throw new ToolError(
    'commands_off',
    'This agent may not run commands. Use another tool. Programs can be allowed only in the definition of the agent (settings.commands).',
  );
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
      `This agent may not use a shell. Pass 'program' and 'args' instead. ${describeAllowedCommands(settings)}`,
    );
  return { file: '/bin/sh', args: ['-c', command] };
}

/** Returns the base environment of a command. It contains nothing of the service's own environment. */
function buildEnvironment({ home, tmp }: PhaseFolder, folders: readonly string[]): Record<string, string> {
  return {
    PATH: folders.join(':'),
    HOME: home,
    TMPDIR: tmp,
    LANG: 'C.UTF-8',
    TZ: 'UTC',
    TERM: 'dumb',
    // Git refuses a folder of another user, such as the one that a sandbox shows, unless it is named here.
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'safe.directory',
    GIT_CONFIG_VALUE_0: '*',
  };
}

function buildOutcome(
  context: RemoteToolContext,
  end: ProcessResult,
  { files, rejected }: TakenIn,
  { outside, restored }: OpenFolder,
): ToolOutcome {
  const stdout = end.stdout.text();
  const stderr = end.stderr.text();
  const lines = [
    `${describeEnd(end)} after ${(end.durationMs / 1_000).toFixed(1)} s.`,
    ...(end.missingLimit === undefined ? [] : [end.missingLimit]),
    ...(outside.length > 0 ? [`Changed on disk by no command, and recorded: ${listPaths(outside)}.`] : []),
    ...(restored.length > 0 ? ['Changed on disk by no command, and restored:', ...formatList(restored)] : []),
    ...(files.length > 0 ? [`Changed: ${describeFiles(files, context)}.`] : []),
    ...(rejected.length > 0 ? ['Not stored:', ...formatList(rejected)] : []),
    ...formatOutput('stdout', stdout),
    ...formatOutput('stderr', stderr),
  ];
  const result = {
    exitCode: end.exitCode,
    stdout: clipResult(stdout, MAX_RESULT_OUTPUT),
    stderr: clipResult(stderr, MAX_RESULT_OUTPUT),
    timedOut: end.stoppedBy === 'timeout',
  };
  return { content: lines.join('\n'), files: [...outside, ...files], result };
}

function describeEnd({ exitCode, signal, stoppedBy }: ProcessResult): string {
  if (stoppedBy === 'timeout') return 'Stopped because it exceeded its time limit,';
  if (stoppedBy === 'memory') return 'Stopped because it exceeded its memory limit,';
  if (stoppedBy === 'processes') return 'Stopped because it exceeded its process limit,';
  return signal ? `Killed by signal ${signal}` : `Exit code ${exitCode}`;
}

function formatList(items: readonly string[]): readonly string[] {
  const more = items.length - MAX_LISTED_FILES;
  return [...items.slice(0, MAX_LISTED_FILES).map((item) => `- ${item}`), ...(more > 0 ? [`- and ${more} more`] : [])];
}

function listPaths(files: readonly FileChange[]): string {
  const more = files.length - MAX_LISTED_FILES;
  const paths = files.slice(0, MAX_LISTED_FILES).map(({ path }) => path);
  return more > 0 ? `${paths.join(', ')}, and ${more} more` : paths.join(', ');
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
