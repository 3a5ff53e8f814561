import type { InboxItem } from '@phaseline/client';
import type { Tone } from '../ui/badge.js';

/** What people call each kind of entry, with its look. */
const kindLooks: Readonly<Record<string, readonly [name: string, tone: Tone, glyph: string]>> = {
  approval: ['Approval', 'warn', '✓'],
  question: ['Question', 'accent', '?'],
  'blocked-todo': ['Blocked todo', 'neutral', '‖'],
  'blocked-job': ['Blocked job', 'bad', '!'],
};

/** Returns the name, the tone and the glyph of a kind. Newer servers may have kinds that are unknown here. */
export function describeKind(kind: string): { readonly name: string; readonly tone: Tone; readonly glyph: string } {
  const [name, tone, glyph] = kindLooks[kind] ?? [kind, 'neutral' as const, '•'];
  return { name, tone, glyph };
}

/** Returns what distinguishes an entry from all others, also after it has changed its position in the list. */
export function keyOfEntry({ jobId, phase, kind, callId, todo, position }: InboxItem): string {
  return [jobId, phase, kind, callId ?? todo?.id ?? position].join('.');
}

/** Returns one line that says what an entry is about. */
export function summariseEntry({ approval, question, todo, blocked, unreadableReason }: InboxItem): string {
  if (unreadableReason !== undefined) return 'The content of the job cannot be read';
  if (approval) return `${approval.tool} ${approval.change?.path ?? firstText(approval.arguments)}`.trim();
  return question?.text ?? todo?.content ?? blocked?.message ?? '';
}

function firstText(args: Readonly<Record<string, unknown>>): string {
  const found = Object.values(args).find((value) => typeof value === 'string');
  return typeof found === 'string' ? found.slice(0, 200) : '';
}

/** Returns the entry after which the list continues when one was decided: the next, else the one before it. */
export function findNext(items: readonly InboxItem[], key: string): InboxItem | undefined {
  const index = items.findIndex((item) => keyOfEntry(item) === key);
  return index === -1 ? items[0] : (items[index + 1] ?? items[index - 1]);
}
