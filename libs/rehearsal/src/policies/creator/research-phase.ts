import type { RehearsalAnswer } from '../../rehearsal-policy.js';
import type { PastCall } from '../past-call.js';
import { act, call, filterCalls, finishTodo, readFileInView, reportBlocked, type Scene } from '../scene.js';
import { callOf, planPhase } from '../strategic-moves.js';
import { NOTES, parseRecords } from './notes.js';

export const RESEARCH_PHASE = 'Research';
export const RESEARCH = 'output/research.md';
/** Notes that the todos of the research leave for each other. */
const RESEARCH_NOTES = 'notes/research.md';
/** Number of requirements that are researched. */
const MAX_SUBJECTS = 2;
/** Maximum characters of a requirement in a query. */
const MAX_QUERY_CHARACTERS = 200;

export function planResearch(): RehearsalAnswer {
  return planPhase(RESEARCH_PHASE, 'Research what the candidates refer to.', [
    [
      `Choose candidates to research from the tables that ${NOTES} names, and note them in ${RESEARCH_NOTES}.`,
      RESEARCH_NOTES,
    ],
    [`Search the graph for requirements that are similar to those in ${RESEARCH_NOTES}.`, RESEARCH_NOTES],
    [
      `Search the web for those in ${RESEARCH_NOTES}, and fetch and cite the best result of each.`,
      // Fails without a network; the notes say so.
      callOf('web_search', { outcome: 'any' }),
      RESEARCH_NOTES,
    ],
    [
      'Write research.md and sources.json of each one under requirements/.',
      'requirements/*/research.md',
      'requirements/*/sources.json',
    ],
    [`Write ${RESEARCH} with a section for each one.`, RESEARCH],
  ]);
}

/** Plays the research phase. */
export function playResearch(scene: Scene): RehearsalAnswer {
  if (scene.todo.id === 1) return chooseSubjects(scene);
  const notes = readFileInView(scene, RESEARCH_NOTES);
  if ('ask' in notes) return act('', notes.ask);
  const subjects = parseSubjects(notes.text);
  switch (scene.todo.id) {
    case 2:
      return searchGraph(scene, subjects);
    case 3:
      return searchWeb(scene, subjects);
    case 4:
      return finishTodo('The files are written.', ...subjects.flatMap(writeFiles));
    default:
      return finishTodo(
        'The research is written.',
        call('write_file', { path: RESEARCH, content: renderReport(subjects) }),
      );
  }
}

interface Subject {
  readonly id: string;
  readonly text: string;
  /** What the graph said, in one line. */
  readonly graph?: string;
  /** The citation as JSON, or why there is none. */
  readonly web?: string;
}

function chooseSubjects(scene: Scene): RehearsalAnswer {
  const notes = readFileInView(scene, NOTES);
  if ('ask' in notes) return act('', notes.ask);
  const [table] = parseRecords(notes.text).flatMap(({ candidates }) => candidates?.replace(/\.json$/, '.md') ?? []);
  if (table === undefined) return reportBlocked('no candidates were written, so there is nothing to research.');
  const [read] = filterCalls(scene.callsOnTodo, 'read_file').filter(({ arguments: args }) => args['path'] === table);
  if (!read) return act('', call('read_file', { path: table, to_line: 30 }));
  const rows = [...read.result.matchAll(/^(?:\s*\d+\s*)?\|? ?(REQ-[0-9a-f]{10}) \|(?:[^|]*\|){4} (.*?) \|$/gm)];
  const chosen = rows.slice(0, MAX_SUBJECTS).map(([, id = '', text = '']) => `- Subject ${id}: ${text}`);
  if (chosen.length === 0) return reportBlocked('the table lists no candidate.');
  return finishTodo(
    `Chose ${chosen.length} candidates.`,
    call('write_file', { path: RESEARCH_NOTES, content: `${chosen.join('\n')}\n` }),
  );
}

function parseSubjects(notes: string): readonly Subject[] {
  const find = (kind: string, id: string): string | undefined =>
    new RegExp(`^- ${kind} ${id}: (.*)$`, 'm').exec(notes)?.[1];
  return [...notes.matchAll(/^- Subject (REQ-[0-9a-f]{10}): (.*)$/gm)].map(([, id = '', text = '']) => {
    const graph = find('Graph', id);
    const web = find('Web', id);
    return { id, text, ...(graph === undefined ? {} : { graph }), ...(web === undefined ? {} : { web }) };
  });
}

function searchGraph({ callsOnTodo }: Scene, subjects: readonly Subject[]): RehearsalAnswer {
  const searches = filterCalls(callsOnTodo, 'find_similar_requirements');
  if (searches.length === 0)
    return act('', ...subjects.map(({ text }) => call('find_similar_requirements', { text, limit: 3 })));
  const lines = subjects.map(({ id }, i) => `- Graph ${id}: ${toOneLine(searches[i]?.result ?? 'not searched')}`);
  return finishTodo('The graph was searched.', appendNotes(lines));
}

/** Searches for all subjects, fetches the first result of each, and cites its first sentence. */
function searchWeb({ callsOnTodo }: Scene, subjects: readonly Subject[]): RehearsalAnswer {
  const searches = filterCalls(callsOnTodo, 'web_search');
  if (searches.length === 0)
    return act('', ...subjects.map(({ text }) => call('web_search', { query: text.slice(0, MAX_QUERY_CHARACTERS) })));
  const addresses = searches.map(({ result }) => /^https?:\/\/\S+$/m.exec(result)?.[0]);
  const fetches = filterCalls(callsOnTodo, 'fetch_url');
  const wanted = [...new Set(addresses.filter((address) => address !== undefined))];
  if (fetches.length === 0 && wanted.length > 0) return act('', ...wanted.map((url) => call('fetch_url', { url })));
  const quotations = fetches.flatMap(findQuotation);
  const citations = filterCalls(callsOnTodo, 'cite_web');
  if (citations.length === 0 && quotations.length > 0)
    return act('', ...quotations.map(({ source, quote }) => call('cite_web', { source, quote })));
  const lines = subjects.map(({ id }, i) => {
    const at = quotations.findIndex(({ url }) => url === addresses[i]);
    return `- Web ${id}: ${toOneLine(citations[at]?.result ?? searches[i]?.result ?? 'not searched')}`;
  });
  return finishTodo('The web was searched.', appendNotes(lines));
}

function findQuotation({ arguments: { url }, result }: PastCall) {
  const [, source] = /^Source (\d+): /m.exec(result) ?? [];
  const [quote] = /\p{Lu}[^\n.<>|]{30,300}\./u.exec(result.slice(result.indexOf('\n\n'))) ?? [];
  return source === undefined || quote === undefined ? [] : [{ url, source: Number(source), quote }];
}

function writeFiles({ id, text, graph = 'not searched', web = 'not searched' }: Subject) {
  const citation = parseCitation(web);
  const content = [
    `# ${id}`,
    '',
    text,
    '',
    '## In the graph',
    '',
    graph,
    '',
    '## On the web',
    '',
    citation ? `Source ${citation.source} says: "${citation.quote}" (${citation.url})` : web,
    '',
  ].join('\n');
  return [
    call('write_file', { path: `requirements/${id}/research.md`, content }),
    call('write_file', {
      path: `requirements/${id}/sources.json`,
      content: `${JSON.stringify(citation ? [citation] : [], null, 2)}\n`,
    }),
  ];
}

function renderReport(subjects: readonly Subject[]): string {
  const found = subjects.flatMap(({ id, text, web = '' }) => {
    const citation = parseCitation(web);
    if (!citation) return [];
    return [`## ${id}`, '', text, '', `"${citation.quote}" (source ${citation.source}, ${citation.url})`, ''];
  });
  const missing = subjects.filter(({ web = '' }) => !parseCitation(web)).map(({ id, web }) => `- ${id}: ${web}`);
  return [
    '# Research',
    '',
    'Made by the rehearsal model, which follows a script: it cites the first sentence of the first result.',
    '',
    ...found,
    ...(missing.length > 0 ? ['## Not found', '', ...missing, ''] : []),
  ].join('\n');
}

function parseCitation(text: string): { source: number; url: string; quote: string } | undefined {
  try {
    const value = JSON.parse(/^\{.*\}/.exec(text)?.[0] ?? '') as { source: number; url: string; quote: string };
    return value;
  } catch {
    return undefined;
  }
}

function appendNotes(lines: readonly string[]) {
  return call('append_file', { path: RESEARCH_NOTES, content: `${lines.join('\n')}\n` });
}

function toOneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
