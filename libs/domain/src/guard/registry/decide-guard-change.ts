import type { Guard } from '../guard.js';
import { findVersionInStage, type GuardHistory, type GuardVersion } from './guard-history.js';
import type { GuardRegistryEvent, GuardVersionAdded } from './registry-events.js';

/** Maximum number of versions of a guard. Every version stays, and all of them are read for each change. */
const MAX_VERSIONS = 1_000;

/** Events to record, none if nothing changes; or why the change is refused. */
export type GuardChange =
  { readonly events: readonly GuardRegistryEvent[] } | { readonly refused: string; readonly isMissing?: true };

/** Adds a version as a draft. A version that decides the same as an earlier one is that one, and nothing is recorded. */
export function addGuardVersion(history: GuardHistory, added: Omit<GuardVersionAdded, 'number'>): GuardChange {
  if (history.versions.some(({ added: { version } }) => version === added.version)) return { events: [] };
  if (history.versions.length >= MAX_VERSIONS)
    return { refused: `the guard ${added.name} has ${MAX_VERSIONS} versions; give the new one another name` };
  return { events: [{ type: 'GuardVersionAdded', data: { ...added, number: history.versions.length + 1 } }] };
}

/** Who changes a stage, and why. */
export interface StageRequest {
  readonly actor: string;
  readonly reason: string;
}

/**
 * Takes a version to its next stage: from draft to shadow, from shadow to production. The version that was in that stage before becomes a
 * draft again. The author of a version cannot promote it.
 */
export function promoteGuard(
  history: GuardHistory,
  version: string,
  to: 'shadow' | 'production',
  request: StageRequest,
): GuardChange {
  const target = history.versions.find(({ added }) => added.version === version);
  if (!target) return { refused: 'the guard has no such version', isMissing: true };
  const { number, actor: author } = target.added;
  if (target.stage === to) return { events: [] };
  if (target.stage === 'production') return { refused: `version ${number} is in production; roll it back instead` };
  if (to === 'production' && target.stage !== 'shadow')
    return {
      refused: `version ${number} is a ${target.stage}; promote it to shadow first, where it is asked without effect`,
    };
  if (author === request.actor)
    return { refused: `${author} wrote version ${number}; another person has to promote it` };
  const before = findVersionInStage(history, to);
  return {
    events: [
      ...(before
        ? [changeStage(before, 'draft', 'replaced', { ...request, reason: `version ${number} replaced it` })]
        : []),
      changeStage(target, to, 'promoted', request),
    ],
  };
}

/**
 * Takes the version in production out of effect; the version that was in production before it returns. Without one, the guard has no effect
 * until a version is promoted. The author of neither version can do it.
 */
export function rollBackGuard(history: GuardHistory, request: StageRequest): GuardChange {
  const current = findVersionInStage(history, 'production');
  if (!current) return { refused: 'no version of the guard is in production' };
  const previousNumber = history.production.at(-2);
  const previous = previousNumber === undefined ? undefined : history.versions[previousNumber - 1];
  const written = [current, ...(previous ? [previous] : [])].find(({ added }) => added.actor === request.actor);
  if (written)
    return { refused: `${request.actor} wrote version ${written.added.number}; another person has to roll it back` };
  return {
    events: [
      changeStage(current, 'draft', 'rolled_back', request),
      ...(previous
        ? [
            changeStage(previous, 'production', 'restored', {
              ...request,
              reason: `version ${current.added.number} was rolled back`,
            }),
          ]
        : []),
    ],
  };
}

type StageCause = Extract<GuardRegistryEvent, { type: 'GuardStageChanged' }>['data']['cause'];

function changeStage(
  { added: { number, version }, stage: from }: GuardVersion,
  to: Guard['stage'],
  cause: StageCause,
  { actor, reason }: StageRequest,
): GuardRegistryEvent {
  return { type: 'GuardStageChanged', data: { actor, number, version, from, to, cause, reason } };
}
