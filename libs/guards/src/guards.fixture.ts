import type { JsonObject } from '@phaseline/basics';
import { foldPhase, type Guard, type PhaseEvent, type PhaseState } from '@phaseline/domain';
import { buildPhaseStart, type StartChanges } from '@phaseline/domain/testing';
import { decidePureGuards, type PureGuardParts } from './decide-pure-guards.js';
import type { GuardOutcome } from './decide-in-rounds.js';
import type { GuardEvent } from './guard-input.js';

export function buildState(changes: StartChanges = {}, events: readonly PhaseEvent[] = []): PhaseState {
  return foldPhase([buildPhaseStart(changes), ...events])!;
}

export function buildGuard(name: string, changes: Partial<Guard>): Guard {
  return {
    name,
    version: 'a'.repeat(64),
    scope: 'agent',
    kind: 'rule',
    stage: 'production',
    owner: 'ada',
    points: ['PreToolUse'],
    onFailure: 'deny',
    body: {},
    ...changes,
  };
}

export function buildRule(name: string, when: JsonObject, then: JsonObject, changes: Partial<Guard> = {}): Guard {
  return buildGuard(name, { body: { when, then }, ...changes });
}

export function buildScript(name: string, code: string, changes: Partial<Guard> = {}): Guard {
  return buildGuard(name, { kind: 'script', body: { code }, ...changes });
}

/** Asks guards about a call. `files` are the texts of files by content hash. */
export function askAboutCall(
  guards: readonly Guard[],
  tool: string,
  args: JsonObject,
  state: PhaseState = buildState(),
  parts: Partial<PureGuardParts> & {
    readonly files?: Readonly<Record<string, string>>;
    readonly event?: GuardEvent;
  } = {},
): Promise<GuardOutcome> {
  const { files = {}, event = { point: 'PreToolUse', callId: 'c1', tool, arguments: args }, ...others } = parts;
  return decidePureGuards(guards, event, state, {
    readTexts: async (wanted) =>
      new Map([...wanted.keys()].flatMap((hash) => (hash in files ? [[hash, files[hash]!]] : []))),
    parseAmended: (amended) => ({ arguments: amended }),
    ...others,
  });
}
