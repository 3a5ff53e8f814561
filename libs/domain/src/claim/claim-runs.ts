import type { JsonObject, JsonValue } from '@phaseline/basics';
import { getRunKey, type ClaimRunOutcome, type NeededRun } from '@phaseline/checks';
import { MAX_VERIFIER_STEP_MS, type CallId } from '@phaseline/contracts';
import type { ClaimSubject } from '../phase/discipline-events.js';
import type { PhaseEvent } from '../phase/phase-events.js';
import type { PhaseState } from '../phase/phase-state.js';
import { hasCallEnded } from '../phase/state/calls.js';
import type { OpenClaim } from '../phase/state/claims.js';
import { buildProofArguments } from '../item/proof-arguments.js';
import { computeLineCoverage } from '../handoff/line-coverage.js';
import { requestSystemCall, systemTools, type SystemCallRequest } from './system-calls.js';

/** Maximum length of the reason that a run gives the model, in characters. */
export const MAX_REASON_CHARACTERS = 500;

/**
 * Time of a run in milliseconds, unless its request says it. A verifier ends by its own limits, which its definition sets: the call only has
 * to be longer than the longest of them.
 */
const RUN_MS: Readonly<Record<NeededRun['kind'], number>> = {
  verifier: 2 * MAX_VERIFIER_STEP_MS + 900_000,
  guard: 900_000,
  judge: 900_000,
};

/** Maximum number of runs of a proof: on the claimed files, on those of the beginning, and on these with the tests of now. */
const RUNS_PER_PROOF = 3;

interface Claim {
  readonly subject: ClaimSubject;
  /** The call that makes the claim. */
  readonly callId?: CallId | undefined;
}

/** A run that a claim needs, with what its call is given in addition to the name. */
export type ClaimRun = NeededRun & Partial<Pick<SystemCallRequest, 'arguments' | 'timeoutMs' | 'effect'>>;

/**
 * Builds the events that open a claim: what is claimed, and one call of the system for each run. A claim that is open already keeps its
 * runs, and waits for these too.
 */
export function raiseClaim(state: PhaseState, claim: Claim, needed: readonly ClaimRun[]): readonly PhaseEvent[] {
  const open = findOpenClaim(state, claim.callId);
  const id: CallId = open?.claim ?? `claim_${state.start.identity.phase}_${state.claims.raised + 1}`;
  const earlier = open?.runs ?? [];
  const distinct = [...new Map(needed.map((run) => [getRunKey(run), run])).values()];
  const runs = distinct.map((run, index) => ({ ...run, callId: `${id}_${earlier.length + index + 1}` as CallId }));
  const named = runs.map(({ kind, name, callId }) => ({ kind, name, callId }));
  const made = claim.callId === undefined ? {} : { callId: claim.callId };
  return [
    { type: 'ClaimRaised', data: { claim: id, subject: claim.subject, ...made, runs: [...earlier, ...named] } },
    ...runs.map(({ kind, name, proves, callId, ...given }) =>
      requestSystemCall(state, {
        callId,
        name: systemTools[kind],
        ...buildRequest(state, { kind, name, ...(proves ? { proves } : {}) }),
        parent: id,
        ...given,
      }),
    ),
  ];
}

/** What the call of a run is given. A proof takes the time of several runs. */
function buildRequest(
  state: PhaseState,
  { kind, name, proves }: NeededRun,
): Pick<SystemCallRequest, 'arguments' | 'timeoutMs'> {
  const proof = proves ? buildProofArguments(state.start.plan.item, name) : {};
  return { arguments: { name, ...proof }, timeoutMs: RUN_MS[kind] * (proves ? RUNS_PER_PROOF : 1) };
}

/** The open claim that this call made, or the open claim on the end of the phase if no call is given. */
export function findOpenClaim({ claims: { open } }: PhaseState, callId?: CallId): OpenClaim | undefined {
  return open && open.callId === callId ? open : undefined;
}

/** How the runs of a claim ended, by `getRunKey`. A run that has not ended is absent. */
export function readRunOutcomes(state: PhaseState, claim: OpenClaim | undefined): ReadonlyMap<string, ClaimRunOutcome> {
  const outcomes = (claim?.runs ?? []).flatMap((run): readonly (readonly [string, ClaimRunOutcome])[] => {
    const call = state.calls.byId[run.callId];
    const record = state.work.calls.find(({ callId }) => callId === run.callId);
    if (!call || !record || !hasCallEnded(call)) return [];
    const lack = run.kind === 'verifier' ? findCoverageLack(state, record.result?.['coverage']) : undefined;
    const passed = record.outcome === 'completed' && record.result?.['outcome'] === 'passed' && lack === undefined;
    const given = lack ?? record.result?.['reason'];
    const reason = typeof given === 'string' ? given : (call.result ?? 'it ended without a result');
    const outcome = { passed, reason: reason.slice(0, MAX_REASON_CHARACTERS), event: record.event };
    const changed = run.kind === 'verifier' ? listTexts(record.result?.['changedInputs']) : [];
    const proof = readProof(record.result?.['proof']);
    const proves = run.kind === 'verifier' && 'proof' in record.arguments ? { proves: true as const } : {};
    return [
      [
        getRunKey({ ...run, ...proves }),
        { ...outcome, ...(changed.length > 0 ? { changedInputs: changed } : {}), ...(proof ? { proof } : {}) },
      ],
    ];
  });
  return new Map(outcomes);
}

/** Inputs of verifiers that the claimed files change or lack, and that were put back for the runs of an open claim. */
export function listChangedInputs(state: PhaseState, claim: OpenClaim | undefined): readonly string[] {
  const outcomes = [...readRunOutcomes(state, claim).values()];
  return [...new Set(outcomes.flatMap(({ changedInputs = [] }) => changedInputs))].sort();
}

/** What the coverage of a run lacks of what was handed over to the phase; `undefined` if nothing, or if the verifier measures none. */
function findCoverageLack({ start }: PhaseState, coverage: JsonValue | undefined): string | undefined {
  const minimum = start.plan.handoff?.successCriteria.coverageMin;
  const measured = computeLineCoverage(coverage);
  if (minimum === undefined || measured === undefined || measured >= minimum) return undefined;
  return `${measured} % of the lines are covered; at least ${minimum} % must be`;
}

/** Reads whether a run proved the item; `undefined` if it compared nothing. */
function readProof(value: JsonValue | undefined): ClaimRunOutcome['proof'] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { proved, reason } = value as JsonObject;
  return { proved: proved === true, reason: typeof reason === 'string' ? reason : '' };
}

function listTexts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
