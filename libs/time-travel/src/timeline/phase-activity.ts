/** What a phase waits for. */
type PhaseWait = 'approval' | 'question' | 'child' | 'model-server' | 'pause' | 'guard' | 'slot';

/** A time in which a phase did one thing. */
export interface ActivitySegment {
  readonly kind: 'model' | 'tool' | 'wait';
  readonly waitsFor?: PhaseWait;
  readonly start: number;
  /** Absent while it lasts. */
  readonly end?: number;
  readonly fromPosition: number;
  readonly toPosition: number;
  /** Number of tool calls that were requested in it. */
  readonly calls: number;
}

type Activity = 'model' | 'tool' | PhaseWait;

interface OpenSegment {
  readonly activity: Activity;
  readonly start: number;
  readonly position: number;
  calls: number;
}

/** Changes of what is open in a phase, by event type. A call that asks a person or delegates stays an open tool call meanwhile. */
const changes: Readonly<
  Record<string, Partial<Record<'tools' | 'approval' | 'question' | 'child' | 'guard', 1 | -1>>>
> = {
  ToolCallRequested: { tools: 1 },
  ToolCallCompleted: { tools: -1 },
  ToolCallFailed: { tools: -1 },
  ApprovalRequested: { approval: 1 },
  ApprovalGranted: { approval: -1, tools: 1 },
  ApprovalRefused: { approval: -1 },
  QuestionAsked: { question: 1 },
  QuestionAnswered: { question: -1 },
  QuestionTimedOut: { question: -1 },
  ChildJobRequested: { child: 1 },
  ChildJobEnded: { child: -1 },
  GuardsAwaited: { guard: 1 },
  GuardsSettled: { guard: -1 },
};

/** Events that end a model call, or the attempt at it. */
const modelEnds: ReadonlySet<string> = new Set([
  'ModelResponded',
  'ModelCallFailed',
  'ConversationSummarised',
  'JudgeEnded',
  'ReflectionRecorded',
]);
/** Events that end a phase. */
export const phaseEnds: ReadonlySet<string> = new Set(['PhaseCompleted', 'PhaseFailed', 'PhaseCancelled']);

/**
 * Follows what one phase does from the types of its events alone, so that it can be told for any number of events, and for encrypted ones.
 * Several things at the same time count as the first of: paused, model, tool, and the waits.
 */
export class PhaseActivity {
  readonly segments: ActivitySegment[] = [];
  private readonly open = { tools: 0, approval: 0, question: 0, child: 0, guard: 0 };
  private isPaused = false;
  private isCallingModel = false;
  private isAwaitingServer = false;
  private segment: OpenSegment | undefined;

  /** Adds the next event of the phase. */
  add(type: string, time: number, position: number): void {
    this.apply(type);
    const activity = this.findActivity();
    // Each model call is a segment of its own.
    const isNext = activity !== this.segment?.activity || type === 'ModelCallStarted';
    if (isNext) {
      // A call that asks a person or delegates is requested, and waits in the same commit: it is a wait, not a tool.
      const isWait = this.segment?.start === time && (activity === 'question' || activity === 'child');
      if (!isWait) this.close(time, position);
      this.segment = activity && { activity, start: time, position, calls: 0 };
    }
    if (type === 'ToolCallRequested' && this.segment) this.segment.calls += 1;
  }

  /** Adds a wait for a slot before the first event of the phase. */
  addSlotWait(start: number, fromPosition: number, end: number, toPosition: number): void {
    if (end > start)
      this.segments.push({ kind: 'wait', waitsFor: 'slot', start, end, fromPosition, toPosition, calls: 0 });
  }

  /** Adds what the phase still does at its last event. */
  finish(lastPosition: number): readonly ActivitySegment[] {
    if (this.segment) this.segments.push({ ...toSegment(this.segment), toPosition: lastPosition });
    this.segment = undefined;
    return this.segments;
  }

  private close(time: number, position: number): void {
    if (this.segment) this.segments.push({ ...toSegment(this.segment), end: time, toPosition: position });
  }

  private apply(type: string): void {
    for (const [name, change] of Object.entries(changes[type] ?? {}) as [keyof typeof this.open, number][])
      this.open[name] = Math.max(0, this.open[name] + change);
    if (type === 'ModelCallStarted') this.isCallingModel = true;
    if (modelEnds.has(type)) this.isCallingModel = false;
    if (type === 'ModelAwaited') this.isAwaitingServer = true;
    else if (type === 'ModelCallStarted' || modelEnds.has(type)) this.isAwaitingServer = false;
    if (type === 'PhasePaused') this.isPaused = true;
    if (type === 'PhaseResumed') this.isPaused = false;
    if (phaseEnds.has(type)) {
      Object.assign(this.open, { tools: 0, approval: 0, question: 0, child: 0, guard: 0 });
      this.isPaused = this.isCallingModel = this.isAwaitingServer = false;
    }
  }

  private findActivity(): Activity | undefined {
    const { tools, approval, question, child, guard } = this.open;
    if (this.isPaused) return 'pause';
    if (this.isAwaitingServer) return 'model-server';
    if (this.isCallingModel) return 'model';
    if (tools > question + child) return 'tool';
    if (approval > 0) return 'approval';
    if (question > 0) return 'question';
    if (child > 0) return 'child';
    return guard > 0 ? 'guard' : undefined;
  }
}

function toSegment({ activity, start, position, calls }: OpenSegment): Omit<ActivitySegment, 'toPosition'> {
  const what =
    activity === 'model' || activity === 'tool' ? { kind: activity } : { kind: 'wait' as const, waitsFor: activity };
  return { ...what, start, fromPosition: position, calls };
}
