import { traceCall, type CallTrace } from './call-trace.js';
import type { WatchedStep } from './watched-step.js';

/** One answer with the traces of its calls. */
export interface StepTrace {
  readonly step: number;
  readonly calls: number;
  readonly traces: readonly CallTrace[];
}

/** Traces the steps of a watch, comparing each call with those before it. Identical calls of one answer count once. */
export function traceSteps(steps: readonly WatchedStep[]): readonly StepTrace[] {
  const before: CallTrace[] = [];
  return steps.map(({ step, callIds, ended }) => {
    const traces: CallTrace[] = [];
    for (const { call, isCleared } of ended) {
      const trace = traceCall(call, isCleared ?? false, before);
      const { name, exactFingerprint, result } = trace;
      if (
        traces.some(
          (other) => other.name === name && other.exactFingerprint === exactFingerprint && other.result === result,
        )
      )
        continue;
      traces.push(trace);
      before.push(trace);
    }
    return { step, calls: callIds.length, traces };
  });
}
