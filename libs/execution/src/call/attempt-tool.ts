import { computeBackoffMs, type JsonObject } from '@phaseline/basics';
import type { AdmittedCall, PhaseEvent } from '@phaseline/domain';
import { ToolError } from '@phaseline/contracts';
import { DatabaseUnreachable } from '@phaseline/event-store';
import {
  CallSecrets,
  maskOutcome,
  parseOutcome,
  type ReadSecrets,
  type RemoteToolContext,
  type RemoteTool,
  type ToolOutcome,
  type ToolRegistry,
} from '@phaseline/tools';
import { InvalidPath } from '@phaseline/workspace';
import { toFailure, type CallResult } from './end-call.js';
import type { FailedAttempt } from './error-report.js';
import { resolveCall } from './resolve-call.js';
import { wait, realTimers, type Timers } from '../timers.js';

export interface AttemptLimits {
  /** Maximum number of attempts for transient failures. A tool with effect `once` is attempted only once. */
  readonly attempts: number;
  /** Delay before the second attempt in milliseconds; doubled for each further attempt. */
  readonly backoffMs: number;
  /** Maximum milliseconds of all attempts together; no limit if absent. */
  readonly totalMs?: number | undefined;
}

/** The part of a call's context that is the same for every attempt. */
export interface CallSite extends Pick<
  RemoteToolContext,
  'jobId' | 'phase' | 'workspace' | 'kind' | 'settings' | 'workspaceSettings'
> {
  /** Reads the secrets of the job's tenant and agent. */
  readonly readSecrets?: ReadSecrets | undefined;
}

/**
 * Runs a tool with its timeout and retries transient failures. Values of secrets that the call read are removed from its outcome and from
 * its error. Does not throw when the tool fails. Throws when `signal` fires, and DatabaseUnreachable when a tool that may run again could
 * not read the log.
 */
export async function attemptTool(
  tools: ToolRegistry,
  call: AdmittedCall,
  { readSecrets, ...at }: CallSite,
  signal: AbortSignal,
  limits: AttemptLimits,
  timers: Timers = realTimers,
): Promise<CallResult> {
  const started = timers.now();
  const elapsedMs = (): number => Math.round(timers.now() - started);
  let resolved: { readonly tool: RemoteTool; readonly input: unknown };
  try {
    resolved = resolveCall(tools, call, 'remote');
  } catch (error) {
    return { ...toFailure(error), attempts: 0, durationMs: elapsedMs() };
  }
  const secrets = new CallSecrets({ readSecrets, declared: resolved.tool.secrets });
  const events: PhaseEvent[] = [];
  const recordEvent = (event: PhaseEvent): void => void events.push(secrets.mask.maskJson(event));
  const { totalMs = Infinity } = limits;
  const maxAttempts = call.effect === 'once' ? 1 : limits.attempts;
  const failures: FailedAttempt[] = [];
  for (let attempt = 1; ; attempt += 1) {
    const startedMs = elapsedMs();
    try {
      const site = { ...at, attempt, secrets, recordEvent, ...describePrevious(failures.at(-1)) };
      const timeoutMs = Math.min(call.timeoutMs, Math.max(1, totalMs - startedMs));
      const outcome = await withTimeout(resolved, { ...call, timeoutMs }, site, signal, timers);
      return {
        isOk: true,
        outcome: maskOutcome(outcome, secrets.mask),
        events,
        attempts: attempt,
        durationMs: elapsedMs(),
      };
    } catch (error) {
      signal.throwIfAborted();
      // The log is unavailable, and the tool did not fail: the message of the call is delivered again when the outage is over. A failure
      // that is recorded would, for example, let a guard deny a call because of the outage.
      if (error instanceof DatabaseUnreachable && call.effect !== 'once') throw error;
      const problem = maskProblem(toProblem(call, error), secrets);
      const { code, message } = problem;
      failures.push({ code, message, startedMs, durationMs: elapsedMs() - startedMs });
      const backoffMs = computeBackoffMs({ firstMs: limits.backoffMs, maxMs: Infinity }, attempt);
      if (!problem.retryable || attempt >= maxAttempts || elapsedMs() + backoffMs >= totalMs)
        return {
          isOk: false,
          ...describeProblem(call, problem),
          events,
          attempts: attempt,
          durationMs: elapsedMs(),
          ...(problem.retryable ? { failures } : {}),
        };
      await wait(timers, backoffMs, signal);
    }
  }
}

/** Tells a tool why the attempt before failed. */
function describePrevious(failed: FailedAttempt | undefined): Pick<RemoteToolContext, 'previousFailure'> {
  return failed ? { previousFailure: { code: failed.code, message: failed.message } } : {};
}

async function withTimeout(
  { tool, input }: { readonly tool: RemoteTool; readonly input: unknown },
  call: AdmittedCall,
  at: Omit<RemoteToolContext, 'callId' | 'signal'>,
  signal: AbortSignal,
  timers: Timers,
): Promise<ToolOutcome> {
  const timeout = new AbortController();
  const limit = Promise.withResolvers<never>();
  const cancelLimit = timers.schedule(call.timeoutMs, () => {
    timeout.abort();
    limit.reject(
      new ToolError('timeout', `${call.name} exceeded its time limit of ${call.timeoutMs} ms and was stopped.`, {
        retryable: true,
        outcomeUnknown: true,
      }),
    );
  });
  const stop = (): void => limit.reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    signal.throwIfAborted();
    const context = { ...at, callId: call.callId, signal: AbortSignal.any([signal, timeout.signal]) };
    // Raced, because a tool that ignores its signal must not keep the slot.
    return await Promise.race([parseOutcome(tool, tool.run(context, input)), limit.promise]);
  } finally {
    cancelLimit();
    signal.removeEventListener('abort', stop);
  }
}

interface Problem {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  readonly outcomeUnknown: boolean;
  readonly result?: JsonObject | undefined;
}

/**
 * Returns how a failed call ends. When a call must not run twice and may have taken effect, its outcome is unknown and
 * the model has to check.
 */
function describeProblem(
  { effect }: AdmittedCall,
  { code, message, outcomeUnknown, result }: Problem,
): Pick<Problem, 'code' | 'message' | 'result'> {
  if (effect !== 'once' || !outcomeUnknown) return { code, message, result };
  return {
    code: 'outcome_unknown',
    message: `${message} The outcome is unknown: check whether it took effect before you call it again.`,
    result,
  };
}

function maskProblem({ message, result, ...problem }: Problem, { mask }: CallSecrets): Problem {
  return { ...problem, message: mask.maskText(message), result: result && mask.maskJson(result) };
}

function toProblem(call: AdmittedCall, error: unknown): Problem {
  if (error instanceof ToolError) {
    const { code, message, retryable, outcomeUnknown, result } = error;
    return { code, message, retryable, outcomeUnknown, result };
  }
  if (error instanceof InvalidPath)
    return { code: error.code, message: error.message, retryable: false, outcomeUnknown: false };
  // A bug in the tool, which the same input would trigger again.
  return {
    code: 'tool_crashed',
    message: `${call.name} failed unexpectedly: ${error instanceof Error ? error.message : String(error)}`,
    retryable: false,
    outcomeUnknown: true,
  };
}
