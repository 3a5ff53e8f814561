import { toCanonicalJson } from '@phaseline/basics';
import { z } from 'zod';
import { itemSchema, MAX_ITEMS, type Item } from './item.js';

/** The document of a job that lists the items of its loop, if it has one. No agent may change it. */
export const INPUT_LIST = 'documents/feature-list.json';

/** Maximum size of such a list, in bytes. */
export const MAX_INPUT_LIST_BYTES = 4 * 1024 * 1024;

/** What such a list says about progress is ignored: nothing is tested because a list says so. */
const inputItemSchema = itemSchema
  .extend({ ui: z.boolean().optional(), checks: itemSchema.shape.checks.optional() })
  .strip();
const inputListSchema = z.array(inputItemSchema).min(1).max(MAX_ITEMS);

/** An item of the list that came with the job. Without `checks`, the agent finds what proves it. */
export type InputItem = z.infer<typeof inputItemSchema>;

export type InputList = { readonly items: readonly InputItem[] } | { readonly problem: string };

/** Reads the list that came with a job: a list of items, or an object with the list as `features`, as the system writes it. */
export function readInputList(text: string): InputList {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: `${INPUT_LIST} is no JSON` };
  }
  const list = typeof value === 'object' && value !== null && 'features' in value ? value.features : value;
  const { data, error } = inputListSchema.safeParse(list);
  return data ? { items: data } : { problem: `${INPUT_LIST}: ${z.prettifyError(error!).replaceAll('\n', ' ')}` };
}

/** The items of a list that came with a job, as far as they say what proves them. */
export const toItems = (listed: readonly InputItem[]): readonly Item[] =>
  listed.flatMap(({ checks, ui = false, ...item }) => (checks ? [{ ...item, ui, checks }] : []));

/** Finds what the items that are handed in lack or change of the list that came with the job. Further items are no problem. */
export function findDeviations(listed: readonly InputItem[], items: readonly Item[]): readonly string[] {
  const byId = new Map(items.map((item) => [item.id, item]));
  return listed.flatMap((wanted) => {
    const item = byId.get(wanted.id);
    if (!item && !wanted.checks)
      return [`${wanted.id}: ${INPUT_LIST} names no 'checks' that prove it; hand all features in, with checks`];
    if (!item) return [`${wanted.id}: is in ${INPUT_LIST} and missing here`];
    return (['description', 'ui', 'checks'] as const)
      .filter((member) => wanted[member] !== undefined)
      .filter((member) => toCanonicalJson(wanted[member]) !== toCanonicalJson(item[member]))
      .map((member) => `${wanted.id}: '${member}' differs from ${INPUT_LIST}`);
  });
}
