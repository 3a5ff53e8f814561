import { groupLinks, type Link } from './network.js';

/** Orders tasks so that each comes after its predecessors; ties keep the given order. Tasks in or behind a cycle are missing from it. */
export function sortByLinks(ids: readonly string[], links: readonly Link[]): readonly string[] {
  const outgoing = groupLinks(links, 'from');
  const open = new Map(ids.map((id) => [id, 0]));
  for (const { to } of links) open.set(to, (open.get(to) ?? 0) + 1);
  const sorted = ids.filter((id) => open.get(id) === 0);
  for (const id of sorted) {
    for (const { to } of outgoing.get(id) ?? []) {
      const left = open.get(to)! - 1;
      open.set(to, left);
      if (left === 0) sorted.push(to);
    }
  }
  return sorted;
}

/**
 * Finds a cycle of links and returns its tasks in the order of the links, each once; `undefined` if there is none. Every cycle is refused, also one
 * that leads would make possible: the order of its tasks could not be shown to a person.
 */
export function findCycle(ids: readonly string[], links: readonly Link[]): readonly string[] | undefined {
  const sorted = new Set(sortByLinks(ids, links));
  const incoming = groupLinks(links, 'to');
  const first = ids.find((id) => !sorted.has(id));
  if (first === undefined) return undefined;
  // Every task that could not be sorted has a predecessor that could not be sorted, so that walking back ends in a cycle.
  const walked: string[] = [];
  let id = first;
  while (!walked.includes(id)) {
    walked.push(id);
    id = incoming.get(id)!.find(({ from }) => !sorted.has(from))!.from;
  }
  return walked.slice(walked.indexOf(id)).reverse();
}
