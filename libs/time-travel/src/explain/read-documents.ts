import type { CallId } from '@phaseline/contracts';
import type { JsonObject } from '@phaseline/basics';

/** A document that a call read. */
export interface ReadDocument {
  readonly callId: CallId;
  readonly tool: string;
  readonly step: number;
  /** Path in the workspace; absent for a search, a page of the web, and a numbered source. */
  readonly path?: string;
  readonly url?: string;
  readonly query?: string;
  /** Number of a stored source. */
  readonly source?: number;
}

/** Maximum documents that are listed for one version; the last ones are kept. */
const MAX_DOCUMENTS = 100;

/** The tools that read, and the arguments that name what they read. Commands and MCP tools may read more than their call says. */
const readArguments: Readonly<Record<string, readonly string[]>> = {
  read_file: ['path'],
  search_files: ['path', 'query'],
  extract_document_text: ['path'],
  chunk_document: ['path'],
  identify_requirement_candidates: ['path'],
  assess_gobd_relevance: ['path'],
  cite_document: ['path', 'candidates'],
  cite_web: ['source'],
  fetch_url: ['url'],
  web_search: ['query'],
  semantic_search: ['query'],
};

interface Call {
  readonly callId: CallId;
  readonly step: number;
  readonly name: string;
  readonly arguments: JsonObject;
}

/** Returns what completed calls read, in their order; a document that several calls read once, with the last of them. */
export function findReadDocuments(calls: readonly Call[]): readonly ReadDocument[] {
  const found = new Map<string, ReadDocument>();
  for (const { callId, step, name, arguments: given } of calls)
    for (const what of findNamed(given, Object.hasOwn(readArguments, name) ? readArguments[name]! : [])) {
      const key = JSON.stringify([name, what]);
      found.delete(key);
      found.set(key, { callId, tool: name, step, ...what });
    }
  return [...found.values()].slice(-MAX_DOCUMENTS);
}

type Named = Pick<ReadDocument, 'path' | 'url' | 'query' | 'source'>;

function findNamed(given: JsonObject, names: readonly string[]): readonly Named[] {
  const one: { -readonly [Member in keyof Named]: Named[Member] } = {};
  const several: Named[] = [];
  for (const name of names) {
    const value = given[name];
    if (name === 'candidates' && Array.isArray(value))
      several.push(...value.flatMap((path) => (typeof path === 'string' ? [{ path }] : [])));
    if (typeof value === 'string' && value !== '' && (name === 'path' || name === 'url' || name === 'query'))
      one[name] = value;
    if (typeof value === 'number' && name === 'source') one.source = value;
  }
  return Object.keys(one).length > 0 ? [one, ...several] : several;
}
