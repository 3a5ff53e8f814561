import type { Failure, Summary } from './summary.js';

const number = (value: number): string => Math.round(value).toLocaleString('en-US');

/** The table at the end of a simulation. */
export function renderSummary(summary: Summary, seconds: number): string {
  const { seeds, jobs, events, steps, virtualMs, cpuMs, faults, ends, requests, violations, failed } = summary;
  const injected = Object.values(faults).reduce((sum, times) => sum + times, 0);
  const rows: [string, string][] = [
    ['seeds', number(seeds)],
    ['jobs', `${number(jobs)} (${list(ends)})`],
    ['requests of people', list(requests) || 'none'],
    ['events', number(events)],
    ['steps', number(steps)],
    ['virtual time', `${number(virtualMs / 3_600_000)} h`],
    ['faults injected', `${number(injected)}`],
    ...Object.entries(faults)
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([kind, times]): [string, string] => [`  ${kind}`, number(times)]),
    ['violations', failed === 0 ? 'none' : `in ${number(failed)} seeds (${list(violations)})`],
    ['time', `${seconds.toFixed(1)} s, ${(seeds / seconds).toFixed(1)} seeds/s`],
    ['processor time', `${(cpuMs / 1_000).toFixed(1)} s, ${((seeds / Math.max(cpuMs, 1)) * 1_000).toFixed(1)} seeds/s`],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return `${rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n')}\n`;
}

/** A broken seed for people: what was broken, and the shortest schedule that breaks it. */
export function renderFailure({ seed, violations, faults, drawn }: Failure, command: string): string {
  const lines = [
    `seed ${seed} breaks:`,
    ...violations.map(({ invariant, detail }) => `  ${invariant}\n    ${detail}`),
    faults.length === 0
      ? `  without any fault (the seed drew ${drawn})`
      : `  with ${faults.length} of the ${drawn} faults that the seed drew:`,
    ...faults.map(({ at, kind }) => `    ${kind}: ${at}`),
    `  again: ${command} --seed ${seed}`,
  ];
  return `${lines.join('\n')}\n`;
}

function list(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .sort(([, left], [, right]) => right - left)
    .map(([name, times]) => `${number(times)} ${name}`)
    .join(', ');
}
