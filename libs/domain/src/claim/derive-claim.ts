import { isBlankText, toCanonicalJson } from '@phaseline/basics';
import type { CheckEvidence, CheckResult } from '@phaseline/checks';
import { checkGates } from '../gate/check-gates.js';
import type { GateInput } from '../gate/gate-input.js';
import { findPendingOutcome, listChoosingChecks, listClaimedDeliverables } from '../phase/pending-outcome.js';
import type { PhaseEventData } from '../phase/phase-events.js';
import type { PhaseState } from '../phase/phase-state.js';
import { MAIN_PLAN_FILE } from '../todo/main-plan.js';
import { TODOS_FILE } from '../todo/todos-file.js';
import type { AcceptedClaim } from './accepted-claims.js';
import { buildCheckInput, listNeededTexts, type ClaimTexts } from './claim-input.js';
import { findOpenClaim, readRunOutcomes } from './claim-runs.js';
import { evaluatePhaseClaim, listPhaseChecks } from './phase-claim.js';
import { renderFailures } from './render-failures.js';
import { evaluateTodoClaim, listTodoChecks } from './todo-claim.js';

/**
 * Whether an accepted claim follows from the log.
 * - `derived`: its checks hold again, and read what the evidence says.
 * - `unruled`: it was made when claims had no checks yet.
 * - `without-evidence`: it has checks, and its event has no evidence.
 * - `not-derived`: it cannot have been accepted, or its evidence is not what the checks read.
 */
export type ClaimDerivation =
  | { readonly outcome: 'derived' }
  | { readonly outcome: 'unruled' }
  | { readonly outcome: 'without-evidence' | 'not-derived'; readonly detail: string };

type Recorded = PhaseEventData<'TodoCompleted'>['evidence'];

/** The files whose texts are needed to derive a claim, by content hash with one of their paths. */
export function listClaimFiles({ event, state }: AcceptedClaim): ReadonlyMap<string, string> {
  if (event.type === 'TodoCompleted') {
    const todo = findTodo(state, event.data.todoId);
    return todo ? listNeededTexts(listTodoChecks(state, todo, proposesEnd(state, event.data)), state) : new Map();
  }
  const route = listRoutes(state).find(({ outcome }) => outcome === event.data.outcome);
  const files = [TODOS_FILE, MAIN_PLAN_FILE, ...(route?.gates.includes('deliverables') ? listBlankable(state) : [])];
  const known = files.flatMap((path): readonly (readonly [string, string])[] =>
    Object.hasOwn(state.tree, path) ? [[state.tree[path]!.hash, path]] : [],
  );
  // The checks by which the outcome was chosen read files too.
  const checks = [...listChoosingChecks(state), ...(route ? listPhaseChecks(state, route) : [])];
  return new Map([...known, ...listNeededTexts(checks, state)]);
}

/**
 * Derives an accepted claim again: evaluates its checks in the state in which it was decided, with the recorded results of verifiers
 * and judges, and compares what they read with the evidence. `texts` are those of the files that `listClaimFiles` names.
 */
export function deriveClaim({ event, state }: AcceptedClaim, texts: ClaimTexts): ClaimDerivation {
  return event.type === 'TodoCompleted'
    ? deriveTodoClaim(state, event.data, texts)
    : derivePhaseClaim(state, event.data, texts);
}

function deriveTodoClaim(state: PhaseState, data: PhaseEventData<'TodoCompleted'>, texts: ClaimTexts): ClaimDerivation {
  const { todoId, callId, evidence } = data;
  const todo = findTodo(state, todoId);
  if (!todo) return notDerived(`the phase has no todo ${todoId}`);
  if (state.start.plan.claimRules === undefined && todo.outputs === undefined) return { outcome: 'unruled' };
  const call = state.calls.byId[callId];
  if (!call || call.status === 'denied' || !call.traits.includes('claims_completion'))
    return notDerived(`no call ${callId} claimed todo ${todoId}`);
  const runs = readRunOutcomes(state, findOpenClaim(state, callId));
  const claim = { todo, callId, proposesEnd: proposesEnd(state, data) };
  return compare(state, evaluateTodoClaim(state, claim, buildCheckInput(state, texts, runs)), evidence);
}

function derivePhaseClaim(
  state: PhaseState,
  { outcome, evidence }: PhaseEventData<'PhaseCompleted'>,
  texts: ClaimTexts,
): ClaimDerivation {
  const input = buildGateInput(state, texts);
  const route = findPendingOutcome(state, input);
  if (route?.outcome !== outcome)
    return notDerived(
      route ? `the phase had reached the outcome ${route.outcome}, not ${outcome}` : 'todos of the phase were open',
    );
  // Phases that began before claims were checked had the gates of their release.
  if (state.start.plan.claimRules === undefined && evidence === undefined) return { outcome: 'unruled' };
  const gates = checkGates(route.gates, state, input);
  if (!gates.passed) return notDerived(`the gate ${gates.gate} rejects it: ${gates.message}`);
  return compare(state, evaluatePhaseClaim(state, route, texts), evidence);
}

function compare(state: PhaseState, result: CheckResult, recorded: Recorded): ClaimDerivation {
  if (result.kind === 'fails') return notDerived(renderFailures(result.failures));
  if (result.kind === 'open') {
    const runs = result.runs.map(({ kind, name }) => `${kind} ${name}`).join(', ');
    return notDerived(`no result is recorded of: ${runs}`);
  }
  const { evidence } = result;
  if (evidence.length > 0 && recorded === undefined)
    return { outcome: 'without-evidence', detail: `${evidence.length} checks held, and no evidence is recorded` };
  const expected = evidence.map((one) => toComparable(one, state));
  const found = (recorded ?? []).map((one) => toComparable(one, state));
  for (let index = 0; index < Math.max(expected.length, found.length); index += 1) {
    if (expected[index] === found[index]) continue;
    const place = `item ${index + 1} of the evidence`;
    if (expected[index] === undefined) return notDerived(`${place} belongs to no check: ${found[index]}`);
    if (found[index] === undefined) return notDerived(`the evidence lacks ${expected[index]}`);
    return notDerived(`${place} is ${found[index]}, and the log says ${expected[index]}`);
  }
  return { outcome: 'derived' };
}

/** A text that is equal for equal evidence. */
function toComparable({ check, events, files }: CheckEvidence, { start }: PhaseState): string {
  // A phase that repeats a recording also repeats its claims, which name the events of the recording.
  const isRepeated = start.recording !== undefined;
  return toCanonicalJson({
    check,
    files: files.map(({ path, hash }) => ({ path, hash })),
    events: isRepeated ? events.length : events.map(({ streamId, version }) => ({ streamId, version })),
  });
}

function buildGateInput(state: PhaseState, texts: ClaimTexts): GateInput {
  const read = (path: string): string | undefined =>
    Object.hasOwn(state.tree, path) ? texts.get(state.tree[path]!.hash) : undefined;
  return {
    todosFile: read(TODOS_FILE),
    mainPlan: read(MAIN_PLAN_FILE),
    blankFiles: listBlankable(state).filter((path) => isBlankText(read(path) ?? 'not read')),
    claimTexts: texts,
  };
}

/** Size in bytes up to which a deliverable is read to see whether it is blank. */
const MAX_BLANK_BYTES = 8 * 1024 * 1024;

/** Deliverables that could be blank. */
function listBlankable(state: PhaseState): readonly string[] {
  return listClaimedDeliverables(state).filter((path) => {
    const { size } = (Object.hasOwn(state.tree, path) && state.tree[path]) || { size: 0 };
    return size > 0 && size <= MAX_BLANK_BYTES;
  });
}

function listRoutes({
  start: { routes },
}: PhaseState): readonly NonNullable<PhaseState['start']['routes']['finish']>[] {
  const { finish, completion, rewind, exhausted, returned = [], byValue = [] } = routes;
  return [finish, completion, rewind, exhausted, ...returned, ...byValue].filter((route) => route !== undefined);
}

function findTodo({ todos }: PhaseState, todoId: number): PhaseState['todos']['list'][number] | undefined {
  return todos.list.find(({ id }) => id === todoId);
}

/** Whether the call that completed the todo also proposed the end of the job. */
function proposesEnd({ calls }: PhaseState, { callId }: PhaseEventData<'TodoCompleted'>): boolean {
  return calls.byId[callId]?.name === JOB_COMPLETE;
}

/** The tool that proposes the end of the job. */
const JOB_COMPLETE = 'job_complete';

function notDerived(detail: string): ClaimDerivation {
  return { outcome: 'not-derived', detail };
}
