import type { JsonObject } from '@phaseline/basics';
import {
  admitGuardedCall,
  type GuardedAdmission,
  type AdmittedCall,
  type GuardRef,
  type GuardWait,
  type PhaseEvent,
} from '@phaseline/domain';
import {
  endFirstRound,
  endSecondRound,
  isRecorded,
  mergeDecisions,
  scopeOrder,
  type GuardDecision,
  type GuardEvent,
} from '@phaseline/guards';
import type { ToolRegistry } from '@phaseline/tools';
import type { PendingCommit } from '../step/pending-commit.js';
import { askPureGuardsOnce, toGuardDecided } from './ask-guards.js';
import { awaitGuards, findCommandGuards, readDecisions, settle } from './command-guards.js';

type Requested = Extract<PhaseEvent, { readonly type: 'ToolCallRequested' }>;
type Approval = Extract<PhaseEvent, { readonly type: 'ApprovalRequested' }>;

/** A call on its way through the guards. */
interface Admission {
  readonly commit: PendingCommit;
  readonly tools: ToolRegistry;
  readonly call: Requested['data'];
  /** Until when a person may approve the call, if the agent demands it. */
  readonly expiresAt?: string | undefined;
  /** The guards that changed the arguments; set in the second round. */
  readonly amendment?: { readonly by: readonly GuardRef[]; readonly reason: string } | undefined;
  /** Set once guards were asked about the approval: the guard that granted it, if one did. */
  readonly permission?: { readonly by?: GuardRef | undefined } | undefined;
}

/** Command guards that were awaited and have decided. */
interface Answered {
  readonly decisions: readonly GuardDecision[];
  readonly settled: PhaseEvent;
}

/** Asks the guards of the phase about a call that passed the checks. The events end with its admission, or with the guards that it waits for. */
export function decideAdmission(
  commit: PendingCommit,
  { type, data }: Requested | Approval,
  tools: ToolRegistry,
): Promise<readonly PhaseEvent[]> {
  if (type === 'ToolCallRequested') return decideFirstRound({ commit, tools, call: data });
  const { expiresAt, reason: _reason, ...call } = data;
  return decideFirstRound({ commit, tools, call, expiresAt });
}

/** Continues the admission of a call whose command guards have decided. */
export function continueAdmission(
  commit: PendingCommit,
  wait: GuardWait,
  waiting: AdmittedCall,
  tools: ToolRegistry,
  expiresAt: string,
): Promise<readonly PhaseEvent[]> {
  const answered = { decisions: readDecisions(commit, wait), settled: settle(wait) };
  const { status: _status, ...call } = waiting;
  const { amendment, permission, needsApproval, request, round, point } = wait;
  const admission: Admission = {
    commit,
    tools,
    call,
    ...(needsApproval ? { expiresAt } : {}),
    amendment,
    permission,
  };
  if (point === 'PermissionRequest' && request) {
    const { by, ...terms } = request;
    return decidePermission(admission, { type: 'ApprovalRequested', data: { ...call, ...terms } }, by, answered);
  }
  return round === 1 ? decideFirstRound(admission, answered) : decideSecondRound(admission, answered);
}

/** The first round: all guards see the arguments as the model gave them. */
async function decideFirstRound(admission: Admission, answered?: Answered): Promise<readonly PhaseEvent[]> {
  const event = toEvent(admission, 'PreToolUse');
  const pure = await askPureGuardsOnce(admission.commit, event);
  const awaited = answered ? undefined : awaitCommands(admission, pure, 'PreToolUse', 1);
  if (awaited) return awaited;
  const first = endFirstRound([...pure, ...(answered?.decisions ?? [])], toParser(admission));
  if (first.kind === 'decided')
    return [
      ...first.outcome.recorded.map((decision) => toGuardDecided(event, decision)),
      ...toSettled(answered),
      ...(await admit(admission, first.outcome.merged)),
    ];
  const { by, reason, arguments: args } = first.amendment;
  return [
    ...first.recorded.map((decision) => toGuardDecided(event, decision)),
    ...toSettled(answered),
    ...(await decideSecondRound(amend(admission, args, { by, reason }))),
  ];
}

/** The second round: all guards see the amended arguments, and may not amend them again. */
async function decideSecondRound(admission: Admission, answered?: Answered): Promise<readonly PhaseEvent[]> {
  const { amendment, call } = admission;
  if (!amendment) throw new Error(`call ${call.callId} has a second round without an amendment`);
  const event = toEvent(admission, 'PreToolUse');
  const pure = await askPureGuardsOnce(admission.commit, event);
  const awaited = answered ? undefined : awaitCommands(admission, pure, 'PreToolUse', 2);
  if (awaited) return awaited;
  const amended = { ...amendment, arguments: call.arguments };
  const { merged, recorded } = endSecondRound([...pure, ...(answered?.decisions ?? [])], amended, toParser(admission));
  return [
    ...recorded.map((decision) => toGuardDecided(event, decision)),
    ...toSettled(answered),
    ...(await admit(admission, merged)),
  ];
}

/** Admits the call as the guards decided. If it needs an approval, guards may grant it, refuse it, or change the call. */
async function admit(admission: Admission, merged: GuardedAdmission): Promise<readonly PhaseEvent[]> {
  const { commit, call, expiresAt, permission } = admission;
  const plain: Requested | Approval =
    expiresAt === undefined
      ? { type: 'ToolCallRequested', data: call }
      : { type: 'ApprovalRequested', data: { ...call, expiresAt } };
  const admitted = admitGuardedCall(plain, merged, commit.state, commit.now);
  if (admitted.type !== 'ApprovalRequested') return [admitted];
  const by = merged.kind === 'ask' ? merged.by : undefined;
  if (!permission) return decidePermission(admission, admitted, by);
  return [canGrant(permission.by, by) ? toRequested(admitted) : admitted];
}

/** Asks the guards about an approval. Their `allow` grants what the agent or a guard of the same or a lower scope demands. */
async function decidePermission(
  admission: Admission,
  approval: Approval,
  by: GuardRef | undefined,
  answered?: Answered,
): Promise<readonly PhaseEvent[]> {
  const { commit } = admission;
  const asked: Admission = { ...admission, call: toRequested(approval).data };
  const event = toEvent(asked, 'PermissionRequest');
  const pure = await askPureGuardsOnce(commit, event);
  const { expiresAt, reason } = approval.data;
  const request = { expiresAt, ...(reason === undefined ? {} : { reason }), ...(by ? { by } : {}) };
  const awaited = answered ? undefined : awaitCommands(asked, pure, 'PermissionRequest', 1, request);
  if (awaited) return awaited;
  const decisions = [...pure, ...(answered?.decisions ?? [])];
  const begin = [
    // A permission has an effect, so that it is recorded although it only allows.
    ...decisions
      .filter((decision) => isRecorded(decision) || decision.kind === 'allow')
      .map((decision) => toGuardDecided(event, decision)),
    ...toSettled(answered),
  ];
  const merged = mergeDecisions(decisions);
  if (merged.kind === 'deny') return [...begin, admitGuardedCall(approval, merged, commit.state, commit.now)];
  // In the protocol, a hook that changes the input of a permission request allows it.
  const allowing = merged.kind === 'allow' ? (merged.allowedBy ?? merged.amended?.by.find(isCommand)) : undefined;
  const isGranted = canGrant(allowing, by);
  if (!merged.amended) return [...begin, isGranted ? toRequested(approval) : approval];
  const { by: amendedBy, reason: why } = merged.amended;
  const parsed = toParser(asked)(merged.amended.arguments);
  if ('problem' in parsed) {
    const denied = { kind: 'deny' as const, by: amendedBy[0]!, reason: `it changes the call. ${parsed.problem}` };
    return [...begin, admitGuardedCall(approval, denied, commit.state, commit.now)];
  }
  const amended = amend(admission, parsed.arguments, { by: amendedBy, reason: why });
  return [...begin, ...(await decideSecondRound({ ...amended, permission: isGranted ? { by: allowing } : {} }))];
}

function isCommand({ kind }: GuardRef): boolean {
  return kind === 'command';
}

/** Whether a guard can grant what another demands: not if that has a higher scope. What the agent demands has its scope. */
function canGrant(allowing: GuardRef | undefined, demanding: GuardRef | undefined): boolean {
  return allowing !== undefined && scopeOrder[allowing.scope] <= scopeOrder[demanding?.scope ?? 'agent'];
}

/** The events that make the call wait for its command guards; `undefined` if there are none, or if a pure guard denies it already. */
function awaitCommands(
  { commit: { state }, call, expiresAt, amendment, permission }: Admission,
  pure: readonly GuardDecision[],
  point: 'PreToolUse' | 'PermissionRequest',
  round: 1 | 2,
  request?: GuardWait['request'],
): readonly PhaseEvent[] | undefined {
  if (mergeDecisions(pure).kind === 'deny') return undefined;
  const guards = findCommandGuards(state, point, call.name);
  if (guards.length === 0) return undefined;
  return awaitGuards(state, guards, {
    point,
    callId: call.callId,
    call,
    round,
    ...(expiresAt === undefined ? {} : { needsApproval: true }),
    ...(request ? { request } : {}),
    ...(amendment ? { amendment: { by: [...amendment.by], reason: amendment.reason } } : {}),
    ...(permission ? { permission } : {}),
  });
}

function amend(admission: Admission, args: JsonObject, amendment: NonNullable<Admission['amendment']>): Admission {
  return { ...admission, call: { ...admission.call, arguments: args }, amendment };
}

function toEvent({ call }: Admission, point: GuardEvent['point']): GuardEvent {
  return { point, callId: call.callId, tool: call.name, arguments: call.arguments };
}

function toParser({ commit, tools, call }: Admission) {
  return (args: JsonObject) => tools.forPhase(commit.state).parseArguments(call.name, args);
}

function toSettled(answered: Answered | undefined): readonly PhaseEvent[] {
  return answered ? [answered.settled] : [];
}

function toRequested({ data: { expiresAt: _expires, reason: _reason, ...call } }: Approval): Requested {
  return { type: 'ToolCallRequested', data: call };
}
