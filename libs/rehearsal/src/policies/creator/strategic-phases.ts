import type { RehearsalAnswer } from '../../rehearsal-policy.js';
import type { PastCall } from '../past-call.js';
import {
  act,
  call,
  filterCalls,
  finishTodo,
  reportBlocked,
  parseFileListing,
  readFileInView,
  type Scene,
} from '../scene.js';
import { areFilesWritten, callOf, checkFiles, planPhase, readOf, type PlannedTodo } from '../strategic-moves.js';
import { planResearch, RESEARCH } from './research-phase.js';
import { FIGURES, findFigure, NOTES, parseRecords } from './notes.js';

const EXTRACT_PHASE = 'Extract and identify';
export const CITE_PHASE = 'Cite and write up';

const REQUIREMENTS = 'output/requirements.json';
const SUMMARY = 'output/summary.md';
const DELIVERABLES = [REQUIREMENTS, SUMMARY];
/** Maximum number of documents per todo, which keeps its text short. */
const MAX_DOCUMENTS_PER_TODO = 10;

/** Plays the first phase: lists the files, plans, and writes the todos of the first tactical phase. */
export function playPlanning(scene: Scene): RehearsalAnswer {
  const { todo, callsOnTodo } = scene;
  switch (todo.id) {
    case 1: {
      const documents = findListedDocuments(callsOnTodo);
      if (documents === undefined) return act('I list the files.', call('list_files', { path: 'documents' }));
      if (documents.length === 0)
        return reportBlocked('there is no document under documents/. Submit the job with at least one.');
      return finishTodo(
        `Found ${documents.length} documents.`,
        call('write_file', { path: 'workspace.md', content: toMemory(documents) }),
      );
    }
    case 2:
      return finishTodo('The plan stands.', call('write_file', { path: 'main_plan.md', content: PLAN }));
    case 3:
      return finishTodo('Two phases.', call('append_file', { path: 'main_plan.md', content: PHASES }));
    default: {
      const documents = findListedDocuments(callsOnTodo);
      if (documents === undefined) return act('', call('list_files', { path: 'documents' }));
      return planExtraction(documents);
    }
  }
}

/** Finds the documents in the latest listing. Returns `undefined` if the request does not show one. */
function findListedDocuments(onTodo: readonly PastCall[]): readonly string[] | undefined {
  const listed = filterCalls(onTodo, 'list_files').findLast(
    ({ arguments: args, shown }) => args['path'] === 'documents' && shown === 'whole',
  );
  return listed && parseFileListing(listed.result);
}

function planExtraction(documents: readonly string[]): RehearsalAnswer {
  const parts = Array.from({ length: Math.ceil(documents.length / MAX_DOCUMENTS_PER_TODO) }, (_, part) =>
    documents.slice(part * MAX_DOCUMENTS_PER_TODO, (part + 1) * MAX_DOCUMENTS_PER_TODO),
  );
  return planPhase(EXTRACT_PHASE, 'Read the documents and find the candidates.', [
    ...parts.map((part): PlannedTodo => [
      `Extract the text of ${part.map((path) => `\`${path}\``).join(', ')}, and note in ${NOTES} where each extraction is.`,
      NOTES,
    ]),
    [
      `Cut each extraction that ${NOTES} names into chunks, so that long documents can be read piece by piece.`,
      'work/*/chunks/manifest.json',
    ],
    [
      `Identify the requirement candidates in each extraction that ${NOTES} names, and note there where they are.`,
      'work/*/candidates.json',
      NOTES,
    ],
    [
      `Look through the tables of candidates that ${NOTES} names for entries that are clearly not requirements.`,
      readOf('work/*/candidates.md'),
    ],
    [`Check that ${NOTES} says for every document what was found.`, readOf(NOTES)],
  ]);
}

/** Plays each later strategic phase: reviews the last phase, then plans the next one or completes the job. */
export function playReview(scene: Scene): RehearsalAnswer {
  const { todo, callsOnTodo } = scene;
  switch (todo.id) {
    case 1: {
      const listings = filterCalls(callsOnTodo, 'list_files');
      if (listings.length === 0)
        return act(
          'I review the results of the previous phase.',
          ...['notes', 'output'].map((path) => call('list_files', { path })),
        );
      const read = filterCalls(callsOnTodo, 'read_file').map(({ arguments: args }) => args['path']);
      const unread = listings
        .flatMap(({ result }) => parseFileListing(result))
        .filter((path) => (path === NOTES || path === SUMMARY) && !read.includes(path));
      if (unread.length === 0) return finishTodo('Read the archive and the notes.');
      return act('', ...unread.map((path) => call('read_file', { path })));
    }
    case 2: {
      const isWritten = areFilesWritten(callsOnTodo, DELIVERABLES);
      if (isWritten === undefined) return checkFiles(DELIVERABLES);
      const sentence = isWritten ? 'The deliverables are written.' : `The findings are in \`${NOTES}\`.`;
      return finishTodo(
        'The memory is up to date.',
        call('append_file', { path: 'workspace.md', content: `\n## After the previous phase\n\n${sentence}\n` }),
      );
    }
    case 3: {
      const isWritten = areFilesWritten(callsOnTodo, DELIVERABLES);
      if (isWritten === undefined) return checkFiles(DELIVERABLES);
      return finishTodo(
        'Plan is current.',
        call('append_file', { path: 'main_plan.md', content: `\n- [x] Phase ${isWritten ? 2 : 1} is done.\n` }),
      );
    }
    default: {
      const isWritten = areFilesWritten(callsOnTodo, DELIVERABLES);
      if (isWritten === undefined) return checkFiles(DELIVERABLES);
      if (isWritten) return completeJob(scene);
      return scene.deliverables.includes(RESEARCH) ? planResearchOrCitations(scene) : planCitations(scene);
    }
  }
}

/** Plans the research once. A job whose research was written continues with the citations. */
function planResearchOrCitations(scene: Scene): RehearsalAnswer {
  const isResearched = areFilesWritten(scene.callsOnTodo, [RESEARCH]);
  if (isResearched === undefined) return checkFiles([RESEARCH]);
  return isResearched ? planCitations(scene) : planResearch();
}

function planCitations(scene: Scene): RehearsalAnswer {
  const notes = readFileInView(scene, NOTES);
  if ('ask' in notes) return act('', notes.ask);
  if (parseRecords(notes.text).every(({ candidates }) => candidates === undefined))
    return reportBlocked('no candidates were written, so there is nothing to cite.');
  return planPhase(CITE_PHASE, 'Cite every candidate and write the deliverables.', [
    [
      `Check the candidates of every file that ${NOTES} names against their source and write ${REQUIREMENTS}.`,
      REQUIREMENTS,
    ],
    [
      `Read the beginning of ${REQUIREMENTS} and check that each entry has text, modality, section and citation.`,
      readOf(REQUIREMENTS),
    ],
    [
      `Assess the relevance of the entries in ${REQUIREMENTS}, and find the entities that they mention.`,
      'work/relevance.json',
    ],
    [
      `Write ${SUMMARY} with the documents, the figures, the main requirements, relevance and terms, the open questions and the method.`,
      SUMMARY,
    ],
    [
      `Hand ${REQUIREMENTS} over to the agent that checks it, using write_requirement_to_cache.`,
      // Refused for encrypted jobs.
      callOf('write_requirement_to_cache', { outcome: 'any' }),
    ],
    ['Check that both deliverables exist.', callOf('file_exists', { min: 2 })],
    [`Note in ${NOTES} that the deliverables are written.`, NOTES],
  ]);
}

function completeJob(scene: Scene): RehearsalAnswer {
  const figures = readFileInView(scene, FIGURES);
  if ('ask' in figures) return act('', figures.ask);
  return act(
    '',
    call('job_complete', {
      summary: `Extracted ${findFigure(figures.text, 'Requirements') ?? 'the'} requirements, each with a citation that was found in its source.`,
      deliverables: scene.deliverables,
      confidence: 0.8,
      notes:
        'Written by the rehearsal model: the tools found and cited the requirements; doubtful candidates were not assessed.',
    }),
  );
}

function toMemory(documents: readonly string[]): string {
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

Goal: ${REQUIREMENTS} with every requirement and its citation, and ${SUMMARY}.

Approach: read each document with the tools, find the candidates, check each against its source, write up.
`;

const PHASES = `
## Phases

1. ${EXTRACT_PHASE}: extraction, chunks and candidates of every document.
2. ${CITE_PHASE}: citations, requirements.json, summary.md, hand-over to the requirement cache.
`;
