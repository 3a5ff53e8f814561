import { commandsSpec, describeAllowedCommands, MAX_RESULT_OUTPUT } from '@phaseline/pack-specs';
import {
  type ToolInput,
  type ToolRun,
  CallSecrets,
  clipResult,
  type RemoteToolContext,
  type ToolOutcome,
} from '@phaseline/tools';
import { ToolError, type CommandSettings, type Service, type ToolSettings } from '@phaseline/contracts';
import { MAX_FILE_BYTES, normaliseFolder, type FileChange } from '@phaseline/workspace';
import { findServiceNotReady, type CommandResult, type Sandbox } from '@phaseline/sandbox';
import { DEFAULT_WORKSPACE_SETTINGS } from '@phaseline/domain';
import { makeWorkingFolder } from './folder/working-folder.js';
import type { KeptFolders, OpenFolder, TakenIn } from './folder/kept-folder.js';

/** Maximum files that the result lists by name. */
const MAX_LISTED_FILES = 30;

/** Default limit on the bytes of the workspace and the private `/tmp` together. */
const MAX_DISK_BYTES = 4 * 1024 * 1024 * 1024;

/** Git refuses a folder of another user, such as the one that a sandbox shows, unless it is named here. */
const GIT_VARIABLES = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'safe.directory', GIT_CONFIG_VALUE_0: '*' };

type Input = ToolInput<typeof commandsSpec, 'run_command'>;

export interface CommandsHost {
  /** The working folders in which commands run. */
  readonly folders: KeptFolders;
  readonly sandbox: Sandbox;
}

/**
 * Creates the tool that runs a program in a sandbox on the working folder of the phase and records the files that it changed. Disabled
 * unless the agent's settings allow programs or a shell, and where the machine cannot contain commands.
 */
export function createRunCommand({ folders, sandbox }: CommandsHost): ToolRun<typeof commandsSpec, 'run_command'> {
  return async (context, value) => {
    const settings = requireSettings(context.settings);
    const program = await resolveProgram(value, settings, sandbox);
    const secrets = context.secrets ?? new CallSecrets();
    const env = await secrets.fill(settings.env, settings.secrets);
    const request = {
      jobId: context.jobId,
      phase: context.phase ?? 1,
      kind: context.kind ?? 'tactical',
      workspace: context.workspace,
      settings: context.workspaceSettings ?? DEFAULT_WORKSPACE_SETTINGS,
      limits: settings,
      owner: await sandbox.getOwner(),
      signal: context.signal,
    };
    return folders.use(request, (folder) =>
      runInFolder(context, value, settings, { ...program, env, secrets, sandbox }, folder),
    );
  };
}

interface Program {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly secrets: CallSecrets;
  readonly sandbox: Sandbox;
}

async function runInFolder(
  context: RemoteToolContext,
  value: Input,
  settings: CommandSettings,
  { file, args, env, secrets, sandbox }: Program,
  folder: OpenFolder,
): Promise<ToolOutcome> {
  const cwd = normaliseFolder(value.cwd);
  await makeWorkingFolder(folder.folder, cwd).catch((cause: unknown) => {
    throw new ToolError('bad_folder', `${value.cwd} is not a folder of the workspace.`, { cause });
  });
  const { recordEvent, callId } = context;
  const end = await sandbox.run(
    {
      file,
      args,
      cwd,
      env: { ...GIT_VARIABLES, ...env },
      path: settings.path,
      folders: folder,
      limits: {
        timeoutMs: Math.min(settings.timeoutMs, (value.timeout_seconds ?? Infinity) * 1_000),
        maxMemoryBytes: settings.maxMemoryBytes,
        maxProcesses: settings.maxProcesses,
        maxFileBytes: Math.max(settings.maxChangedBytes, MAX_FILE_BYTES),
        maxDiskBytes: settings.maxDiskBytes ?? MAX_DISK_BYTES,
      },
      network: settings.network,
      services: settings.services,
      onConnection: (connection) => recordEvent?.({ type: 'ConnectionRecorded', data: { callId, ...connection } }),
    },
    { stdin: value.stdin, maxOutputBytes: settings.maxOutputBytes, mask: secrets.mask },
    context.signal,
  );
  if (end.stoppedBy) recordEvent?.({ type: 'CommandStopped', data: { callId, ...end.stoppedBy } });
  const taken = await folder.takeIn();
  return buildOutcome(context, settings, end, taken, folder);
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
  sandbox: Sandbox,
): Promise<{ file: string; args: readonly string[] }> {
  if (command === undefined) return { file: await sandbox.findProgram(program!, settings.allow, settings.path), args };
  if (!settings.shell)
    throw new ToolError(
      'no_shell',
      `This agent may not use a shell. Pass 'program' and 'args' instead. ${describeAllowedCommands(settings)}`,
    );
  return { file: '/bin/sh', args: ['-c', command] };
}

function buildOutcome(
  context: RemoteToolContext,
  { services = [] }: CommandSettings,
  end: CommandResult,
  { files, rejected }: TakenIn,
  { outside, restored }: OpenFolder,
): ToolOutcome {
  const stdout = end.stdout.text();
  const stderr = end.stderr.text();
  const lines = [
    ...describeServiceNotReady(services, end),
    `${describeEnd(end)} after ${(end.durationMs / 1_000).toFixed(1)} s.`,
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
    timedOut: end.stoppedBy?.limit === 'time',
  };
  return { content: lines.join('\n'), files: [...outside, ...files], result };
}

const LIMIT_NAMES = { time: 'time', memory: 'memory', processes: 'process', disk: 'disk', output: 'output' } as const;

function describeEnd({ exitCode, signal, stoppedBy }: CommandResult): string {
  if (stoppedBy)
    return `Stopped because it exceeded its ${LIMIT_NAMES[stoppedBy.limit]} limit (${stoppedBy.value} ${stoppedBy.unit}),`;
  return signal ? `Killed by signal ${signal}` : `Exit code ${exitCode}`;
}

function describeServiceNotReady(services: readonly Service[], { exitCode, stderr }: CommandResult): readonly string[] {
  const notReady = services.length === 0 ? undefined : findServiceNotReady(exitCode, stderr.text());
  if (!notReady) return [];
  const argv = services[notReady.number - 1]?.argv ?? [];
  return [`Service ${notReady.number} (${argv.join(' ')}) ${notReady.reason}, so the command was not started.`];
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
