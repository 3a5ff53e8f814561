import type { RehearsalAnswer } from '../../rehearsal-policy.js';
import { act, call, finish, giveUp, lastResult, quoted, type Scene } from '../scene.js';

const NOTES = 'notes/extraction.md';

export const EXTRACT_PHASE = 'Extract and identify';
export const CITE_PHASE = 'Cite and write up';

/** The first phase: looks around, plans, and writes the todos of the first tactical phase. */
export function planning(scene: Scene): RehearsalAnswer {
  const { todo, onTodo, memory } = scene;
  switch (todo.id) {
    case 1: {
      const listing = lastResult(onTodo, 'list_files');
      if (listing === undefined)
        return act('I look around first.', call('list_files'), call('read_file', { path: 'instructions.md' }));
      const documents = [...listing.matchAll(/^(documents\/.+) \(\d+ bytes\)$/gm)].map((match) => match[1]!);
      if (documents.length === 0)
        return giveUp('there is no document under documents/. Submit the job with at least one.');
      return finish(
        `Found ${documents.length} documents.`,
        call('write_file', { path: 'workspace.md', content: memoryOf(documents) }),
      );
    }
    case 2:
      return finish('The plan stands.', call('write_file', { path: 'main_plan.md', content: PLAN }));
    case 3:
      return finish('Two phases.', call('append_file', { path: 'main_plan.md', content: PHASES }));
    default: {
      const documents = quoted(memory).filter((path) => path.startsWith('documents/'));
      const list = documents.map((path) => `\`${path}\``).join(', ');
      const todos = [
        `Extract the text of every document: ${list}.`,
        'Cut each extraction into chunks, so that long documents can be read piece by piece.',
        'Identify the requirement candidates in every extraction.',
        'Look through the tables of candidates for anything that is plainly not a requirement.',
        `Note in ${NOTES} where the candidates are and what was found.`,
      ];
      return finish(
        'Planned the extraction.',
        call('todo_write', {
          phase: EXTRACT_PHASE,
          description: 'Read the documents and find the candidates.',
          todos: todos.map((content, index) => ({ id: index + 1, content })),
        }),
      );
    }
  }
}

/** Every later strategic phase: looks back, and plans the next one or completes the job. */
export function reviewing(scene: Scene): RehearsalAnswer {
  const { todo, onTodo, calls } = scene;
  const files = lastResult(calls, 'list_files') ?? '';
  const notes = calls.find(({ name, arguments: args }) => name === 'read_file' && args['path'] === NOTES)?.result ?? '';
  const written = files.includes('output/requirements.json') && files.includes('output/summary.md');
  switch (todo.id) {
    case 1: {
      if (lastResult(onTodo, 'list_files') === undefined)
        return act('I look at what the last phase left.', call('list_files'));
      const wanted = [...files.matchAll(/^(archive\/\S+) \(/gm)].map((match) => match[1]!).slice(-1);
      if (files.includes(NOTES)) wanted.push(NOTES);
      if (files.includes('output/summary.md')) wanted.push('output/summary.md');
      const unread = wanted.filter(
        (path) => !onTodo.some(({ name, arguments: args }) => name === 'read_file' && args['path'] === path),
      );
      if (unread.length > 0) return act('', ...unread.map((path) => call('read_file', { path })));
      return finish('Read the archive and the notes.');
    }
    case 2:
      return finish(
        'Memory is current.',
        call('append_file', {
          path: 'workspace.md',
          content: `\n## After the last phase\n\n${written ? 'The deliverables are written.' : notes.trim()}\n`,
        }),
      );
    case 3:
      return finish(
        'Plan is current.',
        call('append_file', {
          path: 'main_plan.md',
          content: written ? '\n- [x] Phase 2 is done.\n' : '\n- [x] Phase 1 is done.\n',
        }),
      );
    default:
      return written ? complete(calls) : planCitations(notes);
  }
}

function planCitations(notes: string): RehearsalAnswer {
  const candidates = quoted(notes).filter((path) => path.endsWith('.json'));
  if (candidates.length === 0) return giveUp('no candidates were written, so there is nothing to cite.');
  const todos = [
    `Check every candidate against its source and write output/requirements.json: ${candidates.map((path) => `\`${path}\``).join(', ')}.`,
    'Read the beginning of output/requirements.json and see that entries have text, modality, section and citation.',
    'Write output/summary.md with the figures, the sections covered and what a person should check.',
    'Hand output/requirements.json over to whoever checks it, with write_requirement_to_cache.',
    'See that both deliverables exist.',
    `Note in ${NOTES} that the write-up is done.`,
  ];
  return finish(
    'Planned the write-up.',
    call('todo_write', {
      phase: CITE_PHASE,
      description: 'Cite every candidate and write the deliverables.',
      todos: todos.map((content, index) => ({ id: index + 1, content })),
    }),
  );
}

function complete(calls: Scene['calls']): RehearsalAnswer {
  const summary =
    calls.find(({ name, arguments: args }) => name === 'read_file' && args['path'] === 'output/summary.md')?.result ??
    '';
  const count = /^(\d+) requirements/m.exec(summary)?.[1];
  return act(
    '',
    call('job_complete', {
      summary: `Extracted ${count ?? 'the'} requirements, each with a citation that was found in its source.`,
      deliverables: ['output/requirements.json', 'output/summary.md'],
      confidence: 0.8,
      notes:
        'Played by the rehearsal model: the tools found and cited the requirements; doubtful candidates were not judged.',
    }),
  );
}

function memoryOf(documents: readonly string[]): string {
  return [
    '# Workspace',
    '',
    'Task: extract every requirement of the documents, each with a citation (instructions.md).',
    '',
    '## Documents',
    '',
    ...documents.map((path) => `- \`${path}\``),
    '',
  ].join('\n');
}

const PLAN = `# Plan

Goal: output/requirements.json with every requirement and its citation, and output/summary.md.

Approach: read each document with the tools, find the candidates, check each against its source, write up.
`;

const PHASES = `
## Phases

1. ${EXTRACT_PHASE}: extraction, chunks and candidates of every document.
2. ${CITE_PHASE}: citations, requirements.json, summary.md, hand-over to the requirement cache.
`;
