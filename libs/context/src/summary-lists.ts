import { addItem, listItems, toItemText, type PhaseState } from '@phaseline/domain';
import { countTokens } from './count-tokens.js';

/** The lists of a summary that outlive the next one, most important first. A return hands on the same two. */
const KEPT_LISTS = ['Unresolved defects', 'Decisions'] as const;
/** What a summary takes off these lists. */
const SETTLED_LIST = 'Settled';

/** Asks for the lists, after any text that asks for a summary. */
export const LISTS_TASK = [
  'End with two lists, one line per item: below the heading `## Decisions` what was decided and why, and below `## Unresolved defects` what is',
  'known not to work. Copy the items of an earlier summary word for word. Those that no longer hold, or are resolved, go below `## Settled`',
  'instead; all others are kept for the agent in any case.',
].join(' ');

/** Maximum length of an item, in characters. */
const MAX_ITEM_CHARACTERS = 500;
/** Maximum length of a summary to which items of earlier ones are added: in tokens, and as a fraction of the limit of the prompt. */
const MAX_CARRIED_TOKENS = 4_000;
const MAX_CARRIED_FRACTION = 0.25;
const NO_ITEM = /^\W*(?:none|nothing|n\/a)\W*$/i;

/**
 * Adds to a summary the items that the summary before listed and this one left out, so that a decision or a defect is not lost because a model
 * forgets it. Items that it names as settled are not added. `limit` is the maximum size of a prompt in tokens.
 */
export function carryLists(before: string | undefined, summary: string, limit: number): string {
  if (before === undefined) return summary;
  const maxTokens = Math.min(MAX_CARRIED_TOKENS, limit * MAX_CARRIED_FRACTION);
  const settled = new Set(listOf(summary, SETTLED_LIST));
  let carried = summary;
  let tokens = countTokens(summary);
  for (const heading of KEPT_LISTS) {
    const listed = new Set(listOf(summary, heading));
    for (const item of listOf(before, heading)) {
      if (listed.has(item) || settled.has(item)) continue;
      tokens += countTokens(item);
      if (tokens > maxTokens) return carried;
      carried = addItem(carried, heading, item);
    }
  }
  return carried;
}

/**
 * Finds the items of the lists that a return names neither in its result nor as settled. They are demanded up to half of the size that a result
 * may have; nothing is demanded of a phase that was never summarised.
 */
export function findUnreturned(state: PhaseState, result: unknown, settled: readonly string[]): readonly string[] {
  const { summary } = state.conversation;
  if (summary === undefined) return [];
  const texts = [...listTexts(result), ...settled].map(toSingleSpaces);
  let room = (state.start.plan.returns?.maxTokens ?? 0) / 2;
  const demanded = KEPT_LISTS.flatMap((heading) => listOf(summary, heading)).filter((item) => {
    room -= countTokens(item);
    return room >= 0;
  });
  return demanded.filter((item) => !texts.some((text) => text.includes(item)));
}

/** Whether a summary lists anything that a return has to name. */
export function hasKeptItems(summary: string): boolean {
  return KEPT_LISTS.some((heading) => listOf(summary, heading).length > 0);
}

function listOf(text: string, heading: string): readonly string[] {
  return listItems(text, heading)
    .map((item) => toItemText(item, MAX_ITEM_CHARACTERS))
    .filter((item) => !NO_ITEM.test(item));
}

/** All texts in a JSON value. */
function listTexts(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(listTexts) : [];
}

function toSingleSpaces(text: string): string {
  return text.replace(/\s+/g, ' ');
}
