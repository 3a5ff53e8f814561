import type { RehearsalAnswer } from '../../rehearsal-policy.js';
import type { PastCall } from '../past-call.js';
import { act, call, filterCalls, finishTodo, readFileInView, type Scene } from '../scene.js';
import {
  ENTITIES,
  FIGURES,
  findLargestSections,
  NOTES,
  parseRecords,
  parseUnreadDocuments,
  RELEVANCE,
  type DocumentRecord,
} from './notes.js';

const SUMMARY = 'output/summary.md';
/** Number of sections in the summary, and of requirements quoted per section. */
const MAX_SECTIONS = 5;
const REQUIREMENTS_PER_SECTION = 3;
/** Number of candidate tables that are searched; with more documents, only the first ones are. */
const MAX_TABLES = 3;

/** Writes the summary with the five parts that the instructions require, from the notes, the figures and searches. */
export function writeSummary(scene: Scene): RehearsalAnswer {
  const { callsOnTodo } = scene;
  const notes = readFileInView(scene, NOTES);
  const figures = readFileInView(scene, FIGURES);
  const searches = filterCalls(callsOnTodo, 'search_files');
  const relevance = readFileInView(scene, RELEVANCE);
  const entities = readFileInView(scene, ENTITIES);
  const needed = [notes, figures, relevance, entities].flatMap((part) => ('ask' in part ? [part.ask] : []));
  if ('ask' in notes || 'ask' in figures || 'ask' in relevance || 'ask' in entities) return act('', ...needed);
  const records = parseRecords(notes.text);
  const sections = findLargestSections(figures.text, MAX_SECTIONS);
  if (searches.length === 0 && sections.length > 0) {
    const tables = records
      .flatMap(({ candidates }) => candidates?.replace(/\.json$/, '.md') ?? [])
      .slice(0, MAX_TABLES);
    return act(
      '',
      ...sections.flatMap((query) =>
        tables.map((path) => call('search_files', { query: query.slice(0, 120), path, case_sensitive: true })),
      ),
    );
  }
  const content = [
    '# Requirements',
    '',
    ...formatDocuments(records, parseUnreadDocuments(notes.text)),
    ...formatFigures(figures.text),
    ...formatDemands(sections, searches),
    ...formatTerms(relevance.text, entities.text),
    ...formatQuestions(figures.text, records),
    ...formatMethod(records),
  ].join('\n');
  return finishTodo('Summary is written.', call('write_file', { path: SUMMARY, content }));
}

function formatDocuments(records: readonly DocumentRecord[], unread: readonly string[]): readonly string[] {
  return [
    '## Documents',
    '',
    ...records.map(({ document, description }) => `- \`${document}\`: ${description}`),
    ...unread.map((said) => `- Not read: ${said}`),
    '',
  ];
}

function formatFigures(figures: string): readonly string[] {
  return ['## Figures', '', figures.replace(/^# Figures\s*/, '').trim(), ''];
}

/** Formats the candidate rows found by the searches: id, modality, confidence, location, section, text. */
function formatDemands(sections: readonly string[], searches: readonly PastCall[]): readonly string[] {
  const parts = sections.flatMap((section) => {
    const rows = searches
      .filter(({ arguments: args, shown }) => args['query'] === section.slice(0, 120) && shown === 'whole')
      .flatMap(({ result }) => [
        ...result.matchAll(/^\S.*?:\d+: \| (REQ-[0-9a-f]{10}) \| (\w+) \| [\d.]+ \| [^|]+ \| [^|]*\| (.*?)(?: \|)?$/gm),
      ])
      .slice(0, REQUIREMENTS_PER_SECTION)
      .map(([, id = '', modality = '', text = '']) => `It states as ${modality}: "${text.trim()}" (${id}).`);
    return rows.length === 0 ? [] : [`**${section}.** ${rows.join(' ')}`, ''];
  });
  return [
    '## Main requirements',
    '',
    'The sections with the most requirements, each with the first that were found. Long texts are cut.',
    '',
    ...parts,
  ];
}

/** The figures of both tools; a file is missing if its tool was refused. */
function formatTerms(relevance: string, entities: string): readonly string[] {
  const parts = [relevance, entities].map((text) => text.replace(/^# \w+\s*/, '').trim());
  const lines = parts.filter((text) => text.startsWith('- '));
  return ['## Relevance and terms', '', ...(lines.length === 0 ? ['Not assessed.'] : lines), ''];
}

function formatQuestions(figures: string, records: readonly DocumentRecord[]): readonly string[] {
  const [left = 'Omitted: unknown'] = /^- (Omitted: .*)$/m.exec(figures)?.slice(1) ?? [];
  return [
    '## Open questions',
    '',
    `- ${left}. Doubtful candidates and omitted sentences are listed with their reasons in ${records.map(({ candidates }) => `\`${candidates}\``).join(', ')}.`,
    '- Not checked: requirements that contradict each other, cannot be tested, or refer to something that is missing.',
    '',
  ];
}

function formatMethod(records: readonly DocumentRecord[]): readonly string[] {
  return [
    '## Method',
    '',
    'The tools read the documents, found candidates by their wording, and located each one in its source. They were called by the rehearsal model, which follows a script. It excluded no candidate and added none.',
    '',
    ...records.map(({ document, found }) => `- \`${document}\`: ${found ?? 'no candidates'}`),
    '',
  ];
}
