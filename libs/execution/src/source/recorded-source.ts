import {
  ASK_PERSON,
  archivePath,
  buildPhaseFailed,
  isAsking,
  isAwaitingApproval,
  listCalls,
  MEMORY_FILE,
  NOTHING_UNCONFIRMED,
  RUN_SCRIPT,
  type AdmittedCall,
  type PhaseEvent,
  type PhaseState,
} from '@phaseline/domain';
import { toCanonicalJson } from '@phaseline/basics';
import type { CallId } from '@phaseline/contracts';
import { contentHash } from '@phaseline/event-store';
import type { RecordedCall, RecordedPhase } from '@phaseline/repository';
import type { ResponseSource } from '../ports.js';
import { findRecordedReflection } from './recorded-reflection.js';
import { findRecordedClearings, findRecordedSummaries } from './recorded-shortening.js';
import { replayRemoteCall } from './replay-remote-call.js';
import { createStandIn } from './stand-in-model.js';
import { buildNotRecorded, decideUnrecorded, hasRecordedResult, type OtherCalls } from './unrecorded-call.js';

/**
 * Repeats a recorded phase: no model is called and no tool is run, except scripts, whose nested calls are replayed, and tools that the fork lets
 * run without a recorded result.
 */
export function createRecordedSource(recorded: RecordedPhase, others: OtherCalls): ResponseSource {
  return {
    findModel: async ({ start }) => createStandIn(start.terms.model, UNLIMITED_TOKENS),

    prepareCall: async (commit, prompts) => {
      commit.recordWithStoredFiles(...findRecordedClearings(commit.state, recorded));
      commit.record(...(recorded.findGuardDecisions(commit.state, { point: 'PreCompact' }) ?? []));
      commit.record(...findRecordedSummaries(commit.state, recorded));
      return prompts.build();
    },

    respond: async (state) => findRecordedResponse(state, recorded),

    decideCallGuards: async (state, { callId, after }, ask) => recorded.findGuarded(state, callId, after) ?? ask(),

    decideGuards: async (state, moment, ask) => recorded.findGuardDecisions(state, moment) ?? ask(),

    decideApprovals: (commit) => {
      for (const { callId, name, arguments: args } of listCalls(commit.state).filter(isAwaitingApproval)) {
        const { amendment, approvalDecision } = recorded.findCall(callId, name, args) ?? {};
        commit.record(...(amendment ? [amendment] : []), approvalDecision ?? refuseUndecided(callId));
      }
      for (const { callId, name, arguments: args } of listCalls(commit.state).filter(isAsking)) {
        const end = recorded.findCall(callId, name, args)?.questionEnd;
        commit.record(end ? withoutDeadline(end) : { type: 'QuestionTimedOut', data: { callId } });
      }
    },

    runInlineCall: async (commit, call, run) => {
      // A question is asked again, and ends as recorded.
      if (call.name === RUN_SCRIPT || (call.name === ASK_PERSON && !call.question)) return run();
      const found = recorded.findCall(call.callId, call.name, call.arguments);
      // The claim is decided again, with the recorded results of its runs.
      if (found?.raisedClaim) return run();
      if (hasRecordedResult(found)) {
        commit.recordWithStoredFiles(...toFacts(call, found.facts), found.end);
        return;
      }
      const end = await decideUnrecorded(commit.state, call, others);
      if (end === 'run') return run();
      end(commit);
    },

    judge: async (commit, call) => {
      const found = recorded.findCall(call.callId, call.name, call.arguments);
      if (hasRecordedResult(found)) commit.record(...found.facts, found.end);
      else commit.record(buildNotRecorded(call));
    },

    reflect: async (commit) => commit.record(...findRecordedReflection(commit.state, recorded)),

    runRemoteCall: async (state, call, run) =>
      replayRemoteCall(state, call, recorded.findCall(call.callId, call.name, call.arguments), { others, run }),

    archiveTodos: (commit, write) => {
      const { start } = commit.state;
      const todos = commit.state.todos.list;
      // A fork that continued differently has other todos and writes its own archive.
      const isSame = recorded.state && toCanonicalJson(recorded.state.todos.list) === toCanonicalJson(todos);
      const archive = isSame ? recorded.ownFiles.get(archivePath(start.identity.phase)) : undefined;
      if (archive) commit.recordWithStoredFiles({ type: 'FileWritten', data: archive });
      else write();
    },

    refreshMemory: (commit, write) => {
      const memory = recorded.ownFiles.get(MEMORY_FILE);
      // A recording without a summary is repeated without one.
      if (!memory) return;
      if (isSameTree(recorded.state?.start, commit.state.start))
        commit.recordWithStoredFiles({ type: 'FileWritten', data: memory });
      else write();
    },

    findWriteTime: (path, content) => {
      const written = recorded.ownFiles.get(path);
      return written?.hash === contentHash(content) ? written.writtenAt : undefined;
    },
  };
}

/**
 * Returns the recorded facts of a call for a fork. The fork submits no child job and reserves nothing for one, so the end of the recorded one only
 * counts what it used, unless the fork began after it.
 */
function toFacts({ callId, child }: AdmittedCall, facts: readonly PhaseEvent[]): readonly PhaseEvent[] {
  return facts.flatMap((fact): PhaseEvent[] => {
    if (fact.type !== 'ChildJobEnded') return [fact];
    return child?.end ? [] : [{ ...fact, data: { ...fact.data, callId, reserved: NOTHING_UNCONFIRMED } }];
  });
}

/** Whether two phases began with the same files. */
function isSameTree(left: PhaseState['start'] | undefined, right: PhaseState['start']): boolean {
  const toHashes = ({ workspace }: PhaseState['start']): string =>
    toCanonicalJson(Object.fromEntries(Object.entries(workspace.tree).map(([path, { hash }]) => [path, hash])));
  return left !== undefined && toHashes(left) === toHashes(right);
}

/** More tokens than any recorded conversation has, so that no recording is refused because of its length. */
const UNLIMITED_TOKENS = 1_000_000_000;

function findRecordedResponse({ start, money: { spending } }: PhaseState, recorded: RecordedPhase): PhaseEvent {
  const step = spending.steps + 1;
  const answer = recorded.answers.get(step);
  if (answer) return { type: 'ModelResponded', data: answer };
  if (recorded.failure) return { type: 'PhaseFailed', data: recorded.failure };
  return buildPhaseFailed(
    'not_recorded',
    `the recording has no response for step ${step} of phase ${start.identity.phase}`,
    false,
  );
}

/** Builds the refusal of a call on which the recording has no decision. */
function refuseUndecided(callId: CallId): PhaseEvent {
  return {
    type: 'ApprovalRefused',
    data: { callId, actor: 'recording', reason: 'the recording has no decision of a person about this call.' },
  };
}

/** A replay has no deadline to move. */
function withoutDeadline(end: NonNullable<RecordedCall['questionEnd']>): PhaseEvent {
  const { deadlineAt: _deadline, ...data } = end.data;
  return { type: end.type, data } as PhaseEvent;
}
