import type { PlanStep } from '@phaseline/client';
import type { CallId } from '@phaseline/contracts';
import { decodeJobEvent, decodePhaseEvent, parseStreamName, type JobEvent, type PhaseEvent } from '@phaseline/domain';
import type { JsonObject } from '@phaseline/basics';
import type { RecordedEvent } from '@phaseline/event-store';

/** Types of the events that a trace reads. */
export const tracedTypes = [
  ...['JobForked', 'PhaseDispatched', 'ModelResponded', 'ConversationSummarised', 'JudgeEnded', 'ReflectionRecorded'],
  ...['ToolCallRequested', 'ApprovalRequested', 'ToolCallDenied', 'ToolCallCompleted', 'ToolCallFailed'],
];

/** Collects the steps of a plan in the order of the log. */
class Trace {
  readonly steps: PlanStep[] = [];
  private readonly stages = new Map<number, string>();
  /** Indexes of the steps of calls, by phase and call. */
  private readonly indexes = new Map<string, number>();

  apply(event: JobEvent | PhaseEvent, phase: number | undefined): void {
    switch (event.type) {
      case 'JobForked': {
        const { spending, phase: carried } = event.data.carried;
        // What the parent spent until then counts towards the fork.
        if (spending.costMicroUsd > 0) this.add({ costDelta: spending.costMicroUsd });
        if (carried) this.stages.set(carried.number, nameStage(carried.state));
        return;
      }
      case 'PhaseDispatched':
        this.stages.set(event.data.phase, nameStage(event.data.state));
        return;
      case 'ModelResponded':
        this.addAnswer(event.data, phase);
        return;
      case 'ConversationSummarised':
      case 'JudgeEnded':
      case 'ReflectionRecorded':
        this.add({ phase, durationMs: event.data.durationMs, costDelta: event.data.costMicroUsd });
        return;
      case 'ToolCallRequested':
      case 'ApprovalRequested':
      case 'ToolCallDenied':
        // Calls of the controller are in no answer of a model.
        this.open(event.data.callId, event.data.name, phase, 0);
        return;
      case 'ToolCallCompleted':
      case 'ToolCallFailed':
        this.close(event.data, phase);
        return;
      default:
    }
  }

  private addAnswer(
    { calls, costMicroUsd, durationMs }: Extract<PhaseEvent, { type: 'ModelResponded' }>['data'],
    phase: number | undefined,
  ): void {
    if (calls.length === 0) this.add({ phase, durationMs, costDelta: costMicroUsd });
    for (const [index, { callId, name }] of calls.entries())
      this.open(callId, name, phase, index === 0 ? costMicroUsd : 0);
  }

  private open(callId: CallId, tool: string, phase: number | undefined, costDelta: number): void {
    const key = `${phase}/${callId}`;
    if (this.indexes.has(key)) return;
    this.indexes.set(key, this.steps.length);
    this.add({ tool, callId, phase, costDelta });
  }

  private close(
    { callId, durationMs, result }: Extract<PhaseEvent, { type: 'ToolCallCompleted' | 'ToolCallFailed' }>['data'],
    phase: number | undefined,
  ): void {
    const index = this.indexes.get(`${phase}/${callId}`);
    if (index === undefined) return;
    this.steps[index] = { ...this.steps[index]!, durationMs, ...readResult(result ?? {}) };
  }

  private add(step: { readonly phase?: number | undefined } & Partial<Omit<PlanStep, 'phase'>>): void {
    const { phase = null, ...rest } = step;
    this.steps.push({
      ...{ stage: phase === null ? null : (this.stages.get(phase) ?? null), tool: null, callId: null, phase },
      ...{ durationMs: null, confidence: null, costDelta: 0, violations: [], adaptations: 0, explanations: [] },
      memo: false,
      ...rest,
    });
  }
}

/** Returns the stage of a state: `draft_outline` and `validate_outline` are the stage `outline`. Waits keep their name. */
function nameStage(state: string): string {
  const [, stage] = /^(?:collect|draft|validate|seek)_([a-z]+)$/.exec(state) ?? [];
  return stage ?? state;
}

function readResult(result: JsonObject): Partial<PlanStep> {
  const { confidence, violations, adaptations, explanations, memo } = result;
  return {
    confidence: typeof confidence === 'number' ? confidence : null,
    violations: listTexts(violations),
    adaptations: typeof adaptations === 'number' ? adaptations : 0,
    explanations: listTexts(explanations),
    memo: memo === true,
  };
}

function listTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}

/** Separates the money of a model from a call that was answered from the memo: the call cost nothing, but the answer that made it was paid. */
function separateMemo(step: PlanStep): readonly PlanStep[] {
  if (!step.memo || step.costDelta === 0) return [step];
  const { stage, phase, costDelta } = step;
  const common = { tool: null, callId: null, durationMs: null, confidence: null, memo: false };
  const paid = { ...{ stage, phase, costDelta }, ...common, violations: [], adaptations: 0, explanations: [] };
  return [paid, { ...step, costDelta: 0 }];
}

/** Lists the steps of a plan from its events: every call and all money. Throws UndecodableEvent. */
export function tracePlan(events: readonly RecordedEvent[]): PlanStep[] {
  const trace = new Trace();
  for (const event of events) {
    const stream = parseStreamName(event.streamId);
    if (stream?.kind === 'job') trace.apply(decodeJobEvent(event), undefined);
    else if (stream?.kind === 'phase') trace.apply(decodePhaseEvent(event), stream.phase);
  }
  return trace.steps.flatMap(separateMemo);
}
