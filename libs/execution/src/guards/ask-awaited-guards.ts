import { getAdmittedCall, type AdmittedCall, type PhaseState } from '@phaseline/domain';
import type { ToolOutcome } from '@phaseline/tools';
import { endCall, toFailure, type CallResult } from '../call/end-call.js';
import type { AdmissionParts } from '../call/admit-guarded.js';
import type { PendingCommit } from '../step/pending-commit.js';
import { settleGuards } from './settle-guards.js';

/** Runs a call of the system that asks command guards about a state of the phase. Throws ToolError if it fails. */
export type AskCommands = (state: PhaseState, call: AdmittedCall) => Promise<ToolOutcome>;

/**
 * Asks the command guards that a commit awaits about a call, and records what follows from their decisions, until none is awaited. Live, a
 * tool-runner asks and a worker continues, each in a commit of its own; here it is one commit, which is not appended. Guards that were awaited before
 * the commit are not asked.
 */
export async function askAwaitedGuards(commit: PendingCommit, ask: AskCommands, parts: AdmissionParts): Promise<void> {
  const before = new Set(commit.base.guardWaits);
  for (;;) {
    const wait = commit.state.guardWaits.find((one) => !before.has(one));
    if (!wait) return;
    for (const callId of new Set(wait.runs.map((run) => run.callId))) {
      const call = getAdmittedCall(commit.state.calls, callId);
      await endCall(commit, call, await attempt(commit.state, call, ask));
    }
    await settleGuards(commit, wait, parts);
  }
}

async function attempt(state: PhaseState, call: AdmittedCall, ask: AskCommands): Promise<CallResult> {
  const attempts = { attempts: 1, durationMs: 0 };
  try {
    return { isOk: true, outcome: await ask(state, call), ...attempts };
  } catch (error) {
    return { ...toFailure(error), ...attempts };
  }
}
