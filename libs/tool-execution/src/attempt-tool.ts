import type { CallState } from '@phaseline/domain';
import { ToolError, type RunnerContext, type RunnerTool, type ToolOutcome, type ToolRegistry } from '@phaseline/tools';
import { InvalidPath } from '@phaseline/workspace';
import { pause, realTimers, type Timers } from './timers.js';

export interface AttemptLimits {
  /** Tries for failures that may pass. A tool with effect `once` is tried only once. */
  readonly attempts: number;
  /** Wait before the second try, in milliseconds; doubled for each further one. */
  readonly backoffMs: number;
}

/** Where a call is run: all of its context that does not change from try to try. */
export type CallSite = Pick<RunnerContext, 'jobId' | 'workspace' | 'kind' | 'settings'>;

export type ToolResult =
  | { readonly ok: true; readonly outcome: ToolOutcome; readonly attempts: number; readonly durationMs: number }
  | {
      readonly ok: false;
      readonly code: string;
      readonly message: string;
      readonly attempts: number;
      readonly durationMs: number;
    };

/** Runs a tool with its timeout, again after a failure that may pass. Never throws for a failing tool; throws when `signal` fires. */
export async function attemptTool(
  tools: ToolRegistry,
  call: CallState,
  at: CallSite,
  signal: AbortSignal,
  limits: AttemptLimits,
  timers: Timers = realTimers,
): Promise<ToolResult> {
  const started = timers.now();
  const took = (): number => Math.round(timers.now() - started);
  const tool = tools.get(call.name);
  if (tool?.lane !== 'runner') {
    return {
      ok: false,
      code: 'unknown_tool',
      message: `This tool-runner has no tool named ${call.name}.`,
      attempts: 0,
      durationMs: took(),
    };
  }
  const input = tool.input.safeParse(call.arguments);
  if (!input.success)
    return {
      ok: false,
      code: 'bad_arguments',
      message: `The arguments of ${call.name} do not fit.`,
      attempts: 0,
      durationMs: took(),
    };
  const tries = call.effect === 'once' ? 1 : limits.attempts;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const outcome = await withTimeout(tool, call, { ...at, attempt }, input.data, signal, timers);
      return { ok: true, outcome, attempts: attempt, durationMs: took() };
    } catch (error) {
      signal.throwIfAborted();
      const problem = describe(call, error);
      if (!problem.retryable || attempt >= tries)
        return { ok: false, ...ending(call, problem), attempts: attempt, durationMs: took() };
      await pause(timers, limits.backoffMs * 2 ** (attempt - 1), signal);
    }
  }
}

async function withTimeout(
  tool: RunnerTool,
  call: CallState,
  at: CallSite & { readonly attempt: number },
  input: unknown,
  signal: AbortSignal,
  timers: Timers,
): Promise<ToolOutcome> {
  const timeout = new AbortController();
  const limit = Promise.withResolvers<never>();
  const cancelLimit = timers.after(call.timeoutMs, () => {
    timeout.abort();
    limit.reject(
      new ToolError('timeout', `${call.name} took longer than ${call.timeoutMs} ms and was stopped.`, {
        retryable: true,
        outcomeUnknown: true,
      }),
    );
  });
  const stop = (): void => limit.reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    signal.throwIfAborted();
    const context = {
      ...at,
      callId: call.callId,
      signal: AbortSignal.any([signal, timeout.signal]),
    };
    // Raced, because a tool that does not listen to its signal must not hold the slot.
    return await Promise.race([tool.run(context, input), limit.promise]);
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
}

/** A call that must not run twice, and of which nobody can tell whether it ran, has not failed: the model has to look. */
function ending({ effect }: CallState, { code, message, outcomeUnknown }: Problem): { code: string; message: string } {
  if (effect !== 'once' || !outcomeUnknown) return { code, message };
  return {
    code: 'outcome_unknown',
    message: `${message} Whether it took effect is unknown: check before you call it again.`,
  };
}

function describe(call: CallState, error: unknown): Problem {
  if (error instanceof ToolError) return error;
  if (error instanceof InvalidPath)
    return { code: error.code, message: error.message, retryable: false, outcomeUnknown: false };
  // A bug of the tool: the same input would meet it again, and its text is for the log of the service, not for the model alone.
  return {
    code: 'tool_crashed',
    message: `${call.name} failed unexpectedly: ${error instanceof Error ? error.message : String(error)}`,
    retryable: false,
    outcomeUnknown: true,
  };
}
