import type { ProcessId } from '@phaseline/contracts';
import { RELEASE } from '@phaseline/event-store';
import { ok, formatList, warn, type Check } from '../check.js';

/** Checks that all processes and this command are of the same release. */
export const versions: Check = {
  name: 'versions',
  needs: ['schema'],
  run: async function* ({ processes }) {
    const alive = (await processes.listReports()).filter(({ isDead }) => !isDead);
    const others = alive.filter(({ version }) => version !== RELEASE);
    if (others.length > 0)
      yield warn(
        `this command is of release ${RELEASE}; these processes are not: ${formatList(others.map(({ processId, version }) => `${processId} (${version || 'older'})`))}`,
        'finish the upgrade: restart the processes of the old release, or use the command of their release',
      );
    const outdated = findOutdated(alive);
    if (outdated.length > 0)
      yield warn(
        `${formatList(outdated)} cannot read every event that newer processes may write, and leave such jobs to these`,
        'restart them with the newest release',
      );
    return ok(`release ${RELEASE}, ${alive.length} processes`);
  },
};

/** Returns processes that know an older version of some event than another process does. */
function findOutdated(
  alive: readonly { readonly processId: ProcessId; readonly schemaVersions: Readonly<Record<string, number>> }[],
): string[] {
  const newest = new Map<string, number>();
  for (const { schemaVersions } of alive)
    for (const [type, version] of Object.entries(schemaVersions))
      newest.set(type, Math.max(version, newest.get(type) ?? 0));
  return alive
    .filter(({ schemaVersions }) => Object.keys(schemaVersions).length > 0)
    .filter(({ schemaVersions }) => [...newest].some(([type, version]) => (schemaVersions[type] ?? 0) < version))
    .map(({ processId }) => processId);
}
