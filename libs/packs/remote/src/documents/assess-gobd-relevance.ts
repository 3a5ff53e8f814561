import { clip } from '@phaseline/basics';
import { DEFAULT_RELEVANCE_FILE, type documentsSpec } from '@phaseline/pack-specs';
import type { RemoteToolContext, ToolRun } from '@phaseline/tools';
import {
  assessRelevance,
  CANDIDATES_SCHEMA,
  decodeCandidates,
  decodeRequirementTexts,
  describeLocation,
  encodeJsonFile,
  findPlaces,
  yieldOrAbort,
  type Location,
  type Relevance,
  type SearchedVocabulary,
} from '@phaseline/documents';
import { openExtraction } from './open-extraction.js';
import { openVocabularies } from './open-vocabularies.js';
import { readFile, toPath } from './workspace-files.js';

const RELEVANCE_SCHEMA = 'phaseline.relevance/1';
/** Maximum texts that the result shows; the file has all. */
const MAX_SHOWN_TEXTS = 12;
/** Texts assessed before yielding to the event loop. */
const TEXTS_PER_TURN = 50;

/** A text to assess: a requirement, a candidate, or a block of a document. */
interface AssessedText {
  readonly id?: string;
  readonly document: string;
  readonly location: Location;
  readonly text: string;
}

interface RelevantText extends AssessedText {
  readonly relevance: readonly Relevance[];
}

/**
 * Tool that assesses texts with vocabularies. Every assessment names the terms it rests on and their places. Writes the relevant
 * texts to `work/relevance.json`, and the figures for the summary beside it (`.md`).
 */
export const assessGobdRelevance: ToolRun<typeof documentsSpec, 'assess_gobd_relevance'> = async (
  context,
  { path, text, vocabularies: asked, output = DEFAULT_RELEVANCE_FILE },
) => {
  const vocabularies = await openVocabularies(context, asked);
  if (path === undefined) return { content: describeText(assessRelevance(text ?? '', vocabularies), vocabularies) };
  const texts = await readTexts(context, path);
  const relevant: RelevantText[] = [];
  for (const [index, one] of texts.entries()) {
    if (index % TEXTS_PER_TURN === 0) await yieldOrAbort(context.signal);
    const relevance = assessRelevance(one.text, vocabularies);
    if (relevance.length > 0) relevant.push({ ...one, relevance });
  }
  const file = toPath(output.endsWith('.json') ? output : `${output}.json`);
  const table = `${file.slice(0, -'.json'.length)}.md`;
  const figures = renderRelevance(relevant, texts.length, vocabularies);
  const head = {
    schema: RELEVANCE_SCHEMA,
    source: toPath(path),
    vocabularies: vocabularies.map(({ vocabulary: { name, title } }) => ({ name, title })),
    texts: texts.length,
  };
  const shown = relevant.slice(0, MAX_SHOWN_TEXTS);
  return {
    content: [
      `Assessed ${texts.length} texts of ${toPath(path)}; ${relevant.length} contain terms of the vocabularies.`,
      figures.trimEnd(),
      'Written:',
      `- ${file}: every text with its terms, their places and a confidence`,
      `- ${table}: these figures, for the summary`,
      ...(shown.length > 0 ? [`First ${shown.length}:`] : []),
      ...shown.map(
        ({ id, location, text: words, relevance }) =>
          `- ${id === undefined ? '' : `${id} `}[${describeLocation(location)}] ${relevance.map(describeRelevance).join('; ')}: ${clip(words, 160)}`,
      ),
    ].join('\n'),
    files: [
      { path: file, content: encodeJsonFile(head, { relevant }) },
      { path: table, content: Buffer.from(`# Relevance\n\n${figures}`) },
    ],
  };
};

async function readTexts(context: RemoteToolContext, given: string): Promise<readonly AssessedText[]> {
  const path = toPath(given);
  if (path.endsWith('.json')) {
    const bytes = await readFile(context, path);
    if (Buffer.from(bytes.subarray(0, 200)).includes(CANDIDATES_SCHEMA)) {
      const file = decodeCandidates(path, bytes);
      return file.candidates.map(({ id, location, text }) => ({ id, document: file.document, location, text }));
    }
    return decodeRequirementTexts(path, bytes).map(({ id, text, citation: { document, ...location } }) => ({
      id,
      document,
      location,
      text,
    }));
  }
  const { header, blocks, chunk } = await openExtraction(context, path);
  return blocks.slice(chunk?.from, chunk?.to).map((block) => {
    const place = findPlaces(block);
    const location =
      header.unit === 'line' ? { lines: place } : header.unit === 'page' ? { pages: place } : { paragraphs: place };
    return { document: header.document.path, location, text: block.text };
  });
}

function describeRelevance({ vocabulary, relevance, confidence, terms }: Relevance): string {
  const words = [...new Set(terms.map((term) => term.words))];
  return `${vocabulary} ${relevance} (${confidence.toFixed(2)}, ${words.slice(0, 4).join(', ')})`;
}

function describeText(relevance: readonly Relevance[], vocabularies: readonly SearchedVocabulary[]): string {
  const names = vocabularies.map(({ vocabulary: { name } }) => name).join(', ');
  if (relevance.length === 0) return `No terms of ${names} that show relevance.`;
  return relevance
    .flatMap((one) => [
      `${one.vocabulary}: ${one.relevance}, confidence ${one.confidence.toFixed(2)}, topics ${one.topics.join(', ')}`,
      ...one.terms.map(
        ({ words, from, to, topic, weight }) =>
          `- '${words}' at characters ${from} to ${to}: ${topic}, weight ${weight}`,
      ),
    ])
    .join('\n');
}

/** Renders the figures per vocabulary and topic as Markdown. */
function renderRelevance(
  relevant: readonly RelevantText[],
  total: number,
  vocabularies: readonly SearchedVocabulary[],
): string {
  const lines = vocabularies.flatMap(({ vocabulary: { name, title, topics } }) => {
    const found = relevant.flatMap(({ relevance }) => relevance.filter((one) => one.vocabulary === name));
    const clear = found.filter(({ relevance }) => relevance === 'relevant').length;
    const byTopic = topics
      .map((topic) => ({ title: topic.title, texts: found.filter((one) => one.topics.includes(topic.id)).length }))
      .filter(({ texts }) => texts > 0)
      .sort((a, b) => b.texts - a.texts);
    const listed = byTopic.map((topic) => `${topic.title} ${topic.texts}`).join(', ');
    return [
      `- ${title} (${name}): ${clear} of ${total} relevant, ${found.length - clear} possibly${listed === '' ? '' : `. ${listed}`}`,
    ];
  });
  return `${lines.join('\n')}\n`;
}
