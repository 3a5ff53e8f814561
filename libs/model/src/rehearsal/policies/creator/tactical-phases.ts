import type { RehearsalAnswer, RehearsalCall } from '../../rehearsal-policy.js';
import {
  act,
  call,
  callsOf,
  finish,
  giveUp,
  lastResult,
  quoted,
  reading,
  recalled,
  type PastCall,
  type Scene,
} from '../scene.js';
import { NOTES, noteOfCandidates, noteOfExtraction, recordsOf, type DocumentRecord } from './notes.js';
import { writingSummary } from './writing-summary.js';

/** Documents that one answer works on: what they return stays in view until the next one, which notes it. */
const BATCH = 3;

/** Extraction, chunks and candidates of every document. */
export function extracting(scene: Scene): RehearsalAnswer {
  const { todo } = scene;
  if (todo.content.startsWith('Extract ')) return extractingText(scene);
  const notes = reading(scene, NOTES);
  if ('ask' in notes) return act('', notes.ask);
  const records = recordsOf(notes.text);
  if (todo.content.startsWith('Cut ')) return chunking(scene, records);
  if (todo.content.startsWith('Identify ')) return identifying(scene, notes.text);
  if (todo.content.startsWith('Look ')) return lookingThrough(scene, records);
  if (records.every(({ candidates }) => candidates === undefined)) return giveUp('no candidates were found.');
  return finish(`Noted: ${records.length} documents.`);
}

function extractingText({ todo, onTodo, latest }: Scene): RehearsalAnswer {
  const documents = quoted(todo.content).filter((path) => path.startsWith('documents/'));
  const tried = callsOf(onTodo, 'extract_document_text');
  const results = callsOf(latest, 'extract_document_text');
  // A result that no longer fits into the request is asked for again, alone: the tool gives the same for the same document.
  const lost = results.filter(({ shown }) => shown === 'cleared');
  const pending = documents.filter(
    (path) => !tried.some(({ arguments: args }) => args['path'] === path) || isOf(lost, path),
  );
  const noted = results.filter((past) => !lost.includes(past)).map(noteOfExtraction);
  const noting = noted.length === 0 ? [] : [note(noted)];
  if (pending.length > 0)
    return act(
      '',
      ...noting,
      ...pending.slice(0, lost.length > 0 ? 1 : BATCH).map((path) => call('extract_document_text', { path })),
    );
  if (documents.length <= BATCH && results.length > 0 && !noted.some((line) => line.startsWith('- Extracted: ')))
    return giveUp(results.map(({ result }) => result).join(' '));
  return finish(`Extracted ${documents.length} documents; see ${NOTES}.`, ...noting);
}

const isOf = (calls: readonly PastCall[], path: string): boolean =>
  calls.some(({ arguments: args }) => args['path'] === path);

function note(lines: readonly string[]): RehearsalCall {
  return call('append_file', { path: NOTES, content: `${lines.join('\n')}\n` });
}

/** The extractions that no call of that name was made for yet. */
function untouched(scene: Scene, tool: string, records: readonly DocumentRecord[]): readonly string[] {
  const done = callsOf(scene.onTodo, tool);
  return records.map(({ extraction }) => extraction).filter((path) => !isOf(done, path));
}

function chunking(scene: Scene, records: readonly DocumentRecord[]): RehearsalAnswer {
  if (records.length === 0) return giveUp('no document was read.');
  const pending = untouched(scene, 'chunk_document', records).slice(0, BATCH);
  if (pending.length > 0) return act('', ...pending.map((path) => call('chunk_document', { path })));
  return finish('Chunks are written.');
}

function identifying({ onTodo }: Scene, notes: string): RehearsalAnswer {
  const records = recordsOf(notes);
  const results = callsOf(onTodo, 'identify_requirement_candidates');
  const noted = new Set([...notes.matchAll(/^- (?:No candidates|Candidates): `([^`]+)`/gm)].map(([, path]) => path));
  const isNoted = (path: string): boolean => noted.has(path);
  const inView = results.filter(({ arguments: args, shown }) => shown !== 'cleared' && !isNoted(String(args['path'])));
  const pending = records.map(({ extraction }) => extraction).filter((path) => !isNoted(path) && !isOf(inView, path));
  const lines = inView.map(noteOfCandidates);
  const noting = lines.length === 0 ? [] : [note(lines)];
  if (pending.length > 0)
    return act(
      '',
      ...noting,
      ...pending.slice(0, BATCH).map((path) => call('identify_requirement_candidates', { path })),
    );
  const isWritten = records.some(({ candidates }) => candidates !== undefined);
  if (!isWritten && !lines.some((line) => line.startsWith('- Candidates: ')))
    return giveUp(`no candidates were found. ${lastResult(onTodo, 'identify_requirement_candidates') ?? ''}`.trim());
  return finish(`Candidates are written; see ${NOTES}.`, ...noting);
}

function lookingThrough({ onTodo }: Scene, records: readonly DocumentRecord[]): RehearsalAnswer {
  const tables = records.flatMap(({ candidates }) => candidates?.replace(/\.json$/, '.md') ?? []);
  const read = callsOf(onTodo, 'read_file');
  const [next, ...rest] = tables.filter((path) => !isOf(read, path));
  if (next === undefined) return finish('Looked through the beginnings of the tables; nothing stands out.');
  return act('', ...[next, ...rest].slice(0, BATCH).map((path) => call('read_file', { path, to_line: 60 })));
}

/** Citations and the two deliverables. */
export function writingUp(scene: Scene): RehearsalAnswer {
  const { todo, onTodo } = scene;
  switch (todo.id) {
    case 1:
      return citing(scene);
    case 2:
      if (callsOf(onTodo, 'read_file').length === 0)
        return act('', call('read_file', { path: 'output/requirements.json', to_line: 40 }));
      return finish('The entries are complete.');
    case 3:
      return writingSummary(scene);
    case 4: {
      // Refused for encrypted jobs, which end without a hand-over.
      const handed = lastResult(onTodo, 'write_requirement_to_cache');
      if (handed === undefined)
        return act('', call('write_requirement_to_cache', { file: 'output/requirements.json' }));
      return finish(handed.split('\n', 1)[0]!);
    }
    case 5:
      if (callsOf(onTodo, 'file_exists').length === 0)
        return act(
          '',
          ...['output/requirements.json', 'output/summary.md'].map((path) => call('file_exists', { path })),
        );
      return finish('Both are there.');
    default:
      return finish('Noted.', note(['', 'The write-up is done.']));
  }
}

function citing(scene: Scene): RehearsalAnswer {
  const [cited] = callsOf(scene.onTodo, 'cite_document').slice(-1);
  if (cited === undefined) {
    const notes = reading(scene, NOTES);
    if ('ask' in notes) return act('', notes.ask);
    const candidates = recordsOf(notes.text).flatMap(({ candidates: file }) => file ?? []);
    return act('', call('cite_document', { candidates }));
  }
  const said = cited.shown === 'cleared' ? recalled(scene, cited) : { text: firstLineOf(cited) };
  if ('ask' in said) return act('', said.ask);
  if (!said.text.startsWith('Wrote ')) return giveUp(said.text);
  return finish(said.text.split('\n', 1)[0]!);
}

/** The first line of a result; that of a preview stands below the remark that it is one. */
function firstLineOf({ result, shown }: PastCall): string {
  return result.split('\n')[shown === 'preview' ? 1 : 0] ?? '';
}
