import {
  computeRemainingTurnMs,
  isSystemCall,
  type AdmittedCall,
  type PhaseEvent,
  type PhaseState,
} from '@phaseline/domain';
import { WrongExpectedVersion } from '@phaseline/event-store';
import { faultPoint } from '@phaseline/fault-points';
import type { EventOrigin } from '@phaseline/repository';
import { getJobBlobs, StagedWorkspace } from '@phaseline/workspace';
import type { RemoteRun } from '../ports.js';
import { traceRemoteCall } from '../telemetry/trace-tool-call.js';
import { attemptTool } from './attempt-tool.js';
import { endCall, type CallResult } from './end-call.js';
import type { ToolRunnerParts } from './tool-runner-parts.js';

/** Number of processes that may die while running a call before the call fails. */
const MAX_DEATHS = 4;

/** A remote call whose tool is to run. */
export interface RemoteCall {
  readonly state: PhaseState;
  readonly call: AdmittedCall;
  readonly lease: string;
  /** Number of processes that died while they had its message. */
  readonly deaths: number;
  readonly origin: EventOrigin;
  readonly signal: AbortSignal;
}

/**
 * Runs the tool of an open call. A call with the effect `once` is recorded as started first; when its process died, its
 * outcome is unknown and it is not run again. Throws when the signal fires.
 */
export async function runRemoteTool(remote: RemoteCall, parts: ToolRunnerParts): Promise<RemoteRun> {
  const { state, call, lease, deaths, signal } = remote;
  const { tools, limits, timers } = parts;
  const end = (from: PhaseState, result: CallResult): RemoteRun => ({
    state: from,
    recordEnd: (commit) => endCall(commit, call, result),
  });
  if (call.status === 'started') {
    if (call.leaseOwner !== parts.processId && (await parts.leases.isLeaseHeld(call.leaseOwner!, lease)))
      return 'owned-elsewhere';
    const message = `The process that ran ${call.name} died. The outcome is unknown: check whether it took effect before you call it again.`;
    return end(state, { isOk: false, code: 'outcome_unknown', message, attempts: 1, durationMs: 0 });
  }
  if (deaths >= MAX_DEATHS) {
    const message = `${call.name} will not be retried: the process that ran it died ${deaths} times.`;
    return end(state, { isOk: false, code: 'crashed_runner', message, attempts: deaths, durationMs: 0 });
  }
  // The calls of the system are not stopped: they decide how the work ends, and the failure of one would hide why.
  const totalMs = isSystemCall(call) ? undefined : computeRemainingTurnMs(state);
  if (totalMs === 0) {
    const message = `${call.name} was not run: the time of the turn is used up.`;
    return end(state, { isOk: false, code: 'timeout', message, attempts: 0, durationMs: 0 });
  }
  const started = call.effect === 'once' ? await recordStarted(remote, parts) : state;
  if (!started) return 'phase-changed';
  const { jobId, phase, kind, agent } = started.start.identity;
  const { settings = {}, workspace: workspaceSettings } = started.start.terms;
  const workspace = new StagedWorkspace(started.tree, getJobBlobs(parts.blobs, jobId));
  const readSecrets = parts.readSecrets && ((names: readonly string[]) => parts.readSecrets!(jobId, agent.name, names));
  const at = { jobId, phase, workspace, kind, settings, workspaceSettings, readSecrets };
  const retries = started.start.terms.toolFailures?.retries;
  const attempts = retries === undefined ? limits.attempts : retries + 1;
  const result = await traceRemoteCall(started, call, () =>
    attemptTool(tools, call, at, signal, { ...limits, attempts, totalMs }, timers),
  );
  signal.throwIfAborted();
  faultPoint('tool.before-append', lease);
  return end(started, result);
}

/** Records that a call which must not run twice is about to run; `undefined` when the phase changed meanwhile. */
async function recordStarted(
  { state, call, lease, origin }: RemoteCall,
  { repository, processId }: ToolRunnerParts,
): Promise<PhaseState | undefined> {
  faultPoint('tool.before-start', lease);
  const event: PhaseEvent = { type: 'ToolCallStarted', data: { callId: call.callId, leaseOwner: processId } };
  try {
    const started = await repository.appendToPhase(state, [event], { origin });
    faultPoint('tool.after-start', lease);
    return started;
  } catch (error) {
    if (error instanceof WrongExpectedVersion) return undefined;
    throw error;
  }
}
