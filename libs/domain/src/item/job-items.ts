import type { JobEventData } from '../job/job-events.js';
import type { z } from 'zod';
import type { phaseItemSchema } from './item.js';

/** An item with what became of it. */
export type ItemState = Readonly<z.infer<typeof phaseItemSchema>>;

/** The items of a loop, in the order of the list. */
export interface JobItems {
  readonly list: readonly ItemState[];
  /** The item that is worked on. */
  readonly current?: string | undefined;
}

type ItemEvent = {
  readonly [T in 'ItemsListed' | 'ItemStarted' | 'ItemChanged']: { readonly type: T; readonly data: JobEventData<T> };
}['ItemsListed' | 'ItemStarted' | 'ItemChanged'];

/** Folds an event of the items into their state. */
export function evolveItems(items: JobItems | undefined, event: ItemEvent): JobItems {
  if (event.type === 'ItemsListed')
    return { list: event.data.items.map((item): ItemState => ({ ...item, status: 'pending', attempts: 0 })) };
  if (!items) throw new Error(`${event.type} before ItemsListed`);
  if (event.type === 'ItemStarted') {
    const { id, phase } = event.data;
    return { list: changeItem(items, id, { began: phase }), current: id };
  }
  const { id, phase, status, attempts, reason } = event.data;
  const list = changeItem(items, id, {
    status,
    attempts,
    changedIn: phase,
    ...(reason === undefined ? {} : { reason }),
  });
  return { list, current: isItemOpen({ status }) ? items.current : undefined };
}

function changeItem({ list }: JobItems, id: string, change: Partial<ItemState>): readonly ItemState[] {
  return list.map((item) => (item.id === id ? { ...item, ...change } : item));
}

/** Whether work on an item is left. */
function isItemOpen({ status }: Pick<ItemState, 'status'>): boolean {
  return status === 'pending' || status === 'implemented';
}

/** The item that is worked on; `undefined` between two items and where nothing is listed. */
export function findCurrentItem(items: JobItems | undefined): ItemState | undefined {
  return items?.list.find(({ id }) => id === items.current);
}

/** The first item that is left to work on. */
export function findNextItem(items: JobItems | undefined): ItemState | undefined {
  return items?.list.find(isItemOpen);
}
