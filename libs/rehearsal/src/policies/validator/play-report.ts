import type { RehearsalAnswer } from '../../rehearsal-policy.js';
import {
  act,
  call,
  filterCalls,
  finishTodo,
  reportBlocked,
  findLastResult,
  recallResult,
  type Reading,
  type Scene,
} from '../scene.js';

/** Plays the report phase: checks the graph against its metamodel and writes the two deliverables. */
export function playReport(scene: Scene): RehearsalAnswer {
  const { todo, callsOnTodo, calls } = scene;
  switch (todo.id) {
    case 1:
      if (callsOnTodo.length === 0) return act('', call('validate_schema_compliance'), call('count_graph_statistics'));
      return finishTodo(findLastResult(callsOnTodo, 'validate_schema_compliance') ?? '');
    case 2: {
      const written = findLastResult(callsOnTodo, 'write_claim_report');
      if (written === undefined) return act('', call('write_claim_report'));
      if (!written.startsWith('Wrote ')) return reportBlocked(written);
      return finishTodo(written.split('\n', 1)[0]!);
    }
    case 3:
      if (filterCalls(callsOnTodo, 'read_file').length === 0)
        return act('', call('read_file', { path: 'output/validation.json', to_line: 60 }));
      return finishTodo('The entries are complete.');
    case 4: {
      const readings = ['write_claim_report', 'count_graph_statistics', 'validate_schema_compliance'].map(
        (name): Reading => {
          const past = filterCalls(calls, name).at(-1);
          return past === undefined ? { ask: call(name) } : recallResult(scene, past);
        },
      );
      const missing = readings.flatMap((part) => ('ask' in part ? [part.ask] : []));
      if (missing.length > 0) return act('', ...missing);
      const [figures = '', graph = '', compliance = ''] = readings.flatMap((part) =>
        'text' in part ? [part.text] : [],
      );
      const content = formatReport(figures, graph, compliance);
      return finishTodo('The report is written.', call('write_file', { path: 'output/report.md', content }));
    }
    default:
      if (callsOnTodo.length === 0)
        return act('', ...['output/validation.json', 'output/report.md'].map((path) => call('file_exists', { path })));
      return finishTodo('Both are there.');
  }
}

function formatReport(figures: string, graph: string, compliance: string): string {
  const of = (name: string): number => Number(new RegExp(`^- ${name}: (\\d+)$`, 'm').exec(figures)?.[1] ?? 0);
  return [
    '# Validation',
    '',
    `${of('claims')} requirements were claimed: ${of('integrated')} integrated, ${of('duplicates')} duplicates, ${of('rejected')} rejected. ` +
      `Of those integrated, ${of('fulfilled')} are fulfilled, ${of('not fulfilled')} are not, ${of('undecided')} are undecided.`,
    '',
    '## Claims',
    '',
    figures.split('\n').slice(1).join('\n'),
    '',
    '## The graph after the job',
    '',
    graph,
    '',
    `Against the metamodel: ${compliance}`,
    '',
    '## To check',
    '',
    'Duplicates and fulfilment were determined by words, not by meaning. First check the requirements that are not fulfilled or undecided.',
    '',
  ].join('\n');
}
