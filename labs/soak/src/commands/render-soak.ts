import type { SoakReport } from './run-soak.js';

/** Renders the report as a table. */
export function renderSoak(report: SoakReport): string {
  const { figures, findings, readModels } = report;
  const refused = Object.values(figures.refused).reduce((sum, times) => sum + times, 0);
  const rows: readonly (readonly [string, string])[] = [
    ['commands', formatCount(report.commands)],
    ['writers', formatCount(report.writers)],
    ['commands per second', formatCount((report.commands * 1_000) / report.writingMs)],
    ['appends acknowledged', formatCount(figures.acknowledged)],
    ['repeated, with the same result', formatCount(figures.repeated)],
    ['refused', formatCount(refused)],
    ...Object.entries(figures.refused)
      .sort()
      .map(([code, times]) => [`  ${code}`, formatCount(times)] as const),
    ['response lost', formatCount(figures.unknown)],
    ['connections cut', formatCount(report.connectionsCut)],
    ['readers killed, shut down', `${report.tailsKilled}, ${report.tailsEnded}`],
    ['events in the log', formatCount(findings.events)],
    ['streams', formatCount(findings.streams)],
    ['acknowledged events', formatCount(findings.acknowledgedEvents)],
    [
      'events of unknown fate, of these in the log',
      `${formatCount(findings.unknownEvents)}, ${formatCount(findings.unknownFound)}`,
    ],
    ['refused events', formatCount(findings.refusedEvents)],
    ['lost, doubled, with gaps, incomplete', formatCount(findings.problemCount)],
    ['errors in the hash chain', formatCount(report.chainProblems)],
    ...readModels.projections.map(
      ({ name, rows: stored, differenceCount }) =>
        [
          `read model ${name}: rows, of these wrong`,
          `${formatCount(stored)}, ${formatCount(differenceCount)}`,
        ] as const,
    ),
  ];
  const width = Math.max(...rows.map(([title]) => title.length));
  const end = Math.max(...rows.map(([, value]) => value.length));
  return [
    ...rows.map(([title, value]) => `| ${title.padEnd(width)} | ${value.padStart(end)} |`),
    ...report.problems.map((problem) => `! ${problem}`),
    report.passed ? 'All checks passed.' : `Checks failed. Seed ${report.seed}.`,
    '',
  ].join('\n');
}

function formatCount(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}
