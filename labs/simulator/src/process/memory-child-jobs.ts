import type { ChildJobTable, Delegated } from '@phaseline/orchestration';
import type { Host } from './host.js';

/** The table of child jobs, which all processes share. */
export type ChildJobRows = Map<string, Delegated>;

/** The table of child jobs as seen by one process. */
export function openChildJobs(host: Host, rows: ChildJobRows): ChildJobTable {
  return {
    add: (child) =>
      host.call(
        'append',
        `add child ${child.childId}`,
        () => {
          if (!rows.has(child.childId)) rows.set(child.childId, child);
        },
        { needs: 'log' },
      ),
    find: async (by, jobIds) => {
      if (jobIds.length === 0) return [];
      const isAsked = (child: Delegated): boolean => jobIds.includes(child[by]);
      return host.call('read', `children by ${by}`, () => [...rows.values()].filter(isAsked), { needs: 'log' });
    },
  };
}
