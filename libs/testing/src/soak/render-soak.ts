import type { SoakReport } from './run-soak.js';

/** The report as a table of what was done and what was found. */
export function renderSoak(report: SoakReport): string {
  const { figures, verdict, readModels } = report;
  const refused = Object.values(figures.refused).reduce((sum, count) => sum + count, 0);
  const rows: readonly (readonly [string, string])[] = [
    ['commands', count(report.commands)],
    ['writers', count(report.writers)],
    ['commands a second', count(report.commands / report.secondsOfWriting)],
    ['appends acknowledged', count(figures.acknowledged)],
    ['repeated, answered as the first time', count(figures.repeated)],
    ['refused', count(refused)],
    ...Object.entries(figures.refused)
      .sort()
      .map(([code, times]) => [`  ${code}`, count(times)] as const),
    ['answer lost', count(figures.unknown)],
    ['connections cut', count(report.connectionsCut)],
    ['readers killed, and ended in order', `${report.tailsKilled}, ${report.tailsEnded}`],
    ['events in the log', count(verdict.events)],
    ['streams', count(verdict.streams)],
    ['acknowledged events', count(verdict.acknowledgedEvents)],
    ['events of unknown fate, and found', `${count(verdict.unknownEvents)}, ${count(verdict.unknownFound)}`],
    ['refused events', count(verdict.refusedEvents)],
    ['lost, doubled, gapped, torn', count(verdict.problemCount)],
    ['breaks of the hash chain', count(report.chainProblems)],
    ...readModels.models.map(
      ({ name, rows: stored, differenceCount }) =>
        [`read model ${name}: rows, and not the fold`, `${count(stored)}, ${count(differenceCount)}`] as const,
    ),
  ];
  const width = Math.max(...rows.map(([title]) => title.length));
  const end = Math.max(...rows.map(([, value]) => value.length));
  return [
    ...rows.map(([title, value]) => `| ${title.padEnd(width)} | ${value.padStart(end)} |`),
    ...report.problems.map((problem) => `! ${problem}`),
    report.holds ? 'It holds.' : `It does not hold. Seed ${report.seed}.`,
    '',
  ].join('\n');
}

function count(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}
