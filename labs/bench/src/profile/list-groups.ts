import type { ProfileGroup } from './group-profile.js';

/** Lists groups with their times, such as `idle 844, pg 11`. `digits` are those after the decimal point. */
export function listGroups(groups: readonly ProfileGroup[], digits = 0): string {
  const format = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return groups.map(({ name, micros }) => `${name} ${micros.toLocaleString('en-US', format)}`).join(', ');
}
