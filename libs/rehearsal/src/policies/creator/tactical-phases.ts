import type { RehearsalAnswer, RehearsalCall } from '../../rehearsal-policy.js';
import type { PastCall } from '../past-call.js';
import {
  act,
  call,
  filterCalls,
  finishTodo,
  reportBlocked,
  findLastResult,
  extractBackticked,
  readFileInView,
  recallResult,
  type Scene,
} from '../scene.js';
import { NOTES, formatCandidatesNote, formatExtractionNote, parseRecords, type DocumentRecord } from './notes.js';
import { writeSummary } from './write-summary.js';

/** Documents per answer. Their results must remain in the prompt until the next answer, which notes them. */
const DOCUMENTS_PER_ANSWER = 3;

/** Plays the extraction phase: extraction, chunks and candidates of every document. */
export function playExtraction(scene: Scene): RehearsalAnswer {
  const { todo } = scene;
  if (todo.content.startsWith('Extract ')) return extractText(scene);
  const notes = readFileInView(scene, NOTES);
  if ('ask' in notes) return act('', notes.ask);
  const records = parseRecords(notes.text);
  if (todo.content.startsWith('Cut ')) return chunkDocuments(scene, records);
  if (todo.content.startsWith('Identify ')) return identifyCandidates(scene, notes.text);
  if (todo.content.startsWith('Look ')) return reviewTables(scene, records);
  if (records.every(({ candidates }) => candidates === undefined)) return reportBlocked('no candidates were found.');
  return finishTodo(`Noted: ${records.length} documents.`);
}

function extractText({ todo, callsOnTodo, latestCalls }: Scene): RehearsalAnswer {
  const documents = extractBackticked(todo.content).filter((path) => path.startsWith('documents/'));
  const attempts = filterCalls(callsOnTodo, 'extract_document_text');
  const results = filterCalls(latestCalls, 'extract_document_text');
  // A result that no longer fits into the request is requested again, alone; the tool returns the same for the same document.
  const lost = results.filter(({ shown }) => shown === 'cleared');
  const pending = documents.filter(
    (path) => !attempts.some(({ arguments: args }) => args['path'] === path) || includesPath(lost, path),
  );
  const noteLines = results.filter((past) => !lost.includes(past)).map(formatExtractionNote);
  const noteCalls = noteLines.length === 0 ? [] : [appendNotes(noteLines)];
  if (pending.length > 0)
    return act(
      '',
      ...noteCalls,
      ...pending
        .slice(0, lost.length > 0 ? 1 : DOCUMENTS_PER_ANSWER)
        .map((path) => call('extract_document_text', { path })),
    );
  if (
    documents.length <= DOCUMENTS_PER_ANSWER &&
    results.length > 0 &&
    !noteLines.some((line) => line.startsWith('- Extracted: '))
  )
    return reportBlocked(results.map(({ result }) => result).join(' '));
  return finishTodo(`Extracted ${documents.length} documents; see ${NOTES}.`, ...noteCalls);
}

const includesPath = (calls: readonly PastCall[], path: string): boolean =>
  calls.some(({ arguments: args }) => args['path'] === path);

function appendNotes(lines: readonly string[]): RehearsalCall {
  return call('append_file', { path: NOTES, content: `${lines.join('\n')}\n` });
}

/** Finds the extractions that the tool was not called for yet. */
function findUnprocessed(scene: Scene, tool: string, records: readonly DocumentRecord[]): readonly string[] {
  const done = filterCalls(scene.callsOnTodo, tool);
  return records.map(({ extraction }) => extraction).filter((path) => !includesPath(done, path));
}

function chunkDocuments(scene: Scene, records: readonly DocumentRecord[]): RehearsalAnswer {
  if (records.length === 0) return reportBlocked('no document was read.');
  const pending = findUnprocessed(scene, 'chunk_document', records).slice(0, DOCUMENTS_PER_ANSWER);
  if (pending.length > 0) return act('', ...pending.map((path) => call('chunk_document', { path })));
  return finishTodo('Chunks are written.');
}

function identifyCandidates({ callsOnTodo }: Scene, notes: string): RehearsalAnswer {
  const records = parseRecords(notes);
  const results = filterCalls(callsOnTodo, 'identify_requirement_candidates');
  const notedPaths = new Set(
    [...notes.matchAll(/^- (?:No candidates|Candidates): `([^`]+)`/gm)].map(([, path]) => path),
  );
  const isNoted = (path: string): boolean => notedPaths.has(path);
  const inView = results.filter(({ arguments: args, shown }) => shown !== 'cleared' && !isNoted(String(args['path'])));
  const pending = records
    .map(({ extraction }) => extraction)
    .filter((path) => !isNoted(path) && !includesPath(inView, path));
  const lines = inView.map(formatCandidatesNote);
  const noteCalls = lines.length === 0 ? [] : [appendNotes(lines)];
  if (pending.length > 0)
    return act(
      '',
      ...noteCalls,
      ...pending.slice(0, DOCUMENTS_PER_ANSWER).map((path) => call('identify_requirement_candidates', { path })),
    );
  const isWritten = records.some(({ candidates }) => candidates !== undefined);
  if (!isWritten && !lines.some((line) => line.startsWith('- Candidates: ')))
    return reportBlocked(
      `no candidates were found. ${findLastResult(callsOnTodo, 'identify_requirement_candidates') ?? ''}`.trim(),
    );
  return finishTodo(`Candidates are written; see ${NOTES}.`, ...noteCalls);
}

function reviewTables({ callsOnTodo }: Scene, records: readonly DocumentRecord[]): RehearsalAnswer {
  const tables = records.flatMap(({ candidates }) => candidates?.replace(/\.json$/, '.md') ?? []);
  const read = filterCalls(callsOnTodo, 'read_file');
  const [next, ...rest] = tables.filter((path) => !includesPath(read, path));
  if (next === undefined) return finishTodo('Read the beginning of each table; every entry looks like a requirement.');
  return act(
    '',
    ...[next, ...rest].slice(0, DOCUMENTS_PER_ANSWER).map((path) => call('read_file', { path, to_line: 60 })),
  );
}

/** Plays the write-up phase: citations and the two deliverables. */
export function playWriteUp(scene: Scene): RehearsalAnswer {
  const { todo, callsOnTodo } = scene;
  switch (todo.id) {
    case 1:
      return citeCandidates(scene);
    case 2:
      if (filterCalls(callsOnTodo, 'read_file').length === 0)
        return act('', call('read_file', { path: 'output/requirements.json', to_line: 40 }));
      return finishTodo('The entries are complete.');
    case 3:
      return assessRequirements(scene);
    case 4:
      return writeSummary(scene);
    case 5: {
      // For encrypted jobs this call is refused, and they end without handing requirements over.
      const handOver = findLastResult(callsOnTodo, 'write_requirement_to_cache');
      if (handOver === undefined)
        return act('', call('write_requirement_to_cache', { file: 'output/requirements.json' }));
      return finishTodo(handOver.split('\n', 1)[0]!);
    }
    case 6:
      if (filterCalls(callsOnTodo, 'file_exists').length === 0)
        return act(
          '',
          ...['output/requirements.json', 'output/summary.md'].map((path) => call('file_exists', { path })),
        );
      return finishTodo('Both are there.');
    default:
      return finishTodo('Noted.', appendNotes(['', 'The deliverables are written.']));
  }
}

/** For encrypted jobs the graph is refused, and the summary has no entities. */
function assessRequirements({ callsOnTodo }: Scene): RehearsalAnswer {
  if (filterCalls(callsOnTodo, 'assess_gobd_relevance').length === 0)
    return act(
      '',
      call('assess_gobd_relevance', { path: 'output/requirements.json' }),
      call('extract_entity_mentions', { file: 'output/requirements.json' }),
    );
  return finishTodo('Relevance and entities are assessed.');
}

function citeCandidates(scene: Scene): RehearsalAnswer {
  const [cited] = filterCalls(scene.callsOnTodo, 'cite_document').slice(-1);
  if (cited === undefined) {
    const notes = readFileInView(scene, NOTES);
    if ('ask' in notes) return act('', notes.ask);
    const candidates = parseRecords(notes.text).flatMap(({ candidates: file }) => file ?? []);
    return act('', call('cite_document', { candidates }));
  }
  const outcome = cited.shown === 'cleared' ? recallResult(scene, cited) : { text: readFirstLine(cited) };
  if ('ask' in outcome) return act('', outcome.ask);
  if (!outcome.text.startsWith('Wrote ')) return reportBlocked(outcome.text);
  return finishTodo(outcome.text.split('\n', 1)[0]!);
}

/** Returns the first line of a result, skipping the header of a preview. */
function readFirstLine({ result, shown }: PastCall): string {
  return result.split('\n')[shown === 'preview' ? 1 : 0] ?? '';
}
