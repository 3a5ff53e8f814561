import { AcceptedClaims, deriveClaim, listClaimFiles, type PhaseEvent } from '@phaseline/domain';
import type { RunResult } from '../run/world.js';
import { readActorId } from './read-actor-id.js';
import { readJobLogs, type JobLog, type LoggedEvent, type PhaseLog } from './streams.js';

type Raised = Extract<PhaseEvent, { readonly type: 'ClaimRaised' }>['data'];
type Logged = LoggedEvent<PhaseEvent>;

/**
 * Checks that each claim that waits for runs is decided once unless something came between, that it is accepted only after all its runs
 * have passed, that what needs runs is recorded only after its claim was accepted, and that each result is that of the process that ran. The
 * hooks of a claim are those that are told of the end of a phase: they have to end, and decide nothing.
 */
export function* checkClaims(remains: RunResult): Iterable<string> {
  for (const log of readJobLogs(remains)) {
    for (const phase of log.phases)
      for (const problem of [...findUndecided(phase), ...findUnaccepted(phase), ...findUnrun(remains, log, phase)])
        yield `${log.agent} phase ${phase.phase}: ${problem}`;
    yield* checkCompletion(log);
  }
}

/** Checks that each accepted claim of jobs whose claims need runs can be derived from the log again. */
export function* checkDerivedClaims(remains: RunResult): Iterable<string> {
  for (const { agent, state, phases } of readJobLogs(remains)) {
    if (!state.definition.agent.verifiers && !state.definition.agents) continue;
    for (const { phase, events } of phases) {
      const claims = new AcceptedClaims();
      for (const { event } of events) {
        const claim = claims.apply(event);
        if (!claim) continue;
        const texts = new Map<string, string>();
        for (const hash of listClaimFiles(claim).keys())
          texts.set(hash, new TextDecoder().decode(remains.log.blobs.getNow(hash)));
        const derived = deriveClaim(claim, texts);
        if (derived.outcome !== 'derived')
          yield `${agent} phase ${phase} version ${claim.version}: ${claim.event.type} is ${derived.outcome}`;
      }
    }
  }
}

function* findUndecided({ events, state }: PhaseLog): Iterable<string> {
  const decided = new Set<string>();
  const passed = new Map<string, boolean>();
  let open: Raised | undefined;
  for (const { event } of events) {
    switch (event.type) {
      case 'ClaimRaised': {
        const { claim, runs } = event.data;
        if (decided.has(claim)) yield `${claim} was raised after it was decided`;
        if (open && open.claim !== claim) yield `${claim} was raised while ${open.claim} was open`;
        if (open?.runs.some(({ callId }, index) => runs[index]?.callId !== callId)) yield `${claim} lost a run`;
        open = event.data;
        break;
      }
      case 'ToolCallCompleted':
        passed.set(event.data.callId, hasPassed(event.data.result));
        break;
      case 'ToolCallFailed':
        passed.set(event.data.callId, false);
        break;
      // What a run found belongs to other files, or a message came first: the claim has to be raised again.
      case 'FileWritten':
      case 'FileDeleted':
      case 'ModelResponded':
        open = undefined;
        break;
      case 'ClaimAccepted':
      case 'ClaimRefused': {
        const { claim } = event.data;
        if (claim === undefined && open) yield `${open.claim} was open when another claim was decided`;
        if (claim === undefined) break;
        if (open?.claim !== claim) yield `${claim} was decided although it was not open`;
        decided.add(claim);
        const failed = open?.runs.filter(({ kind, callId }) =>
          kind === 'guard' ? !passed.has(callId) : passed.get(callId) !== true,
        );
        if (event.type === 'ClaimAccepted')
          for (const run of failed ?? []) yield `${claim} was accepted before ${run.callId}, a ${run.kind}, had passed`;
        open = undefined;
      }
    }
  }
  if (open && state.end?.kind === 'completed') yield `${open.claim} was never decided`;
}

/** Whether a run passed, and proved what it had to prove. */
function hasPassed({ outcome, proof }: Readonly<Record<string, unknown>> = {}): boolean {
  const { proved } = (proof ?? { proved: true }) as { readonly proved: boolean };
  return outcome === 'passed' && proved;
}

/** Checks that each todo and each end that needs runs follows the acceptance of its claim, and that its evidence names each run. */
function* findUnaccepted({ events, state }: PhaseLog): Iterable<string> {
  let raised: Raised | undefined;
  for (const [index, { event }] of events.entries()) {
    if (event.type === 'ClaimRaised') raised = event.data;
    const needed = listNeededRuns(event, state);
    if (needed === undefined) continue;
    const accepted = findAcceptance(events, index);
    const isOwn = JSON.stringify(accepted?.subject) === JSON.stringify(needed.subject);
    const what = JSON.stringify(needed.subject);
    if (needed.needsRuns && !isOwn) yield `${event.type} of ${what} without the acceptance of its claim`;
    if (!accepted || !isOwn) continue;
    const evidence = needed.evidence.flatMap((one) => one.events.map(({ version }) => version));
    const runs = raised?.claim === accepted.claim ? raised.runs : [];
    for (const { callId } of runs.filter(({ kind }) => kind !== 'guard')) {
      const run = events.findLast((one) => one.event.type === 'ToolCallCompleted' && one.event.data.callId === callId);
      if (!evidence.includes(run?.recorded.version ?? -1)) yield `the evidence of ${what} lacks ${callId}`;
    }
  }
}

/** What an event says was done, and whether that needs runs of verifiers or judges. */
function listNeededRuns(event: PhaseEvent, { todos, start }: PhaseLog['state']) {
  const needsRuns = (checks: unknown): boolean => /"(?:verifier|judge|proof)":/.test(JSON.stringify(checks ?? []));
  if (event.type === 'TodoCompleted') {
    const { todoId, evidence = [] } = event.data;
    const todo = todos.list.find(({ id }) => id === todoId);
    return { subject: { kind: 'todo', todoId }, needsRuns: needsRuns(todo?.outputs), evidence };
  }
  if (event.type !== 'PhaseCompleted') return undefined;
  const { outcome, evidence = [] } = event.data;
  const { finish, completion, returned = [], byValue = [] } = start.routes;
  const route = [finish, completion, ...returned, ...byValue].find((one) => one?.outcome === outcome);
  const checks = [route?.checks, route?.gates.includes('deliverables') ? start.plan.deliverables : []];
  return { subject: { kind: 'phase', outcome }, needsRuns: needsRuns(checks), evidence };
}

/** The acceptance just before an event; the system may write the archive and its notes between the two. */
function findAcceptance(events: readonly Logged[], index: number) {
  const between = ['FileWritten', 'FileDeleted', 'ExperienceNoted'];
  const before = events.slice(0, index).findLast(({ event }) => !between.includes(event.type))?.event;
  return before?.type === 'ClaimAccepted' ? before.data : undefined;
}

/** Checks that a result of a verifier is that of the process that recorded it, and that no run is given up because its process died. */
function* findUnrun({ effects }: RunResult, { jobId }: JobLog, { events }: PhaseLog): Iterable<string> {
  const runs = events.flatMap(({ event }) => (event.type === 'ClaimRaised' ? event.data.runs : []));
  const verifiers = new Set(runs.flatMap(({ kind, callId }) => (kind === 'verifier' ? [callId] : [])));
  for (const { event, recorded } of events) {
    if (event.type === 'ToolCallFailed' && verifiers.has(event.data.callId) && event.data.code === 'outcome_unknown')
      yield `${event.data.callId} was not run again after its process had died`;
    if (event.type !== 'ToolCallCompleted' || !verifiers.has(event.data.callId)) continue;
    const { callId, result } = event.data;
    const actor = readActorId(recorded);
    const ran = effects.some(
      (one) =>
        one.jobId === jobId && one.callId === callId && one.processId === actor && one.found === result?.['outcome'],
    );
    if (!ran) yield `${callId} has the result ${String(result?.['outcome'])}, which ${actor} did not find`;
  }
}

/** Checks that a job completes with the evidence of its last phase. */
function* checkCompletion({ agent, events, phases }: JobLog): Iterable<string> {
  for (const { event } of events) {
    if (event.type !== 'JobCompleted') continue;
    const end = phases.at(-1)?.events.at(-1)?.event;
    if (end?.type !== 'PhaseCompleted') yield `${agent} completed, but its last phase did not`;
    else if (JSON.stringify(event.data.evidence) !== JSON.stringify(end.data.evidence))
      yield `${agent} completed with other evidence than its last phase`;
  }
}
