import { chmod, cp, lstat, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SecretMask } from '@phaseline/basics/secrets';
import { ToolError, type ChatMessage } from '@phaseline/contracts';
import type { CommandConnection, CommandFolders, Sandbox } from '@phaseline/sandbox';
import { buildHookInput, type HookOccasion, type HookSession } from '../input/build-input.js';
import { renderTranscript } from '../input/render-transcript.js';
import { readHookResult, type HookEnd, type HookFailure } from '../result/read-result.js';
import { toGuardDecision, type HookDecision } from '../result/to-guard-decision.js';
import type { CommandHandler } from '../settings/hook-handler.js';
import { selectHandlers } from '../settings/select-handlers.js';
import {
  buildHookCommand,
  PLUGIN_DATA_FOLDER,
  PLUGINS_FOLDER,
  RUN_FOLDER,
  SET_FOLDER,
  TRANSCRIPT_FILE,
} from './hook-command.js';
import { spillLongTexts, type SpilledFile } from './spill-long-texts.js';

/** Maximum bytes of each output of a hook that are kept. */
const MAX_OUTPUT_BYTES = 1024 * 1024;

export interface CommandGuardRequest {
  readonly handlers: readonly CommandHandler[];
  /** What happened. */
  readonly occasion: HookOccasion;
  /** Names the job to hooks. */
  readonly sessionId: string;
  /** Set for a phase of another agent than the job's own, and for a child job. */
  readonly agent?: HookSession['agent'];
  readonly effort?: string | undefined;
  /** The conversation of the phase, which hooks read as a transcript. */
  readonly messages: readonly ChatMessage[];
  /** The guard set, and the folder with its files, from `GuardSetFolders`. */
  readonly set: { readonly name: string; readonly folder: string };
  /** Folders of the phase. Changes of its files are never to be taken in: only commands of the agent change the workspace. */
  readonly workspace: CommandFolders;
  readonly sandbox: Sandbox;
  /** Variables of the guard set and its declared secrets, which `mask` hides in all outputs. */
  readonly env?: Readonly<Record<string, string>>;
  readonly mask?: SecretMask | undefined;
  /** Hosts that the guard set may reach; none if absent. */
  readonly network?: readonly string[];
  readonly onConnection?: (connection: CommandConnection) => void;
  /** Folders searched for programs before those of the system. */
  readonly path?: readonly string[];
  readonly signal: AbortSignal;
}

/** What one hook decided. */
export interface CommandGuardDecision {
  /** Name of its handler. */
  readonly guard: string;
  /** Absent if it had nothing to say. */
  readonly decision?: HookDecision;
  /** Milliseconds from the start of its process to the end; 0 if it did not start. */
  readonly durationMs: number;
  /** Files with the texts that were too long, for the stored results of the job. */
  readonly files: readonly SpilledFile[];
}

/**
 * Runs the hooks that an occasion fires, side by side in the sandbox, and reads what each decided, in the order of the handlers. A hook that
 * fails decides as its `onFailure` says; this function throws only when `signal` is aborted, or when the machine cannot contain commands
 * (ToolError `no_sandbox`).
 *
 * The guard set covers `.claude` of the working directory, and hooks cannot change it. A `.claude` of the workspace is never seen. All hooks
 * share the working directory and `/tmp` of the phase; what they change in the working directory is not part of the job, so the caller must not
 * take in the folder afterwards.
 */
export async function runCommandGuards(request: CommandGuardRequest): Promise<readonly CommandGuardDecision[]> {
  const { sandbox, workspace, set, signal, occasion, sessionId, agent, effort } = request;
  const { workspace: root, tmp } = await sandbox.getPaths(workspace);
  const isContained = (await sandbox.check()).mechanism !== 'none';
  const runFolder = await realpath(await mkdtemp(join(tmpdir(), 'phaseline-hooks-')));
  try {
    const seenRunFolder = isContained ? RUN_FOLDER : runFolder;
    const transcriptPath = join(seenRunFolder, TRANSCRIPT_FILE);
    const input = buildHookInput({ sessionId, transcriptPath, root, agent, effort }, occasion);
    const selected = selectHandlers(request.handlers, input, root);
    if (selected.length === 0) return [];
    const transcript = renderTranscript(request.messages, { sessionId, root });
    await writeFile(join(runFolder, TRANSCRIPT_FILE), transcript, { mode: 0o444 });
    // Plugins import their own files as a package of their name, from the folder above their root, so `.claude` cannot be that root.
    const plugin = join(PLUGINS_FOLDER, set.name);
    await mkdir(join(runFolder, PLUGINS_FOLDER), { mode: 0o755 });
    await symlink(join(root, SET_FOLDER), join(runFolder, plugin));
    // Hooks of another user read it.
    await chmod(runFolder, 0o755);
    await mkdir(join(workspace.tmp, PLUGIN_DATA_FOLDER), { recursive: true });
    await prepareSetFolder(workspace.folder, isContained ? undefined : set.folder);
    const mounts = isContained
      ? [
          { from: set.folder, at: join(root, SET_FOLDER) },
          { from: runFolder, at: RUN_FOLDER },
        ]
      : [];
    const pluginRoot = join(seenRunFolder, plugin);
    const terms = { root, tmp, pluginRoot, folders: workspace, mounts, ...readTerms(request) };
    const stdin = `${JSON.stringify(input)}\n`;
    const about =
      'call' in occasion ? { call: occasion.call, surroundings: { root, readText: occasion.readText } } : undefined;
    return await Promise.all(
      selected.map(async (handler): Promise<CommandGuardDecision> => {
        const { end, durationMs } = await runHook(request, buildHookCommand(handler, terms), stdin);
        const { outcome, files } = spillLongTexts(readHookResult(handler, end));
        const decision = toGuardDecision(outcome, about);
        return { guard: handler.name, ...(decision ? { decision } : {}), durationMs, files };
      }),
    );
  } finally {
    await rm(join(workspace.folder, SET_FOLDER), { recursive: true, force: true });
    await rm(runFolder, { recursive: true, force: true });
    signal.throwIfAborted();
  }
}

function readTerms({ env = {}, network = [], path = [], effort, onConnection }: CommandGuardRequest) {
  return { env, network, path, effort, onConnection };
}

/**
 * Puts an empty folder, or a copy of the guard set, where hooks see it. What the workspace has there is removed: the folder is brought to the
 * state of the log before its next use.
 */
async function prepareSetFolder(workspace: string, copied: string | undefined): Promise<void> {
  const place = join(workspace, SET_FOLDER);
  if (await lstat(place).catch(() => undefined)) await rm(place, { recursive: true, force: true });
  await mkdir(place, { mode: 0o755 });
  if (copied !== undefined) await cp(copied, place, { recursive: true });
}

async function runHook(
  { sandbox, mask, signal }: CommandGuardRequest,
  command: Parameters<Sandbox['run']>[0],
  stdin: string,
): Promise<{ readonly end: HookEnd; readonly durationMs: number }> {
  try {
    const ended = await sandbox.run(command, { stdin, maxOutputBytes: MAX_OUTPUT_BYTES, mask }, signal);
    const { exitCode, stoppedBy, durationMs } = ended;
    if (stoppedBy) {
      const message = `it exceeded its ${stoppedBy.limit} limit (${stoppedBy.value} ${stoppedBy.unit})`;
      return { end: buildFailure('hook_limit_exceeded', message), durationMs };
    }
    if (exitCode === null) return { end: buildFailure('hook_killed', `it was ended by ${ended.signal}`), durationMs };
    return { end: { kind: 'exited', exitCode, stdout: ended.stdout.text(), stderr: ended.stderr.text() }, durationMs };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ToolError) || error.code === 'no_sandbox') throw error;
    return { end: buildFailure('hook_not_started', `it could not be started (${error.message})`), durationMs: 0 };
  }
}

function buildFailure(code: HookFailure['code'], message: string): HookEnd {
  return { kind: 'failed', failure: { code, message } };
}
