import type { Claim } from '@phaseline/client';
import type { Paint } from '../output/paint.js';
import { toPrintable } from '../output/printable.js';
import { renderTable } from '../output/table.js';

/** One line per claim, oldest decision first, and below a refused one what was missing. */
export function renderClaims(claims: readonly Claim[], paint: Paint, width: number | undefined): string[] {
  if (claims.length === 0) return ['The agent has claimed nothing yet.'];
  const colours = { accepted: paint.green, refused: paint.red, open: paint.bold, dropped: paint.dim };
  const [title, ...lines] = renderTable<Claim>(
    [
      { title: 'CLAIM', cell: describeSubject },
      { title: 'PHASE', align: 'right', cell: ({ phase }) => (phase === undefined ? '' : String(phase)) },
      { title: 'OUTCOME', cell: ({ outcome }) => outcome, paint: (text, { outcome }) => colours[outcome](text) },
      { title: 'POSITION', align: 'right', cell: ({ event }) => String(event.position) },
      { title: 'CHECKS', align: 'right', cell: countChecks },
      { title: 'PROVED BY', cell: describeProof },
    ],
    claims,
    { width, title: paint.dim },
  );
  return [
    title!,
    ...lines.flatMap((line, index) => [
      line,
      ...claims[index]!.failures.map(
        ({ expected, found }) => `  ${paint.red('✗')} expected ${toPrintable(expected)}; found: ${toPrintable(found)}`,
      ),
    ]),
  ];
}

function describeSubject({ subject }: Claim): string {
  if (subject.kind === 'todo') return `todo ${subject.todoId}`;
  return subject.kind === 'job' ? 'job completed' : `phase ${toPrintable(subject.outcome)}`;
}

function countChecks({ outcome, evidence, failures }: Claim): string {
  if (outcome === 'refused') return `${failures.length} failed`;
  return outcome === 'accepted' ? String(evidence.length) : '';
}

/** The runs, files and events that the evidence names. */
function describeProof({ runs, evidence }: Claim): string {
  const files = [...new Set(evidence.flatMap((one) => one.files.map(({ path }) => path)))];
  const events = new Set(
    evidence.flatMap((one) => one.events.map(({ streamId, version }) => `${streamId} ${version}`)),
  );
  return [
    ...runs.map(({ kind, name }) => `${kind} ${name}`),
    ...files,
    ...(events.size === 0 ? [] : [`${events.size} ${events.size === 1 ? 'event' : 'events'}`]),
  ]
    .map(toPrintable)
    .join(', ');
}
