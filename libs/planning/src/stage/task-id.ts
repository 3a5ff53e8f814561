/** What an id of a schedule problem stands for. */
export interface TaskName {
  /** Id of the node of the outline. */
  readonly node: string;
  /** Number of the occurrence, from 1. */
  readonly occurrence?: number;
  /** Of a container: which of its ends the milestone is. */
  readonly end?: 'start' | 'end';
}

/** Reads an id of a task, an occurrence (`node#2`) or the start or end of a container (`node@end`). Ids of nodes contain neither sign. */
export function parseTaskId(id: string): TaskName {
  const [, node = id, occurrence, end] = /^(.*?)(?:#(\d+)|@(start|end))?$/.exec(id) ?? [];
  if (occurrence !== undefined) return { node, occurrence: Number(occurrence) };
  return end === undefined ? { node } : { node, end: end === 'start' ? 'start' : 'end' };
}
