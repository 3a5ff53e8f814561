import type { JsonObject } from '@phaseline/basics';
import { getAdmittedCall, type Guard, type HookPoint, type PhaseState } from '@phaseline/domain';
import type { JobRepository } from '@phaseline/repository';
import { guardsSpec } from '@phaseline/pack-specs';
import { implementPack, type ToolPack } from '@phaseline/tools';

/** What a scripted command guard is asked. */
export interface Asked {
  readonly guard: string;
  readonly point: HookPoint;
  /** Tool and arguments of the call that it is asked about. */
  readonly tool?: string;
  readonly args: JsonObject;
  /** What the model would read of an ended call. */
  readonly result?: string | undefined;
}

/** Decides as a hook would; nothing if it has nothing to say. Throws to let the whole run fail. */
export type Decide = (asked: Asked) => JsonObject | undefined;

/** Creates a command guard whose decisions a spec gives, without a sandbox. */
export function commandGuard(
  name: string,
  points: HookPoint[],
  changes: Partial<Guard> & { matcher?: string } = {},
): Guard {
  const { matcher, ...rest } = changes;
  const handler = {
    name,
    kind: 'command',
    point: points[0]!,
    command: 'true',
    shell: 'sh',
    onFailure: 'deny',
    observes: false,
    timeoutSeconds: 10,
    ...(matcher === undefined ? {} : { matcher }),
  };
  return {
    name,
    version: 'c'.repeat(64),
    scope: 'agent',
    kind: 'command',
    stage: 'production',
    owner: 'ada',
    points,
    onFailure: 'deny',
    body: { set: 'set', setVersion: 'd'.repeat(64), handler, env: {}, network: [], secrets: [] },
    ...rest,
  };
}

/** Creates the tool that asks command guards, with decisions that a spec gives, and the list of what was asked. */
export function createScriptedGuards(
  decide: Decide,
  load: () => JobRepository,
): { readonly pack: ToolPack; readonly asked: Asked[] } {
  const asked: Asked[] = [];
  const pack = implementPack(guardsSpec, {
    run_guard: async ({ jobId, phase = 1 }, { point, guards, callId }) => {
      const state = (await load().loadPhase(jobId, phase))!;
      const decisions = guards.flatMap((guard) => {
        const one = { guard, point, ...describe(state, callId) };
        asked.push(one);
        const decided = decide(one);
        return decided ? [{ guard, ...decided, durationMs: 1 } as JsonObject] : [];
      });
      return { content: `${decisions.length}`, result: { decisions } };
    },
  });
  return { pack, asked };
}

function describe({ calls }: PhaseState, callId: string | undefined): Pick<Asked, 'tool' | 'args' | 'result'> {
  if (callId === undefined) return { args: {} };
  const { name, arguments: args, result } = getAdmittedCall(calls, callId);
  return { tool: name, args, result };
}
