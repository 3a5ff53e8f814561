import { isStop } from '../session/follow-answer.js';
import { boundText } from '../session/bound-text.js';
import type { PlannedItem } from './planned-items.js';

/** What a person wants who replied to a plan that is carried out. */
export type RunReply =
  | { readonly kind: 'end'; readonly item: PlannedItem; readonly status: 'done' | 'skipped' }
  /** The agent is to try the task again. */
  | { readonly kind: 'retry'; readonly item: PlannedItem }
  | { readonly kind: 'replan'; readonly why: string }
  | { readonly kind: 'stop' }
  /** The reply was not understood; `message` says what is possible. */
  | { readonly kind: 'unclear'; readonly message: string };

/** Tasks about which a person can say something. */
export interface OpenItems {
  readonly running: readonly PlannedItem[];
  readonly failed: readonly PlannedItem[];
}

/** Reads a reply: `done`, `skip` or `retry` with the id of a task (not needed if there is only one), `re-plan: why`, or `stop`. */
export function readRunReply(text: string, open: OpenItems): RunReply {
  const reply = text.trim();
  if (isStop(reply)) return { kind: 'stop' };
  const wish = /^re-?plan\b\s*:?\s*(.*)$/is.exec(reply);
  if (wish) return { kind: 'replan', why: boundText(wish[1] ?? '') || 'The person wants another plan.' };
  const [, verb = '', id = ''] = /^(done|skip|retry)\b\s*(.*)$/is.exec(reply) ?? [];
  const action = verb.toLowerCase();
  if (action === '') return { kind: 'unclear', message: `"${boundText(reply).slice(0, 100)}" was not understood.` };
  const candidates =
    action === 'retry' ? open.failed : action === 'done' ? open.running : [...open.running, ...open.failed];
  const found = id === '' && candidates.length === 1 ? candidates[0] : candidates.find((item) => isNamed(item, id));
  if (!found) return { kind: 'unclear', message: describeMissing(action, id, candidates) };
  if (action === 'retry') return { kind: 'retry', item: found };
  return { kind: 'end', item: found, status: action === 'done' ? 'done' : 'skipped' };
}

function isNamed({ id, node }: PlannedItem, name: string): boolean {
  const wanted = name.trim().toLowerCase();
  return wanted === id.toLowerCase() || wanted === node.title.trim().toLowerCase();
}

function describeMissing(action: string, id: string, candidates: readonly PlannedItem[]): string {
  if (candidates.length === 0) return `There is no task for "${action}" now.`;
  const known = candidates
    .slice(0, 10)
    .map((item) => item.id)
    .join(', ');
  return id === ''
    ? `Say which task: ${known}.`
    : `There is no task ${id.slice(0, 100)} for "${action}". There are: ${known}.`;
}
