import type { HookPoint } from '../../guard/guard-vocabulary.js';
import type { PhaseEventData } from '../phase-events.js';

/** What guards said about a call after it ended. */
export interface GuardFeedback {
  /** The result as the call itself returned it. */
  readonly original: string;
  /** The text that replaces it, and the guard that demanded it. */
  readonly replaced?: { readonly by: string; readonly content: string };
  /** Set to the names of guards that demand different texts: the model reads none of them. */
  readonly conflict?: readonly [string, string];
  /** Texts that the model reads in addition. */
  readonly notes: readonly string[];
}

const endedPoints: ReadonlySet<HookPoint> = new Set<HookPoint>(['PostToolUse', 'PostToolUseFailure']);

/** What the model reads of a call, and what guards said about it. */
interface ReadCall {
  readonly result?: string;
  readonly feedback?: GuardFeedback;
}

/** Applies the decision of a guard about an ended call to what the model reads of it; `undefined` if it has no effect. */
export function addFeedback(
  call: ReadCall,
  { point, guard, decision, amended, context, reason, override }: PhaseEventData<'GuardDecided'>,
): Required<ReadCall> | undefined {
  if (!endedPoints.has(point) || guard.stage !== 'production' || override || call.result === undefined)
    return undefined;
  const before: GuardFeedback = call.feedback ?? { original: call.result, notes: [] };
  const content = decision === 'amend' ? amended?.['content'] : undefined;
  const note = context ?? (decision === 'deny' ? reason : undefined);
  const replaced = typeof content === 'string' ? replace(before, guard.name, content) : before;
  const feedback = note === undefined ? replaced : { ...replaced, notes: [...replaced.notes, note] };
  return { feedback, result: renderFeedback(feedback) };
}

function replace(feedback: GuardFeedback, by: string, content: string): GuardFeedback {
  const { replaced } = feedback;
  if (!replaced) return { ...feedback, replaced: { by, content } };
  return replaced.content === content ? feedback : { ...feedback, conflict: [replaced.by, by] };
}

function renderFeedback({ original, replaced, conflict, notes }: GuardFeedback): string {
  const text = conflict
    ? `[The result is not shown: the guards ${conflict[0]} and ${conflict[1]} demand different texts.]`
    : (replaced?.content ?? original);
  return [text, ...notes.map((note) => `[${note}]`)].join('\n');
}
