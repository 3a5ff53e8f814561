import { readFileSync } from 'node:fs';
import { SHIPPED_VOCABULARIES, ToolError, vocabularySchema, type Vocabulary } from '@phaseline/contracts';
import { prepareVocabulary, type SearchedVocabulary } from '@phaseline/documents';
import { VOCABULARIES_DIRECTORY } from '@phaseline/domain';
import type { RemoteToolContext } from '@phaseline/tools';
import { readFile } from './workspace-files.js';

/** The relative path is the same from `src` and `dist`. */
const shipped: ReadonlyMap<string, SearchedVocabulary> = new Map(
  SHIPPED_VOCABULARIES.map((name) => {
    const text = readFileSync(new URL(`../../vocabularies/${name}.json`, import.meta.url), 'utf8');
    return [name, prepareVocabulary(vocabularySchema.parse(JSON.parse(text)))];
  }),
);

/**
 * Opens the vocabularies of a call: those of the agent, of which the model may choose some. Those in the workspace, which the job
 * took from the agent's folder, replace shipped ones of the same name. Throws `unknown_vocabulary` and `vocabulary_invalid`.
 */
export async function openVocabularies(
  context: RemoteToolContext,
  asked: readonly string[] | undefined,
): Promise<readonly SearchedVocabulary[]> {
  const prefix = `${VOCABULARIES_DIRECTORY}/`;
  const own = new Map(
    Object.keys(context.workspace.tree)
      .filter((path) => path.startsWith(prefix) && path.endsWith('.json'))
      .map((path) => [path.slice(prefix.length, -'.json'.length), path]),
  );
  const known = new Set([...shipped.keys(), ...own.keys()]);
  const allowed = context.settings?.documents?.vocabularies ?? [...known].sort();
  const names = asked ?? allowed;
  const refused = names.find((name) => !allowed.includes(name) || !known.has(name));
  if (refused !== undefined)
    throw new ToolError(
      'unknown_vocabulary',
      `There is no vocabulary '${refused}' for this agent. It may use: ${allowed.filter((name) => known.has(name)).join(', ') || 'none'}.`,
    );
  return Promise.all(
    [...new Set(names)].map(async (name) => {
      const path = own.get(name);
      return path === undefined ? shipped.get(name)! : prepareVocabulary(await readVocabulary(context, path));
    }),
  );
}

/** The file was checked when the agent was loaded, but a job may also be submitted with one. */
async function readVocabulary(context: RemoteToolContext, path: string): Promise<Vocabulary> {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(await readFile(context, path)));
  } catch (cause) {
    if (cause instanceof ToolError) throw cause;
    throw new ToolError('vocabulary_invalid', `'${path}' is not JSON. Leave this vocabulary out.`, { cause });
  }
  const parsed = vocabularySchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new ToolError(
    'vocabulary_invalid',
    `'${path}' is invalid at ${issue?.path.join('.')}: ${issue?.message}. Leave this vocabulary out.`,
    { cause: parsed.error },
  );
}
