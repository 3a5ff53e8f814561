import type { RehearsalAnswer } from '../../rehearsal-policy.js';
import { act, call, callsOf, finish, giveUp, lastResult, quoted, type PastCall, type Scene } from '../scene.js';

/** Extraction, chunks and candidates of every document. */
export function extracting(scene: Scene): RehearsalAnswer {
  const { todo, onTodo, calls } = scene;
  switch (todo.id) {
    case 1: {
      const tried = callsOf(onTodo, 'extract_document_text');
      if (tried.length === 0)
        return act('', ...quoted(todo.content).map((path) => call('extract_document_text', { path })));
      if (extractions(calls).length === 0) return giveUp(tried.map(({ result }) => result).join(' '));
      return finish(`Read ${extractions(calls).length} of ${tried.length} documents.`);
    }
    case 2:
      if (callsOf(onTodo, 'chunk_document').length === 0)
        return act('', ...extractions(calls).map((path) => call('chunk_document', { path })));
      return finish('Chunks are written.');
    case 3:
      if (callsOf(onTodo, 'identify_requirement_candidates').length === 0)
        return act('', ...extractions(calls).map((path) => call('identify_requirement_candidates', { path })));
      if (candidates(calls).length === 0) return giveUp('no candidates were found.');
      return finish('Candidates are written.');
    case 4: {
      const tables = [
        ...new Set(
          callsOf(calls, 'identify_requirement_candidates').flatMap(({ result }) =>
            [...result.matchAll(/^- (\S.*?): the same as a table/gm)].map((match) => match[1]!),
          ),
        ),
      ];
      if (callsOf(onTodo, 'read_file').length === 0)
        return act('', ...tables.map((path) => call('read_file', { path, to_line: 60 })));
      return finish('Looked through the tables; nothing stands out.');
    }
    default: {
      const found = callsOf(calls, 'identify_requirement_candidates').map(({ result }) => result.split('\n', 1)[0]!);
      const failed = callsOf(calls, 'extract_document_text')
        .filter(({ result }) => !result.startsWith('Read '))
        .map(({ result }) => `- Not read: ${result.split('\n', 1)[0]}`);
      const text = [
        '# Extraction',
        '',
        ...found.map((line) => `- ${line}`),
        ...candidates(calls).map((path) => `- Candidates: \`${path}\``),
        ...failed,
        '',
      ].join('\n');
      return finish('Noted.', call('write_file', { path: 'notes/extraction.md', content: text }));
    }
  }
}

/** Citations and the two deliverables. */
export function writingUp(scene: Scene): RehearsalAnswer {
  const { todo, onTodo, calls } = scene;
  switch (todo.id) {
    case 1: {
      const cited = lastResult(onTodo, 'cite_document');
      if (cited === undefined)
        return act(
          '',
          call('cite_document', { candidates: quoted(todo.content).filter((path) => path.endsWith('.json')) }),
        );
      if (!cited.startsWith('Wrote ')) return giveUp(cited);
      return finish(cited.split('\n', 1)[0]!);
    }
    case 2:
      if (callsOf(onTodo, 'read_file').length === 0)
        return act('', call('read_file', { path: 'output/requirements.json', to_line: 40 }));
      return finish('The entries are complete.');
    case 3:
      return finish(
        'Summary is written.',
        call('write_file', { path: 'output/summary.md', content: summary(lastResult(calls, 'cite_document') ?? '') }),
      );
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
      return finish(
        'Noted.',
        call('append_file', { path: 'notes/extraction.md', content: '\nThe write-up is done.\n' }),
      );
  }
}

function summary(cited: string): string {
  const count = /^Wrote (\d+) requirements/.exec(cited)?.[1] ?? '0';
  const [before = '', figures = ''] = cited.split(/^Figures for the summary.*$/m);
  const left = before.split('\n').slice(1).join('\n').trim();
  return [
    '# Requirements',
    '',
    `${count} requirements, each with a citation that was found in its source.`,
    '',
    '## Figures',
    '',
    figures.trim(),
    '',
    '## To check',
    '',
    left || 'Every candidate was found in its source. Candidates of low confidence deserve a look.',
    '',
  ].join('\n');
}

function extractions(calls: readonly PastCall[]): readonly string[] {
  return [
    ...new Set(
      callsOf(calls, 'extract_document_text').flatMap(({ result }) =>
        [...result.matchAll(/^- (\S.*?\/blocks\.jsonl): pass this path/gm)].map((match) => match[1]!),
      ),
    ),
  ];
}

function candidates(calls: readonly PastCall[]): readonly string[] {
  return [
    ...new Set(
      callsOf(calls, 'identify_requirement_candidates').flatMap(({ result }) =>
        [...result.matchAll(/^- (\S.*?\.json): pass this path/gm)].map((match) => match[1]!),
      ),
    ),
  ];
}
