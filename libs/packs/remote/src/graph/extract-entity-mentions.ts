import { yieldOnce } from '@phaseline/basics';
import { ToolError } from '@phaseline/contracts';
import { decodeRequirementTexts, encodeJsonFile } from '@phaseline/documents';
import { ENTITIES_FILE, type graphSpec } from '@phaseline/pack-specs';
import type { RemoteToolContext, ToolRun } from '@phaseline/tools';
import {
  findMentions,
  findUnknownNames,
  indexNames,
  type Entity,
  type Mention,
  type UnknownName,
} from './find-mentions.js';
import { runOnGraph, type GraphHost, type GraphOfCall } from './graph-host.js';

const ENTITIES_SCHEMA = 'phaseline.entities/1';
/** Maximum nodes compared per label. If there are more, the result says so. */
const MAX_COMPARED_NODES = 5_000;
const MAX_FILE_BYTES = 16 * 1024 * 1024;
/** Maximum lines of a result; the file has all. */
const MAX_LISTED = 30;
/** Requirements searched before yielding to the event loop. */
const REQUIREMENTS_PER_TURN = 50;
/** Label of the requirements themselves, which do not mention each other by name. */
const REQUIREMENT_LABEL = 'Requirement';

interface MentionsOfRequirement {
  readonly rid: string;
  readonly mentions: readonly Mention[];
  readonly unknown: readonly UnknownName[];
}

export function extractEntityMentions(host: GraphHost): ToolRun<typeof graphSpec, 'extract_entity_mentions'> {
  return async (context, { file, requirements: given, labels }) => {
    const requirements = given ?? (await readRequirements(context, file ?? ''));
    return runOnGraph(host, context, MAX_COMPARED_NODES, async (at) => {
      const { entities, notes } = await readEntities(at, labels);
      const names = indexNames(entities);
      const found: MentionsOfRequirement[] = [];
      for (const [index, { rid, text }] of requirements.entries()) {
        if (index % REQUIREMENTS_PER_TURN === 0) await yieldOnce();
        const mentions = findMentions(text, names);
        found.push({ rid, mentions, unknown: findUnknownNames(text, mentions) });
      }
      const named = found.filter(({ mentions, unknown }) => mentions.length + unknown.length > 0);
      const figures = renderFigures(found, entities.length);
      if (file === undefined)
        return { content: [figures, ...named.map((one) => JSON.stringify(one)), ...notes].join('\n') };
      const head = { schema: ENTITIES_SCHEMA, source: file, requirements: found.length, entities: entities.length };
      const table = ENTITIES_FILE.replace(/\.json$/, '.md');
      return {
        content: [figures, `Written: ${ENTITIES_FILE} with every mention, ${table} with these figures.`, ...notes].join(
          '\n',
        ),
        files: [
          { path: ENTITIES_FILE, content: encodeJsonFile(head, { mentions: named }) },
          { path: table, content: Buffer.from(`# Entities\n\n${figures}\n`) },
        ],
      };
    });
  };
}

async function readRequirements(
  context: RemoteToolContext,
  path: string,
): Promise<readonly { rid: string; text: string }[]> {
  const { tree } = context.workspace;
  const entry = Object.hasOwn(tree, path) ? tree[path] : undefined;
  const bytes = entry && entry.size <= MAX_FILE_BYTES ? await context.workspace.read(path) : undefined;
  if (entry && entry.size > MAX_FILE_BYTES)
    throw new ToolError(
      'file_too_large',
      `'${path}' has ${entry.size} bytes; the maximum is ${MAX_FILE_BYTES}. Split the file.`,
    );
  if (!bytes)
    throw new ToolError('file_missing', `There is no file '${path}' in the workspace. List the files and try again.`);
  return decodeRequirementTexts(path, bytes).map(({ id, text }) => ({ rid: id, text }));
}

/** Reads the named nodes of the labels that the metamodel has. */
async function readEntities(
  { graph, metamodel, limits }: GraphOfCall,
  asked: readonly string[] | undefined,
): Promise<{ readonly entities: readonly Entity[]; readonly notes: readonly string[] }> {
  const known = Object.keys(metamodel.labels).filter((label) => label !== REQUIREMENT_LABEL);
  const unknown = asked?.find((label) => !known.includes(label));
  if (unknown !== undefined)
    throw new ToolError(
      'unknown_label',
      `The metamodel has no label '${unknown}' whose nodes can be mentioned. It has: ${known.join(', ') || 'none'}.`,
    );
  const entities: Entity[] = [];
  const notes: string[] = [];
  for (const label of asked ?? known) {
    const key = metamodel.labels[label]?.key ?? 'name';
    // Names of the metamodel contain only letters, digits and _, so they are safe in the query text.
    const { rows, omittedRows } = await graph.read(
      `MATCH (n:\`${label}\`) WHERE n.name IS NOT NULL OR n.\`${key}\` IS NOT NULL
         RETURN coalesce(n.name, n.\`${key}\`) AS name, n.aliases ORDER BY name`,
      {},
      limits,
    );
    if (omittedRows !== 0) notes.push(`[… only the first ${MAX_COMPARED_NODES} of ${label} were compared …]`);
    for (const [name, aliases] of rows)
      entities.push({ label, name: String(name), aliases: Array.isArray(aliases) ? aliases.map(String) : [] });
  }
  return { entities, notes };
}

function renderFigures(found: readonly MentionsOfRequirement[], entities: number): string {
  const counts = count(found.flatMap(({ mentions }) => mentions.map(({ label, name }) => `${name} (${label})`)));
  const unknown = count(found.flatMap((one) => one.unknown.map(({ words }) => words)));
  const withMention = found.filter(({ mentions }) => mentions.length > 0).length;
  return [
    `- Entities: ${withMention} of ${found.length} requirements mention ${counts.length} of the ${entities} entities in the graph`,
    ...counts.slice(0, MAX_LISTED).map(([name, times]) => `  - ${name}: ${times}`),
    `- Names that the graph does not know: ${
      unknown.length === 0
        ? 'none'
        : unknown
            .slice(0, MAX_LISTED)
            .map(([name, times]) => `${name} (${times})`)
            .join(', ')
    }`,
  ].join('\n');
}

/** Counts equal texts, the most frequent first. */
function count(texts: readonly string[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}
