import type { Failure, Summary } from './summary.js';

const formatNumber = (value: number): string => Math.round(value).toLocaleString('en-US');

/** Renders the summary at the end of a simulation. */
export function renderSummary(summary: Summary, seconds: number): string {
  const { seeds, jobs, events, steps, virtualMs, cpuMs, faults, ends, codes, requests, violations, failed } = summary;
  const injected = Object.values(faults).reduce((sum, times) => sum + times, 0);
  const rows: [string, string][] = [
    ['seeds', formatNumber(seeds)],
    ['jobs', `${formatNumber(jobs)} (${formatCounts(ends)})`],
    ['failures', formatCounts(codes) || 'none'],
    ['requests by people', formatCounts(requests) || 'none'],
    ['events', formatNumber(events)],
    ['steps', formatNumber(steps)],
    ['virtual time', `${formatNumber(virtualMs / 3_600_000)} h`],
    ['faults injected', `${formatNumber(injected)}`],
    ...Object.entries(faults)
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([kind, times]): [string, string] => [`  ${kind}`, formatNumber(times)]),
    ['violations', failed === 0 ? 'none' : `in ${formatNumber(failed)} seeds (${formatCounts(violations)})`],
    ['time', `${seconds.toFixed(1)} s, ${(seeds / seconds).toFixed(1)} seeds/s`],
    ['CPU time', `${(cpuMs / 1_000).toFixed(1)} s, ${((seeds / Math.max(cpuMs, 1)) * 1_000).toFixed(1)} seeds/s`],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return `${rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n')}\n`;
}

/** Renders a failed seed: the violations, and the shortest schedule that causes them. */
export function renderFailure({ seed, violations, faults, drawn }: Failure, command: string): string {
  const lines = [
    `seed ${seed} violates:`,
    ...violations.map(({ invariant, detail }) => `  ${invariant}\n    ${detail}`),
    faults.length === 0
      ? `  without any fault (the seed drew ${drawn})`
      : `  with ${faults.length} of the ${drawn} faults that the seed drew:`,
    ...faults.map(({ at, kind }) => `    ${kind}: ${at}`),
    `  repeat: ${command} --seed ${seed}`,
  ];
  return `${lines.join('\n')}\n`;
}

function formatCounts(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .sort(([, left], [, right]) => right - left)
    .map(([name, times]) => `${formatNumber(times)} ${name}`)
    .join(', ');
}
