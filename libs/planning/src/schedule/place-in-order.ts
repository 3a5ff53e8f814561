import { computeBounds, getFixedTimes, type Instance, tryPlace } from './instance.js';
import { type Cursor, FIRST_CURSOR, type Placement } from './place-task.js';

/** Places movable tasks one after another, each as early as possible. Returns `undefined` if one is too late. */
export function placeInOrder(instance: Instance, order: readonly string[]): ReadonlyMap<string, Placement> | undefined {
  const times = getFixedTimes(instance);
  const placements = new Map<string, Placement>();
  let cursor: Cursor = FIRST_CURSOR;
  for (const id of order) {
    const task = instance.byId.get(id)!;
    const placement = tryPlace(instance, task, cursor, computeBounds(instance, task, times));
    if (!placement) return undefined;
    times.set(id, placement);
    placements.set(id, placement);
    cursor = placement.cursor;
  }
  return placements;
}
