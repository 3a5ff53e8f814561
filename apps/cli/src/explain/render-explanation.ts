import type { ExplainedRange, ExplainedWrite, ExplanationResponse, LineSource, ReadDocument } from '@phaseline/client';
import type { Paint } from '../output/paint.js';
import { toPrintable } from '../output/printable.js';
import { pluralise } from '../output/quantities.js';
import { renderTable, type Column } from '../output/table.js';

interface Row {
  readonly range: ExplainedRange;
  readonly write: ExplainedWrite;
}

/** Renders who wrote each range of lines as a table. */
export function renderRanges(
  { path, lines, ranges, writes }: ExplanationResponse,
  paint: Paint,
  width: number | undefined,
): string[] {
  const rows = ranges.map((range) => ({ range, write: writes[range.write]! }));
  const title = `${paint.bold(toPrintable(path))} ${paint.dim(pluralise(lines, 'line'))}`;
  if (rows.length === 0) return [title];
  const table = renderTable(COLUMNS, rows, { width, title: paint.dim });
  const note = rows.some(({ range }) => range.mayBeOlder) ? ['', paint.dim(MAY_BE_OLDER)] : [];
  return [title, '', ...table, ...note];
}

const MAY_BE_OLDER = '? An earlier version cannot be compared any more, so the line may be older.';

const COLUMNS: readonly Column<Row>[] = [
  {
    title: 'LINES',
    align: 'right',
    cell: ({ range: { from, to, mayBeOlder } }) =>
      `${from === to ? String(from) : `${from}-${to}`}${mayBeOlder ? '?' : ''}`,
  },
  { title: 'WRITTEN BY', cell: ({ write }) => describeAuthor(write) },
  { title: 'PHASE', align: 'right', cell: ({ write }) => (write.phase ? String(write.phase.number) : '') },
  { title: 'STEP', align: 'right', cell: ({ write }) => (write.step === undefined ? '' : String(write.step)) },
  { title: 'POSITION', align: 'right', cell: ({ write }) => String(write.event.position) },
  { title: 'WRITTEN AT', cell: ({ write }) => formatTime(write.writtenAt) },
  { title: 'CITES', cell: ({ range }) => summariseSources(range.sources) },
];

/** Renders all that is known about one line. */
export function renderLine({ jobId, path, ranges, writes, text }: ExplanationResponse, paint: Paint): string[] {
  const [range] = ranges;
  const write = writes[0];
  if (!range || !write) return [];
  const fields: readonly (readonly [name: string, value: string | undefined])[] = [
    ['written by', describeAuthor(write)],
    ['call', write.callId && toPrintable(write.callId)],
    ['asked by', write.outer && `${toPrintable(write.outer.tool)} (${toPrintable(write.outer.callId)})`],
    ['at', formatTime(write.writtenAt)],
    ['job', write.jobId === jobId ? undefined : `${write.jobId}, from which this job was forked`],
    ['as', write.path === path ? undefined : toPrintable(write.path)],
    ['phase', write.phase && describePhase(write.phase)],
    ['step', write.step === undefined ? undefined : String(write.step)],
    ['todo', write.todo && `${write.todo.id}. ${toPrintable(write.todo.content)}`],
    ['model', write.prompt && toPrintable(write.prompt.model)],
    [
      'prompt',
      write.prompt &&
        `phaseline prompt ${write.jobId} --phase ${write.prompt.phase} --step ${write.prompt.step} (hash ${toPrintable(write.prompt.requestHash.slice(0, 12))})`,
    ],
    ['event', describeEvent(write)],
  ];
  const known = fields.flatMap(([name, value]) =>
    value === undefined ? [] : [`  ${paint.dim(name.padEnd(11))}${value}`],
  );
  return [
    `${paint.bold(`${toPrintable(path)}:${range.from}`)}  ${toPrintable(text ?? '')}`,
    '',
    ...known,
    ...(range.mayBeOlder ? ['', paint.yellow(MAY_BE_OLDER.slice(2))] : []),
    '',
    ...renderList(
      'Cites',
      range.sources.map(describeSource),
      'Cites nothing that the system knows as a source.',
      paint,
    ),
    ...(write.author === 'call'
      ? [
          '',
          ...renderList(
            'Read before, for the same todo or in the same step',
            write.read.map(describeRead),
            'Nothing was read before, for the same todo or in the same step.',
            paint,
          ),
        ]
      : []),
  ];
}

function renderList(title: string, items: readonly string[], none: string, paint: Paint): string[] {
  return items.length === 0 ? [paint.dim(none)] : [paint.bold(`${title}:`), ...items.map((item) => `  ${item}`)];
}

function describeAuthor({ author, tool, outer, actor, imported }: ExplainedWrite): string {
  switch (author) {
    case 'call':
      return outer ? `${toPrintable(tool ?? 'call')} in ${toPrintable(outer.tool)}` : toPrintable(tool ?? 'call');
    case 'person':
      return toPrintable(actor ?? 'a person');
    case 'import':
      return imported?.from === 'repository'
        ? `repository ${toPrintable((imported.commit ?? '').slice(0, 12))}`.trimEnd()
        : 'submission';
    case 'outside':
      return 'outside of a call';
    case 'system':
      return 'system';
  }
}

function describePhase({ number, state, kind, name }: NonNullable<ExplainedWrite['phase']>): string {
  return `${number}: ${toPrintable(name)} (${kind}, state ${toPrintable(state)})`;
}

function describeEvent({ event }: ExplainedWrite): string {
  return `${event.version} of ${event.streamId}, position ${event.position}, hash ${toPrintable(event.hash.slice(0, 12))}`;
}

function describeSource(source: LineSource): string {
  switch (source.kind) {
    case 'citation':
      return [toPrintable(source.document), describePlace(source), `"${toPrintable(source.quote)}"`]
        .filter(Boolean)
        .join(', ');
    case 'source':
      return `[${source.number}] ${toPrintable(source.url)} (${toPrintable(source.path)})`;
    case 'file':
      return toPrintable(source.path);
  }
}

function describePlace({ lines, pages, paragraphs }: Extract<LineSource, { kind: 'citation' }>): string {
  const place = lines ?? pages ?? paragraphs;
  if (!place) return '';
  const unit = lines ? 'line' : pages ? 'page' : 'paragraph';
  return place.from === place.to ? `${unit} ${place.from}` : `${unit}s ${place.from}-${place.to}`;
}

function describeRead({ tool, step, path, url, query, source }: ReadDocument): string {
  const what = [path, url, query === undefined ? undefined : JSON.stringify(query), source && `source ${source}`];
  return `${toPrintable(what.filter((one) => one !== undefined).join(' '))} (${toPrintable(tool)}, step ${step})`;
}

function summariseSources(sources: readonly LineSource[]): string {
  const names = [
    ...new Set(
      sources.map((source) =>
        source.kind === 'citation' ? source.document : source.kind === 'source' ? `[${source.number}]` : source.path,
      ),
    ),
  ];
  const shown = names.slice(0, 3).map(toPrintable).join(', ');
  return names.length > 3 ? `${shown} and ${names.length - 3} more` : shown;
}

function formatTime(time: string): string {
  return `${time.slice(0, 19).replace('T', ' ')} UTC`;
}
