import type { JsonObject } from '@phaseline/basics';
import { ToolError, type ChatMessage, type JobId } from '@phaseline/contracts';
import {
  commandBodySchema,
  DEFAULT_WORKSPACE_SETTINGS,
  getEndPoint,
  guardSetFolder,
  phaseStream,
  type CommandBody,
  type Guard,
  type PhaseState,
} from '@phaseline/domain';
import { runCommandGuards, type CommandGuardDecision, type GuardSetFolders } from '@phaseline/hooks/runner';
import type { guardsSpec } from '@phaseline/pack-specs';
import type { Sandbox } from '@phaseline/sandbox';
import { CallSecrets, type RemoteToolContext, type ToolInput, type ToolRun } from '@phaseline/tools';
import type { FolderLimits, KeptFolders, OpenFolder } from '../commands/folder/kept-folder.js';
import { buildOccasion } from './guard-occasion.js';
import { readGuardSet } from './read-guard-set.js';

export interface GuardsHost {
  readonly sandbox: Sandbox;
  /** The working folders of phases, which hooks share with commands. */
  readonly workFolders: KeptFolders;
  /** Folders with the files of guard sets. */
  readonly setFolders: GuardSetFolders;
  /** Reads a phase; `undefined` if there is none. */
  readonly readPhase: (jobId: JobId, phase: number) => Promise<PhaseState | undefined>;
  /** Lists the messages of the conversation of a phase, for the transcript. */
  readonly listMessages: (state: PhaseState) => readonly ChatMessage[];
}

type Input = ToolInput<typeof guardsSpec, 'run_guard'>;

/** Limits of the working folder for agents that may not run commands. */
const FOLDER_LIMITS: FolderLimits = {
  maxWorkspaceBytes: 1024 * 1024 * 1024,
  maxChangedFiles: 500,
  maxChangedBytes: 64 * 1024 * 1024,
  ignore: [],
};

/** A command guard of the phase with its parsed body. */
interface CommandGuard {
  readonly guard: Guard;
  readonly body: CommandBody;
}

/**
 * Creates the tool that asks command guards in the sandbox, in the working folder of the phase. What they change there is undone before the next
 * command; only what was changed before they ran, and by no command, is taken in.
 */
export function createRunGuard(host: GuardsHost): ToolRun<typeof guardsSpec, 'run_guard'> {
  const { sandbox, workFolders, readPhase } = host;
  return async (context, input) => {
    const { jobId, phase = 1 } = context;
    const state = await readPhase(jobId, phase);
    if (!state) throw new ToolError('guard_unusable', `The job ${jobId} has no phase ${phase}.`);
    const guards = input.guards.map((name) => readCommandGuard(state, name));
    const request = {
      jobId,
      phase,
      kind: state.start.identity.kind,
      workspace: context.workspace,
      settings: context.workspaceSettings ?? DEFAULT_WORKSPACE_SETTINGS,
      limits: context.settings?.commands ?? FOLDER_LIMITS,
      owner: await sandbox.getOwner(),
      signal: context.signal,
    };
    return workFolders.use(request, async (folder) => {
      const decisions: CommandGuardDecision[] = [];
      // Each set covers the same place of the working directory, so sets take turns. The hooks of one set run side by side.
      for (const ofSet of groupBySet(guards))
        decisions.push(...(await runSet(ofSet, { host, state, context, input, folder })));
      return {
        content: `${decisions.length} of ${guards.length} guards were asked.`,
        files: [
          ...folder.outside,
          ...decisions.flatMap(({ files }) =>
            files.map(({ path, content }) => ({ path, content: Buffer.from(content.toWellFormed()) })),
          ),
        ],
        result: { decisions: decisions.flatMap(toResult) },
      };
    });
  };
}

interface SetRun {
  readonly host: GuardsHost;
  readonly state: PhaseState;
  readonly context: RemoteToolContext;
  readonly input: Input;
  readonly folder: OpenFolder;
}

async function runSet(
  guards: readonly CommandGuard[],
  { host, state, context, input, folder }: SetRun,
): Promise<readonly CommandGuardDecision[]> {
  const { set, setVersion, env, network, secrets: declared } = guards[0]!.body;
  const { jobId, callId, workspace, settings, signal, recordEvent, secrets = new CallSecrets() } = context;
  const files = await readGuardSet(workspace, guardSetFolder(set));
  const references = Object.fromEntries(declared.map((name) => [name, `\${secret:${name}}`]));
  const own = await secrets.fill(references, declared);
  const { identity } = state.start;
  const isSubagent = getEndPoint(state.start) === 'SubagentStop';
  const agent = isSubagent ? { id: phaseStream(jobId, identity.phase), type: identity.agent.name } : undefined;
  const effort = state.start.terms.reasoningEffort?.[identity.kind];
  const decided = await runCommandGuards({
    handlers: guards.map(({ body }) => body.handler),
    occasion: await buildOccasion(state, input, workspace),
    sessionId: jobId,
    agent,
    ...(effort === undefined ? {} : { effort }),
    messages: host.listMessages(state),
    set: { name: set, folder: await host.setFolders.open(setVersion, files) },
    workspace: folder,
    sandbox: host.sandbox,
    env: { ...env, ...own },
    mask: secrets.mask,
    network,
    onConnection: (connection) => recordEvent?.({ type: 'ConnectionRecorded', data: { callId, ...connection } }),
    path: settings?.commands?.path ?? [],
    signal,
  });
  return decided.map((decision) => ({ ...decision, guard: `${set}.${decision.guard}` }));
}

function readCommandGuard({ start }: PhaseState, name: string): CommandGuard {
  const guard = start.terms.guards?.find((one) => one.name === name && one.kind === 'command');
  const body = guard && commandBodySchema.safeParse(guard.body).data;
  if (!guard || !body)
    throw new ToolError('guard_unusable', `The phase has no command guard ${name} that this release can read.`);
  return { guard, body };
}

function groupBySet(guards: readonly CommandGuard[]): readonly (readonly CommandGuard[])[] {
  const groups = new Map<string, CommandGuard[]>();
  for (const one of guards) {
    const key = `${one.body.set} ${one.body.setVersion}`;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()];
}

/** The decision of a hook as the log has it; none if the hook had nothing to say. */
function toResult({ guard, decision, durationMs }: CommandGuardDecision): JsonObject[] {
  if (!decision) return [];
  const { failure, ...rest } = decision;
  return [{ guard, ...rest, ...(failure ? { failure: { ...failure } } : {}), durationMs: Math.round(durationMs) }];
}
