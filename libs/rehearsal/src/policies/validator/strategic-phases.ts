import type { RehearsalAnswer } from '../../rehearsal-policy.js';
import type { PastCall } from '../past-call.js';
import {
  act,
  call,
  filterCalls,
  finishTodo,
  findLastResult,
  parseFileListing,
  readFileInView,
  type Scene,
} from '../scene.js';
import { areFilesWritten, callOf, checkFiles, planPhase, readOf, type PlannedTodo } from '../strategic-moves.js';

const VALIDATE_PHASE = 'Validate and integrate';
const VALIDATION = 'output/validation.json';
const REPORT = 'output/report.md';
/** Notes about the graph, which the phases of the validation leave for the others. */
export const GRAPH_NOTES = 'notes/graph.md';
const DELIVERABLES = [VALIDATION, REPORT];

export const REPORT_PHASE = 'Check and report';
/** Requirements per todo, and such todos per phase; sized for a short conversation. */
export const REQUIREMENTS_PER_BATCH = 10;
const MAX_BATCHES_PER_PHASE = 5;
/** Minimum number of batches; with the other todos, they reach the minimum length of a todo list. */
const MIN_BATCHES_PER_PHASE = 3;

/** Plays the first phase: looks at the waiting requirements and the graph, and plans the first batches. */
export function playPlanning(scene: Scene): RehearsalAnswer {
  const { todo, callsOnTodo } = scene;
  switch (todo.id) {
    case 1: {
      if (filterCalls(callsOnTodo, 'list_files').length === 0)
        return act(
          'I look at the files, the pending requirements and the graph.',
          call('list_files'),
          call('list_cached_requirements', { status: 'pending', limit: 5 }),
          call('get_database_schema'),
        );
      const counts = readFirstLine(findLastResult(callsOnTodo, 'list_cached_requirements'));
      return finishTodo(
        `In the cache: ${counts}.`,
        call('write_file', { path: 'workspace.md', content: toMemory(counts) }),
      );
    }
    case 2:
      return finishTodo('The plan stands.', call('write_file', { path: 'main_plan.md', content: PLAN }));
    case 3:
      return finishTodo(
        'The plan has two kinds of phases.',
        call('append_file', { path: 'main_plan.md', content: PHASES }),
      );
    default: {
      const pending = findPendingCount(callsOnTodo);
      return pending === undefined ? countPending() : planBatches(pending);
    }
  }
}

/** Plays each later strategic phase: counts the waiting requirements, then plans more batches or the report, or completes the job. */
export function playReview(scene: Scene): RehearsalAnswer {
  const { todo, callsOnTodo } = scene;
  switch (todo.id) {
    case 1: {
      const listings = filterCalls(callsOnTodo, 'list_files');
      if (listings.length === 0)
        return act(
          'I look at the results of the previous phase and the pending requirements.',
          call('list_files', { path: 'output' }),
        );
      const files = listings.flatMap(({ result }) => parseFileListing(result));
      const wanted = files.filter((path) => path === REPORT);
      const read = filterCalls(callsOnTodo, 'read_file').map(({ arguments: args }) => args['path']);
      const unread = wanted.filter((path) => !read.includes(path));
      if (unread.length > 0) return act('', ...unread.map((path) => call('read_file', { path })));
      return finishTodo('Read the archive.');
    }
    case 2: {
      if (findPendingCount(callsOnTodo) === undefined) return countPending();
      const counts = readFirstLine(findLastResult(callsOnTodo, 'list_cached_requirements'));
      return finishTodo(
        'The memory is up to date.',
        call('append_file', {
          path: 'workspace.md',
          content: `\nRequirements in the cache after another phase: ${counts}.\n`,
        }),
      );
    }
    case 3: {
      const isWritten = areFilesWritten(callsOnTodo, DELIVERABLES);
      if (isWritten === undefined) return checkFiles(DELIVERABLES);
      return finishTodo(
        'Plan is current.',
        call('append_file', {
          path: 'main_plan.md',
          content: isWritten ? '\n- [x] The report is written.\n' : '\n- [x] A phase of batches is done.\n',
        }),
      );
    }
    default: {
      const isWritten = areFilesWritten(callsOnTodo, DELIVERABLES);
      if (isWritten === undefined) return checkFiles(DELIVERABLES);
      if (isWritten) return completeJob(scene);
      const pending = findPendingCount(callsOnTodo);
      if (pending === undefined) return countPending();
      return pending > 0 ? planBatches(pending) : planReport();
    }
  }
}

function planBatches(pending: number): RehearsalAnswer {
  const batches = Math.min(
    MAX_BATCHES_PER_PHASE,
    Math.max(MIN_BATCHES_PER_PHASE, Math.ceil(pending / REQUIREMENTS_PER_BATCH)),
  );
  return planPhase(
    VALIDATE_PHASE,
    'Take requirements from the cache, check them and put the valid ones into the graph.',
    [
      [`Look at the schema and the statistics of the graph, and note them in ${GRAPH_NOTES}.`, GRAPH_NOTES],
      ...Array.from({ length: batches }, (_, i): PlannedTodo => [
        `Batch ${i + 1}: claim up to ${REQUIREMENTS_PER_BATCH} requirements, check them for duplicates and fulfilment, integrate the valid ones, and mark every claim.`,
        callOf('claim_requirements_from_cache'),
      ]),
      [`Note in ${GRAPH_NOTES} that the batches are done.`, GRAPH_NOTES],
    ],
  );
}

function planReport(): RehearsalAnswer {
  return planPhase(REPORT_PHASE, 'Check the graph, and write both deliverables.', [
    [
      'Check the graph against its metamodel and count its nodes and relationships.',
      callOf('validate_schema_compliance'),
      callOf('count_graph_statistics'),
    ],
    [`Write ${VALIDATION} with write_claim_report.`, VALIDATION],
    [`Read the beginning of ${VALIDATION} and check that each entry has a resolution.`, readOf(VALIDATION)],
    [`Write ${REPORT} with the figures and the entries that a person should check.`, REPORT],
    ['Check that both deliverables exist.', callOf('file_exists', { min: 2 })],
  ]);
}

function completeJob(scene: Scene): RehearsalAnswer {
  const report = readFileInView(scene, REPORT);
  if ('ask' in report) return act('', report.ask);
  const [line = 'The report has the figures.'] = /^\d+ requirements were .*$/m.exec(report.text) ?? [];
  return act(
    '',
    call('job_complete', {
      summary: line,
      deliverables: DELIVERABLES,
      confidence: 0.7,
      notes: 'Written by the rehearsal model: the tools determined duplicates and fulfilment by comparing words.',
    }),
  );
}

function countPending(): RehearsalAnswer {
  return act('', call('list_cached_requirements', { status: 'pending', limit: 5 }));
}

/** Returns the first line, for example `pending: 180, claimed: 0, done: 0, failed: 0`. */
function readFirstLine(listing: string | undefined): string {
  return listing?.split('\n', 1)[0] ?? 'nothing';
}

/** Number of pending requirements that the cache reported for this todo. Returns `undefined` if the request does not show it. */
function findPendingCount(onTodo: readonly PastCall[]): number | undefined {
  const counted = /^pending: (\d+)/.exec(findLastResult(onTodo, 'list_cached_requirements') ?? '')?.[1];
  return counted === undefined ? undefined : Number(counted);
}

function toMemory(counts: string): string {
  return [
    '# Workspace',
    '',
    'Task: check the requirements in the cache against the graph and integrate the valid ones (instructions.md).',
    '',
    `In the cache at the beginning: ${counts}.`,
    '',
  ].join('\n');
}

const PLAN = `# Plan

Goal: every pending requirement in the cache is checked, the valid ones are in the graph, and output/validation.json
and output/report.md contain the result for each.
`;

const PHASES = `
## Phases

1. ${VALIDATE_PHASE}: batches of ${REQUIREMENTS_PER_BATCH}, in as many phases as needed until no requirements are pending.
2. ${REPORT_PHASE}: the graph against its metamodel, the figures, the deliverables.
`;
