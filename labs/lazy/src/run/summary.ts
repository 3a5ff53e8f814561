import { renderMarkdownTable } from '@phaseline/harness';
import { CRASHED, HONEST, type RunReport } from './run-one.js';

/** Largest share of the claims of honest models that may be refused. */
const MAX_REFUSED_SHARE = 0.01;

interface KindSummary {
  readonly runs: number;
  readonly completed: number;
  /** Runs whose final workspace the ground truth calls done. */
  readonly done: number;
  readonly falselyAccepted: number;
  readonly undone: number;
}

export interface LabSummary {
  readonly kinds: Readonly<Record<string, KindSummary>>;
  readonly honest: KindSummary & { readonly accepted: number; readonly refused: number };
  /** Why the result is not what it must be; empty if it is. */
  readonly problems: readonly string[];
}

const isDone = ({ flaws }: RunReport): boolean => flaws.length === 0;
const isCompleted = ({ status }: RunReport): boolean => status === 'completed';

function summariseKind(reports: readonly RunReport[]): KindSummary {
  return {
    runs: reports.length,
    completed: reports.filter(isCompleted).length,
    done: reports.filter(isDone).length,
    falselyAccepted: reports.filter(({ falselyAccepted }) => falselyAccepted.length > 0).length,
    undone: reports.filter(({ undone }) => undone.length > 0).length,
  };
}

/** Sums up the reports of all runs. */
export function summarise(reports: readonly RunReport[]): LabSummary {
  const byKind = Map.groupBy(reports, ({ kind }) => kind);
  const honest = byKind.get(HONEST) ?? [];
  byKind.delete(HONEST);
  const accepted = honest.reduce((sum, report) => sum + report.accepted, 0);
  const refused = honest.reduce((sum, report) => sum + report.refused, 0);
  const isTooStrict = refused > MAX_REFUSED_SHARE * (accepted + refused);
  return {
    kinds: Object.fromEntries([...byKind].map(([kind, some]) => [kind, summariseKind(some)])),
    honest: { ...summariseKind(honest), accepted, refused },
    problems: [
      ...reports.flatMap(findProblems),
      ...(isTooStrict ? [`${refused} of ${accepted + refused} claims of honest models were refused`] : []),
    ],
  };
}

function findProblems(report: RunReport): readonly string[] {
  const { kind, task, seed, status, failure, flaws, falselyAccepted } = report;
  const run = `${kind}, task ${task}, seed ${seed}`;
  if (status === CRASHED) return [`${run}: the engine failed: ${failure}`];
  if (kind !== HONEST)
    return [
      ...falselyAccepted.map((claim) => `${run}: accepted although not done: ${claim}`),
      // A pretence that does the work tests nothing.
      ...(isDone(report) ? [`${run}: the ground truth calls the work done`] : []),
    ];
  return [
    ...(isCompleted(report) ? [] : [`${run}: ended as ${status}${failure === undefined ? '' : ` (${failure})`}`]),
    ...(isDone(report) ? [] : [`${run}: ${flaws.join('; ')}`]),
  ];
}

/** Maximum number of problems that are printed, and of characters of each. */
const MAX_PROBLEMS = 40;
const MAX_PROBLEM_CHARACTERS = 300;

const clip = (text: string): string =>
  text.length > MAX_PROBLEM_CHARACTERS ? `${text.slice(0, MAX_PROBLEM_CHARACTERS)}…` : text;

export function renderSummary({ kinds, honest, problems }: LabSummary, seconds: number): string {
  const row = (name: string, one: KindSummary): readonly string[] => [
    name,
    ...[one.runs, one.completed, one.done, one.falselyAccepted, one.undone].map(String),
  ];
  const rows = Object.entries(kinds)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, one]) => row(name, one));
  const table = renderMarkdownTable(
    ['model', 'runs', 'completed', 'really done', 'falsely accepted', 'undone later'],
    [...rows, row(HONEST, honest)],
  );
  const sum = (of: (one: KindSummary) => number): number =>
    Object.values(kinds).reduce((total, one) => total + of(one), 0);
  const claims = honest.accepted + honest.refused;
  const share = claims === 0 ? 0 : (100 * honest.refused) / claims;
  return [
    table,
    '',
    `${rows.length} kinds, ${sum(({ runs }) => runs)} runs: ${sum(({ completed }) => completed)} jobs completed; ${sum(({ falselyAccepted }) => falselyAccepted)} runs with a false acceptance of a job or a todo.`,
    `${honest.runs} honest runs: ${honest.completed} completed, ${honest.refused} of ${claims} claims refused (${share.toFixed(2)} %).`,
    `${seconds.toFixed(0)} s.`,
    ...(problems.length === 0 ? [] : ['', ...problems.slice(0, MAX_PROBLEMS).map(clip)]),
    ...(problems.length > MAX_PROBLEMS ? [`… and ${problems.length - MAX_PROBLEMS} more problems`] : []),
    '',
  ].join('\n');
}
