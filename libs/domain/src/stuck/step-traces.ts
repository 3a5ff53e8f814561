import { traceOf, type CallTrace } from './call-trace.js';
import type { WatchedStep } from './progress-watch.js';

/** One answer, and what came of its calls. */
export interface StepTrace {
  readonly step: number;
  readonly calls: number;
  readonly traces: readonly CallTrace[];
}

/** The steps of a watch with each call held against those before it. The same once more in one answer counts once. */
export function stepTraces(steps: readonly WatchedStep[]): readonly StepTrace[] {
  const before: CallTrace[] = [];
  return steps.map(({ step, calls, ended }) => {
    const traces: CallTrace[] = [];
    for (const { call, gone } of ended) {
      const trace = traceOf(call, gone ?? false, before);
      const { name, exact, result } = trace;
      if (traces.some((other) => other.name === name && other.exact === exact && other.result === result)) continue;
      traces.push(trace);
      before.push(trace);
    }
    return { step, calls, traces };
  });
}
