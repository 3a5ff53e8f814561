import { toCanonicalJson } from '@phaseline/basics';
import type { BacktestFigures, PromotionBasis } from '@phaseline/contracts';
import type { Guard } from '../guard.js';
import { findVersion, findVersionInStage, type GuardHistory, type GuardVersion } from './guard-history.js';
import { findPromotionProblem } from './promotion-evidence.js';
import type { GuardRegistryEvent, GuardVersionAdded } from './registry-events.js';

/** Maximum number of versions of a guard. Every version stays, and all of them are read for each change. */
const MAX_VERSIONS = 1_000;

/** Events to record, none if nothing changes; or why the change is refused. */
export type GuardChange =
  { readonly events: readonly GuardRegistryEvent[] } | { readonly refused: string; readonly isMissing?: true };

/**
 * Adds a version as a draft. A version that decides and demands the same as an earlier one is that one, and nothing is recorded. With another
 * `minLabelled` or other limits it is a new version, so that what a promotion was checked against does not change afterwards.
 */
export function addGuardVersion(history: GuardHistory, added: Omit<GuardVersionAdded, 'number'>): GuardChange {
  const same = findVersion(history, { version: added.version })?.added;
  if (same && describeDemands(same) === describeDemands(added)) return { events: [] };
  if (history.versions.length >= MAX_VERSIONS)
    return { refused: `the guard ${added.name} has ${MAX_VERSIONS} versions; give the new one another name` };
  return { events: [{ type: 'GuardVersionAdded', data: { ...added, number: history.versions.length + 1 } }] };
}

function describeDemands({ minLabelled, limits }: Pick<GuardVersionAdded, 'minLabelled' | 'limits'>): string {
  return toCanonicalJson({ minLabelled, ...(limits ? { limits } : {}) });
}

/** Records what a backtest of a version found. A draft is then in the stage `backtest`. */
export function recordBacktest(
  history: GuardHistory,
  number: number,
  figures: BacktestFigures,
  actor: string,
): GuardChange {
  const target = findVersion(history, { number });
  if (!target) return { refused: `the guard has no version ${number}`, isMissing: true };
  const { version } = target.added;
  return { events: [{ type: 'GuardBacktested', data: { actor, number, version, ...figures } }] };
}

/** Who changes a stage, and why. */
export interface StageRequest {
  readonly actor: string;
  readonly reason: string;
}

/** A promotion that a person asks for. */
export interface PromotionRequest extends StageRequest {
  /** Hash of the version. */
  readonly version: string;
  /** Needed if an older version with the same hash is meant. */
  readonly number?: number | undefined;
  readonly to: 'shadow' | 'production';
  readonly basis: PromotionBasis;
  /** Names of the agents to which no version may be applied that is promoted now. */
  readonly frozenAgents: readonly string[];
}

/**
 * Takes a version to its next stage: from backtest to shadow, from shadow to production. The version that was in that stage before becomes a
 * draft again. The author of a version cannot promote it, and the newest backtest must be good enough.
 */
export function promoteGuard(history: GuardHistory, request: PromotionRequest): GuardChange {
  const target = findVersion(history, request);
  if (!target) return { refused: 'the guard has no such version', isMissing: true };
  const { actor, to, basis, reason } = request;
  const { number, actor: author } = target.added;
  if (target.stage === to) return { events: [] };
  const misplaced = findStageProblem(target, to);
  if (misplaced !== undefined) return { refused: misplaced };
  if (author === actor) return { refused: `${author} wrote version ${number}; another person has to promote it` };
  const unproven = findPromotionProblem(target, request.frozenAgents);
  if (unproven !== undefined) return { refused: unproven };
  const before = findVersionInStage(history, to);
  return {
    events: [
      ...(before ? [changeStage(before, 'draft', 'replaced', { actor, reason: `version ${number} replaced it` })] : []),
      changeStage(target, to, 'promoted', { actor, reason, basis }),
    ],
  };
}

/** Why a version cannot go to a stage from the one in which it is. */
function findStageProblem(
  { stage, added: { name, number } }: GuardVersion,
  to: 'shadow' | 'production',
): string | undefined {
  if (stage === 'production') return `version ${number} is in production; roll it back instead`;
  if (stage === 'draft')
    return `version ${number} is a draft; run it on recorded calls first: phaseline guards backtest ${name} --record`;
  if (to === 'production' && stage !== 'shadow')
    return `version ${number} was only backtested; promote it to shadow first, where it is asked without effect`;
  return undefined;
}

/**
 * Takes the version in production out of effect; the version that was in production before it returns. Without one, the guard has no effect
 * until a version is promoted. The author of neither version can do it. The system, which wrote none, gives the figure as the basis and the
 * number of the version that it means; nothing changes if another one is in production by then.
 */
export function rollBackGuard(
  history: GuardHistory,
  request: StageRequest & { readonly basis?: PromotionBasis; readonly number?: number },
): GuardChange {
  const current = findVersionInStage(history, 'production');
  if (request.number !== undefined && current?.added.number !== request.number) return { events: [] };
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
              actor: request.actor,
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
  { actor, reason, basis }: StageRequest & { readonly basis?: PromotionBasis },
): GuardRegistryEvent {
  return {
    type: 'GuardStageChanged',
    data: { ...{ actor, number, version, from, to, cause, reason }, ...(basis ? { basis } : {}) },
  };
}
